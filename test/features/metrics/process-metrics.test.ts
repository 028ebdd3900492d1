import { performance } from 'node:perf_hooks'
import { expect, it, onTestFinished } from 'vitest'
import type { MetricSample } from '../../../src/contracts/reports.js'
import { startProcessMetrics } from '../../../src/features/metrics/process-metrics.js'

function started() {
  const { metrics, pauses, close } = startProcessMetrics()
  onTestFinished(close)
  const read = (name: string) => metrics.find((each) => each.name === name)?.read()
  return { read, pauses, metrics }
}

it('the metrics of the process have the units in their names', () => {
  const { read } = started()
  const between = (name: string, value: () => number) => {
    const before = value()
    const found = read(name)
    expect([name, found]).toEqual([name, expect.toSatisfy((each: number) => each >= before)])
    expect([name, found]).toEqual([name, expect.toSatisfy((each: number) => each <= value())])
  }
  between('process_cpu_user_seconds_total', () => process.cpuUsage().user / 1e6)
  between('process_cpu_system_seconds_total', () => process.cpuUsage().system / 1e6)
  between('process_start_time_seconds', () => performance.timeOrigin / 1000)
  const [active, idle] = read('nodejs_eventloop_time_seconds_total') as [MetricSample, MetricSample]
  const utilization = performance.eventLoopUtilization()
  expect(active.labels).toEqual({ state: 'active' })
  expect(active.value).toBeLessThanOrEqual(utilization.active / 1000)
  expect(active.value).toBeGreaterThan(0)
  expect(idle.labels).toEqual({ state: 'idle' })
  expect(idle.value).toBeLessThanOrEqual(utilization.idle / 1000)
})

it('the delay of the event loop is reported in seconds, and measured again after each scrape', async () => {
  const { read } = started()
  const names = ['p50', 'p99', 'max'].map((each) => `nodejs_eventloop_lag_${each}_seconds`)
  // The timer of the measurement has fired several times.
  while ((read(names[1] as string) as number) < 1e-6) await new Promise(setImmediate)
  const [p50, p99, max] = names.map(read) as [number, number, number]
  expect(p50).toBeLessThanOrEqual(p99)
  expect(p99).toBeLessThan(2 * max)
  // A day has fewer seconds, and a millisecond has more nanoseconds.
  expect(max).toBeLessThan(86_400)
  expect(read(names[2] as string)).toBe(0)
})

it('the pauses of the garbage collector have one series for each kind', () => {
  const { pauses, metrics } = started()
  expect(pauses.family.name).toBe('nodejs_gc_duration_seconds')
  expect(pauses.series.map(({ labels }) => labels)).toEqual([
    'kind="minor"',
    'kind="major"',
    'kind="incremental"',
    'kind="weakcb"',
  ])
  for (const { name, type } of metrics) expect(type === 'counter').toBe(name.endsWith('_total'))
})
