import { END, type Format, OPEN, TEXT } from './exposition.js'

/** A registry of `prom-client`, or anything else with its three members. */
export interface MetricsRegistry {
  /** The format of {@link MetricsRegistry.metrics}: the text format of Prometheus, or OpenMetrics. */
  readonly contentType: string
  /** Returns all metrics as text. */
  metrics(): Promise<string>
  /** Lists the metrics. */
  getMetricsAsArray(): readonly NamedMetric[]
}

/** A metric of a registry. */
export interface NamedMetric {
  /** The name of the metric. */
  readonly name: string
}

/** The names of a registry, and its text. */
export interface RegistryText {
  readonly names: ReadonlySet<string>
  readonly text: string
}

/** The registry that stands for none. */
export const NO_METRICS: RegistryText = { names: new Set(), text: '' }

/** A registry writes one format only, so a scrape with a registry gets that format. */
export function formatOf({ contentType }: MetricsRegistry): Format {
  return contentType.startsWith('application/openmetrics-text') ? OPEN : TEXT
}

/** Reads a registry. */
export async function readRegistry(registry: MetricsRegistry): Promise<RegistryText> {
  const names = new Set(registry.getMetricsAsArray().map(({ name }) => name))
  const written = await registry.metrics()
  const text = written.endsWith(END) ? written.slice(0, -END.length) : written
  return { names, text: text === '' || text.endsWith('\n') ? text : `${text}\n` }
}
