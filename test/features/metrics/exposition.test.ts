import { describe, expect, it } from 'vitest'
import type { Metric } from '../../../src/contracts/reports.js'
import {
  formatOf,
  Histogram,
  headOf,
  histogramText,
  labelText,
  metricText,
  OPEN,
  readRegistry,
  TEXT,
} from '../../../src/features/metrics/exposition.js'

const metric = (more: Partial<Metric>): Metric => ({
  name: 'jobs_waiting',
  help: 'Jobs.',
  type: 'gauge',
  read: () => 1,
  ...more,
})

describe('the text of a metric', () => {
  it.each<[string, Partial<Metric>, string]>([
    ['a number', { read: () => 1.5 }, 'jobs_waiting 1.5\n'],
    ['no samples', { read: () => [] }, ''],
    ['infinity', { read: () => Number.POSITIVE_INFINITY }, 'jobs_waiting +Inf\n'],
    ['negative infinity', { read: () => Number.NEGATIVE_INFINITY }, 'jobs_waiting -Inf\n'],
    ['no number', { read: () => Number.NaN }, 'jobs_waiting NaN\n'],
    [
      'samples with and without labels',
      { read: () => [{ value: 1 }, { value: 2, labels: {} }, { value: 3, labels: { a: 'b' } }] },
      'jobs_waiting 1\njobs_waiting 2\njobs_waiting{a="b"} 3\n',
    ],
  ])('has a line for each sample: %s', (_, more, lines) => {
    const head = '# HELP jobs_waiting Jobs.\n# TYPE jobs_waiting gauge\n'
    expect(metricText(metric(more), TEXT)).toBe(head + lines)
    expect(metricText(metric(more), OPEN)).toBe(head + lines)
  })

  it('escapes the values of labels, and in the help text only what the format requires', () => {
    expect(labelText({ a: 'x "y"\\\nz', b: '' })).toBe('a="x \\"y\\"\\\\\\nz",b=""')
    const help = 'a "b" \\ c\nd'
    expect(headOf('x', help, 'gauge', TEXT)).toMatch(/^# HELP x a "b" \\\\ c\\nd\n/)
    expect(headOf('x', help, 'gauge', OPEN)).toMatch(/^# HELP x a \\"b\\" \\\\ c\\nd\n/)
  })

  it.each([
    ['sent_total', 'counter', 'sent', ''],
    ['cpu_seconds_total', 'counter', 'cpu_seconds', '# UNIT cpu_seconds seconds\n'],
    ['heap_bytes', 'gauge', 'heap_bytes', '# UNIT heap_bytes bytes\n'],
    ['gauge_total', 'gauge', 'gauge_total', ''],
    ['seconds_left', 'gauge', 'seconds_left', ''],
  ])('has the name and the unit of its family in OpenMetrics: %s', (name, type, family, unit) => {
    expect(headOf(name, 'H', type, OPEN)).toBe(
      `# HELP ${family} H\n# TYPE ${family} ${type}\n${unit}`,
    )
    expect(headOf(name, 'H', type, TEXT)).toBe(`# HELP ${name} H\n# TYPE ${name} ${type}\n`)
  })
})

describe('the text of a histogram', () => {
  const bounds = Float64Array.of(0.5, 1)
  const family = { name: 'took', help: 'Took.', bounds }

  it('has exemplars and floats as bounds only in OpenMetrics', () => {
    const series = new Histogram('a="b"', bounds)
    const bucket = series.observe(0.7)
    expect(bucket).toBe(1)
    series.observe(3)
    series.keep(bucket, { traceId: 't1', value: 0.6, at: 1 })
    series.keep(bucket, { traceId: 't2', value: 0.7, at: 2.0004 })
    expect(histogramText(family, series, OPEN)).toBe(
      [
        'took_bucket{a="b",le="0.5"} 0',
        'took_bucket{a="b",le="1.0"} 1 # {trace_id="t2"} 0.7 2.000',
        'took_bucket{a="b",le="+Inf"} 2',
        'took_sum{a="b"} 3.7',
        'took_count{a="b"} 2\n',
      ].join('\n'),
    )
    expect(histogramText(family, series, TEXT)).toContain('took_bucket{a="b",le="1"} 1\n')
  })

  it('has no braces without labels, except around the bound', () => {
    expect(histogramText(family, new Histogram('', bounds), TEXT)).toBe(
      'took_bucket{le="0.5"} 0\ntook_bucket{le="1"} 0\ntook_bucket{le="+Inf"} 0\ntook_sum 0\ntook_count 0\n',
    )
  })
})

describe('the text of a registry', () => {
  const registry = (text: string, contentType = 'text/plain') => ({
    contentType,
    metrics: async () => text,
    getMetricsAsArray: () => [{ name: 'a' }, { name: 'b' }],
  })

  it.each([
    ['', ''],
    ['a 1', 'a 1\n'],
    ['a 1\n', 'a 1\n'],
    ['a 1\n# EOF\n', 'a 1\n'],
    ['# EOF\n', ''],
  ])('ends with a line break, but without the mark of its end: %j', async (text, expected) => {
    expect(await readRegistry(registry(text))).toEqual({
      names: new Set(['a', 'b']),
      text: expected,
    })
  })

  it('determines the format of the scrape', () => {
    expect(formatOf(registry('', 'text/plain; version=0.0.4'))).toBe(TEXT)
    expect(formatOf(registry('', 'application/openmetrics-text; version=1.0.0'))).toBe(OPEN)
  })
})
