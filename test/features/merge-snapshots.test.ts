import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { MetricsSnapshot } from '../../src/contracts/worker.js'
import { mergeSnapshots, totalsOf } from '../../src/features/metrics/merge-snapshots.js'
import { mergeTexts } from '../../src/features/metrics/merge-texts.js'

const NONE: MetricsSnapshot = { metrics: [], histograms: [], registry: null }

/** A registry of each kind of metric, as a process has it. */
async function registryText(value: number): Promise<string> {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  new Counter({ name: 'sent_total', help: 'Sent.', labelNames: ['to'], registers }).inc(
    { to: 'a "b", {c}' },
    value,
  )
  new Gauge({ name: 'open', help: 'Open.', registers }).set(value)
  new Gauge({ name: 'oldest', help: 'Oldest.', aggregator: 'max', registers }).set(value)
  new Histogram({ name: 'size', help: 'Size.', buckets: [1, 10], registers }).observe(value)
  new Summary({ name: 'took', help: 'Took.', percentiles: [0.5], registers }).observe(value)
  return registry.metrics()
}

describe('texts of a registry of prom-client', () => {
  it('are added up, and what cannot be added gets the label worker', async () => {
    const merged = mergeTexts([
      { worker: '1', text: await registryText(2), each: ['oldest'] },
      { worker: '2', text: await registryText(5), each: ['oldest'] },
    ])
    expect(merged.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'sent_total{to="a \\"b\\", {c}"} 7',
      'open 7',
      'oldest{worker="1"} 2',
      'oldest{worker="2"} 5',
      'size_bucket{le="1"} 0',
      'size_bucket{le="10"} 2',
      'size_bucket{le="+Inf"} 2',
      'size_sum 7',
      'size_count 2',
      'took{quantile="0.5",worker="1"} 2',
      'took_sum 7',
      'took_count 2',
      'took{quantile="0.5",worker="2"} 5',
      '',
    ])
    expect(merged.match(/^# TYPE sent_total counter$/gm)).toHaveLength(1)
  })

  it('of an ended process keep only what grows', async () => {
    const text = await registryText(2)
    const merged = mergeTexts([{ worker: null, text, each: ['oldest'] }], { totalsOnly: true })
    expect(merged).toContain('sent_total{')
    expect(merged).toContain('size_count 1')
    expect(merged).toContain('took_count 1')
    expect(merged).not.toMatch(/^(?:open|oldest|took\{)/m)
  })

  it('keep values that are no finite numbers, and exemplars', () => {
    const text = '# TYPE a gauge\na +Inf\n# TYPE b counter\nb_total 1 # {trace_id="x"} 1 1.000\n'
    expect(mergeTexts([{ worker: '1', text, each: [] }])).toBe(text)
  })
})

describe('snapshots', () => {
  const histogram = (bounds: number[], counts: number[], at: number) => ({
    name: 'h',
    help: 'H.',
    bounds: Float64Array.from(bounds),
    series: [
      {
        labels: 'a="1"',
        counts: Float64Array.from(counts),
        sum: 1,
        exemplars: [{ traceId: String(at), value: 1, at }, undefined],
      },
    ],
  })

  it('add histograms of equal buckets, with the latest exemplar', () => {
    const merged = mergeSnapshots([
      { worker: '1', snapshot: { ...NONE, histograms: [histogram([1], [1, 2], 5)] } },
      { worker: '2', snapshot: { ...NONE, histograms: [histogram([1], [3, 4], 9)] } },
      { worker: null, snapshot: { ...NONE, histograms: [histogram([2], [100, 100], 1)] } },
    ])
    expect(merged.histograms).toEqual([
      {
        ...histogram([1], [4, 6], 9),
        series: [{ ...histogram([1], [4, 6], 9).series[0], sum: 2 }],
      },
    ])
  })

  it('of a place that two workers have for a moment keep the gauge of the newer one', () => {
    const gauge = (value: number): MetricsSnapshot => ({
      ...NONE,
      metrics: [{ name: 'g', help: 'G.', type: 'gauge', workers: 'each', samples: [{ value }] }],
    })
    const merged = mergeSnapshots([
      { worker: '1', snapshot: gauge(2) },
      { worker: '1', snapshot: gauge(1) },
    ])
    expect(merged.metrics[0]?.samples).toEqual([{ value: 2, labels: { worker: '1' } }])
    expect(totalsOf(merged).metrics).toEqual([])
  })
})
