import type { Metric, MetricSample } from '../../contracts/reports.js'

/** A text format for scrapers. */
export interface Format {
  readonly contentType: string
  /**
   * Whether the format is OpenMetrics, which has exemplars, an end mark, and counter families whose names do not end in
   * `_total`.
   */
  readonly isOpen: boolean
}

/** The Prometheus text format, version 0.0.4, which every scraper supports. */
export const TEXT: Format = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  isOpen: false,
}

/** OpenMetrics 1.0. */
export const OPEN: Format = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  isOpen: true,
}

/** The last line of OpenMetrics. */
export const END = '# EOF\n'

/** The name, help and bounds of a histogram family. */
export interface HistogramFamily {
  readonly name: string
  readonly help: string
  readonly bounds: Float64Array
}

/** Returns labels as text without braces, such as `method="GET",route="/orders/:id"`. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

/** Returns the lines that precede the values of a metric family. */
export function headOf(name: string, help: string, type: string, { isOpen }: Format): string {
  const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name
  const unit = /_(seconds|bytes)$/.exec(family)?.[1]
  const unitLine = isOpen && unit !== undefined ? `# UNIT ${family} ${unit}\n` : ''
  return `# HELP ${family} ${escapeHelp(help, isOpen)}\n# TYPE ${family} ${type}\n${unitLine}`
}

/** Returns a metric and its values in a text format. */
export function metricText(metric: Metric, format: Format): string {
  const { name, help, type } = metric
  const given = metric.read()
  const samples: readonly MetricSample[] = typeof given === 'number' ? [{ value: given }] : given
  const lines = samples.map(({ value, labels }) => {
    const text = labels === undefined ? '' : labelText(labels)
    return `${name}${text === '' ? '' : `{${text}}`} ${numberText(value)}\n`
  })
  return headOf(name, help, type, format) + lines.join('')
}

/** Returns one series of a histogram in a text format. */
export function histogramText(
  { name, bounds }: HistogramFamily,
  series: Histogram,
  { isOpen }: Format,
): string {
  const { labels, counts, exemplars, sum } = series
  const start = `${name}_bucket{${labels === '' ? '' : `${labels},`}le="`
  let text = ''
  let total = 0
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    total += counts[bucket] as number
    const bound = bucket < bounds.length ? boundText(bounds[bucket] as number, isOpen) : '+Inf'
    const exemplar = isOpen ? exemplars?.[bucket] : undefined
    text += `${start}${bound}"} ${total}${exemplar === undefined ? '' : exemplarText(exemplar)}\n`
  }
  const own = labels === '' ? '' : `{${labels}}`
  return `${text}${name}_sum${own} ${numberText(sum)}\n${name}_count${own} ${total}\n`
}

function exemplarText({ traceId, value, at }: Exemplar): string {
  return ` # {trace_id="${traceId}"} ${numberText(value)} ${at.toFixed(3)}`
}

/** OpenMetrics requires bounds to be floats, such as `1.0`. */
function boundText(bound: number, isOpen: boolean): string {
  return isOpen && Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}

/** Escapes a help text. Only OpenMetrics requires quotes to be escaped. */
function escapeHelp(help: string, isOpen: boolean): string {
  const pattern = isOpen ? /[\\"\n]/g : /[\\\n]/g
  return help.replace(pattern, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}

/** A measured value and its trace, for one bucket. */
interface Exemplar {
  readonly traceId: string
  readonly value: number
  /** Seconds since 1970. */
  readonly at: number
}

/** The values of one series of a histogram: a count for each bucket, and the sum. */
export class Histogram {
  /** The labels of the series as text, without braces: `method="GET"`. */
  readonly labels: string
  /** The number of values in each bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: Float64Array
  /** The latest exemplar of each bucket; `null` before the first exemplar. */
  exemplars: (Exemplar | undefined)[] | null = null
  sum = 0
  readonly #bounds: Float64Array

  /**
   * @param labels The labels, as text.
   * @param bounds The upper bounds of the buckets, ascending.
   */
  constructor(labels: string, bounds: Float64Array) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /**
   * Counts a value.
   *
   * @returns the number of its bucket.
   */
  observe(value: number): number {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.sum += value
    return bucket
  }

  /** Stores the latest exemplar of a bucket. */
  keep(bucket: number, exemplar: Exemplar): void {
    this.exemplars ??= new Array(this.counts.length)
    this.exemplars[bucket] = exemplar
  }
}

/** A `prom-client` registry, or any object with the same three members. */
export interface MetricsRegistry {
  /** The format of {@link MetricsRegistry.metrics}: the Prometheus text format, or OpenMetrics. */
  readonly contentType: string
  /** Returns all metrics as text. */
  metrics(): Promise<string>
  /** Lists the metrics. */
  getMetricsAsArray(): readonly NamedMetric[]
}

/** A metric of a registry. */
interface NamedMetric {
  /** The name of the metric. */
  readonly name: string
}

interface RegistryText {
  readonly names: ReadonlySet<string>
  readonly text: string
}

/** The result that is used in place of `readRegistry` if there is no registry. */
export const NO_METRICS: RegistryText = { names: new Set(), text: '' }

/**
 * Returns the format of a registry. A registry supports only one format, so every scrape uses this format if there is a
 * registry.
 */
export function formatOf({ contentType }: MetricsRegistry): Format {
  return contentType.startsWith('application/openmetrics-text') ? OPEN : TEXT
}

/** Reads the metrics of a registry. */
export async function readRegistry(registry: MetricsRegistry): Promise<RegistryText> {
  const names = new Set(registry.getMetricsAsArray().map(({ name }) => name))
  const written = await registry.metrics()
  const text = written.endsWith(END) ? written.slice(0, -END.length) : written
  return { names, text: text === '' || text.endsWith('\n') ? text : `${text}\n` }
}
