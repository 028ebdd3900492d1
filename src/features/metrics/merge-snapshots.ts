import type { MetricSample } from '../../contracts/metrics.js'
import type {
  ExemplarReading,
  HistogramReading,
  HistogramSeries,
  MetricReading,
  MetricsSnapshot,
  WorkerSnapshot,
} from '../../contracts/worker.js'
import { labelText } from './exposition.js'
import { mergeTexts } from './merge-texts.js'

/**
 * Adds up what several processes have measured. Gauges that cannot be added up get the label `worker`; of two with one label,
 * the first remains.
 *
 * @param snapshots Those of newer processes first: the help of a metric, and the bounds of a histogram, are those of the first.
 */
export function mergeSnapshots(snapshots: readonly WorkerSnapshot[]): MetricsSnapshot {
  const texts = snapshots.flatMap(({ worker, snapshot: { registry } }) =>
    registry === null ? [] : [{ worker, ...registry }],
  )
  return {
    metrics: mergeMetrics(snapshots),
    histograms: mergeHistograms(snapshots.flatMap(({ snapshot }) => snapshot.histograms)),
    registry:
      texts.length === 0
        ? null
        : { text: mergeTexts(texts), each: texts.flatMap(({ each }) => each) },
  }
}

/** What remains of the metrics of a process that has ended: everything that only grows. */
export function totalsOf({ metrics, histograms, registry }: MetricsSnapshot): MetricsSnapshot {
  return {
    metrics: metrics.filter(({ type }) => type === 'counter'),
    histograms: histograms.map((histogram) => ({
      ...histogram,
      series: histogram.series.map((series) => ({ ...series, exemplars: null })),
    })),
    registry: registry && {
      each: registry.each,
      text: mergeTexts([{ worker: null, ...registry }], { totalsOnly: true }),
    },
  }
}

function mergeMetrics(snapshots: readonly WorkerSnapshot[]): MetricReading[] {
  const families = new Map<string, { head: MetricReading; samples: Map<string, MetricSample> }>()
  for (const { worker, snapshot } of snapshots) {
    for (const metric of snapshot.metrics) {
      const family = families.get(metric.name) ?? { head: metric, samples: new Map() }
      families.set(metric.name, family)
      const isSeparate = metric.type === 'gauge' && metric.workers === 'each' && worker !== null
      for (const sample of metric.samples) {
        if (isSeparate) addOnce(family.samples, withWorker(sample, worker))
        else addUp(family.samples, sample)
      }
    }
  }
  return [...families.values()].map(({ head, samples }) => ({
    ...head,
    samples: [...samples.values()],
  }))
}

function withWorker({ value, labels }: MetricSample, worker: string): MetricSample {
  return { value, labels: { ...labels, worker } }
}

function addOnce(samples: Map<string, MetricSample>, sample: MetricSample): void {
  const key = labelText(sample.labels ?? {})
  if (!samples.has(key)) samples.set(key, sample)
}

function addUp(samples: Map<string, MetricSample>, sample: MetricSample): void {
  const key = labelText(sample.labels ?? {})
  const known = samples.get(key)
  samples.set(key, known === undefined ? sample : { ...known, value: known.value + sample.value })
}

interface Family {
  readonly head: HistogramReading
  readonly series: Map<string, HistogramSeries>
}

function mergeHistograms(histograms: readonly HistogramReading[]): HistogramReading[] {
  const families = new Map<string, Family>()
  for (const histogram of histograms) {
    const family = families.get(histogram.name) ?? { head: histogram, series: new Map() }
    families.set(histogram.name, family)
    // The counts of an older version with other buckets cannot be added.
    if (!isEqual(family.head.bounds, histogram.bounds)) continue
    for (const each of histogram.series) {
      const known = family.series.get(each.labels)
      family.series.set(each.labels, known === undefined ? each : sumOf(known, each))
    }
  }
  return [...families.values()].map(({ head, series }) => ({
    ...head,
    series: [...series.values()],
  }))
}

function isEqual(one: Float64Array, other: Float64Array): boolean {
  return one.length === other.length && one.every((bound, index) => bound === other[index])
}

function sumOf(one: HistogramSeries, other: HistogramSeries): HistogramSeries {
  return {
    labels: one.labels,
    counts: one.counts.map((count, bucket) => count + (other.counts[bucket] as number)),
    sum: one.sum + other.sum,
    exemplars: latest(one.exemplars, other.exemplars),
  }
}

type Exemplars = readonly (ExemplarReading | undefined)[] | null

/** Of each bucket, the exemplar that was measured last. */
function latest(one: Exemplars, other: Exemplars): Exemplars {
  if (one === null || other === null) return one ?? other
  return Array.from(one, (first, bucket) => {
    const second = other[bucket]
    return (second?.at ?? 0) > (first?.at ?? 0) ? second : first
  })
}
