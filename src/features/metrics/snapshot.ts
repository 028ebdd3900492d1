import type { Logger } from '../../contracts/logger.js'
import type { Metric } from '../../contracts/metrics.js'
import type { HistogramReading, MetricReading, MetricsSnapshot } from '../../contracts/worker.js'
import type { HistogramFamily } from './exposition.js'
import { Histogram } from './histogram.js'
import { type MetricsRegistry, readRegistry, separateGauges } from './registry.js'

/** What a scrape reads. */
export interface Scrape {
  readonly histograms: readonly {
    readonly family: HistogramFamily
    readonly series: Iterable<Histogram>
  }[]
  readonly metrics: () => readonly Metric[]
  readonly registry: MetricsRegistry | null
  readonly logger: Logger
}

/** Reads all metrics as plain data, which other processes can add to theirs. */
export async function takeSnapshot(scrape: Scrape): Promise<MetricsSnapshot> {
  const { histograms, metrics, registry, logger } = scrape
  const text = registry === null ? null : (await readRegistry(registry)).text
  return {
    metrics: metrics().flatMap((metric) => readMetric(metric, logger)),
    histograms: histograms.map(({ family, series }) => readHistogram(family, series)),
    registry: registry === null || text === null ? null : { text, each: separateGauges(registry) },
  }
}

/** The scrape of what several processes have measured together. */
export function scrapeOf(merged: MetricsSnapshot, own: Scrape): Scrape {
  const { registry, logger } = own
  return {
    histograms: merged.histograms.map(({ series, ...family }) => ({
      family,
      series: series.map((each) => {
        const histogram = new Histogram(each.labels, family.bounds)
        histogram.counts.set(each.counts)
        histogram.sum = each.sum
        histogram.exemplars = each.exemplars === null ? null : [...each.exemplars]
        return histogram
      }),
    })),
    metrics: () =>
      merged.metrics.map(({ samples, ...metric }) => ({ ...metric, read: () => samples })),
    registry: registry && {
      contentType: registry.contentType,
      metrics: async () => merged.registry?.text ?? '',
      getMetricsAsArray: () => registry.getMetricsAsArray(),
    },
    logger,
  }
}

/** A metric that cannot be read is left out. */
function readMetric(metric: Metric, logger: Logger): MetricReading[] {
  const { name, help, type, workers = 'sum' } = metric
  try {
    const given = metric.read()
    const samples = typeof given === 'number' ? [{ value: given }] : given
    return [{ name, help, type, workers, samples }]
  } catch (err) {
    logger.error({ err, metric: name }, 'A metric could not be read')
    return []
  }
}

function readHistogram(
  { name, help, bounds }: HistogramFamily,
  series: Iterable<Histogram>,
): HistogramReading {
  const read = [...series].map(({ labels, counts, sum, exemplars }) => ({
    labels,
    counts,
    sum,
    exemplars,
  }))
  return { name, help, bounds, series: read }
}
