import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import type { Metric } from '../../contracts/reports.js'
import { Histogram, type HistogramFamily, labelText } from './exposition.js'

/** The process metrics, and the function that stops the measurement. */
export interface ProcessMetrics {
  readonly metrics: readonly Metric[]
  readonly pauses: { readonly family: HistogramFamily; readonly series: readonly Histogram[] }
  close(): void
}

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6
const MILLISECONDS = 1e3
/** The interval at which the delay of the event loop is measured, in milliseconds. */
const RESOLUTION = 10

const PAUSES: HistogramFamily = {
  name: 'nodejs_gc_duration_seconds',
  help: 'Garbage collection pauses.',
  bounds: Float64Array.of(0.001, 0.01, 0.1, 1, 2, 5),
}

/** The kinds of garbage collection, by the numbers that Node reports. */
const KINDS: Readonly<Record<number, string>> = {
  1: 'minor',
  4: 'major',
  8: 'incremental',
  16: 'weakcb',
}

/** A performance entry of the garbage collector. The types for older Node versions do not describe it. */
interface PauseEntry {
  readonly duration: number
  readonly detail?: { readonly kind?: number }
}

/**
 * Starts to measure the process. The metrics have the same names as in `prom-client`, so that dashboards made for it
 * work.
 */
export function startProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  const pauses = new Map(
    Object.values(KINDS).map((kind) => [kind, new Histogram(labelText({ kind }), PAUSES.bounds)]),
  )
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as PauseEntry[]) {
      const kind = KINDS[detail?.kind ?? 0]
      if (kind !== undefined) pauses.get(kind)?.observe(duration / MILLISECONDS)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    metrics: [...cpuAndMemory(), ...eventLoop(delay)],
    pauses: { family: PAUSES, series: [...pauses.values()] },
    close() {
      observer.disconnect()
      delay.disable()
    },
  }
}

function cpuAndMemory(): Metric[] {
  const startedAt = performance.timeOrigin / MILLISECONDS
  return [
    counter('process_cpu_user_seconds_total', 'CPU time in user mode.', () => {
      return process.cpuUsage().user / MICROSECONDS
    }),
    counter('process_cpu_system_seconds_total', 'CPU time in system mode.', () => {
      return process.cpuUsage().system / MICROSECONDS
    }),
    gauge(
      'process_start_time_seconds',
      'The start time of the process, in seconds since 1970.',
      () => startedAt,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    gauge('nodejs_heap_size_total_bytes', 'Reserved heap memory.', () => {
      return process.memoryUsage().heapTotal
    }),
    gauge('nodejs_heap_size_used_bytes', 'Used heap memory.', () => {
      return process.memoryUsage().heapUsed
    }),
    gauge(
      'nodejs_external_memory_bytes',
      'Memory of buffers and other objects outside the heap.',
      () => {
        return process.memoryUsage().external
      },
    ),
  ]
}

/**
 * Returns the metrics of the event loop. The delay is measured since the last scrape. The time in the loop is a
 * counter, so several scrapers can read it.
 */
function eventLoop(delay: ReturnType<typeof monitorEventLoopDelay>): Metric[] {
  const quantile = (percentile: number) => () => delay.percentile(percentile) / NANOSECONDS
  const loop = 'The delay of the event loop since the last scrape'
  return [
    gauge('nodejs_eventloop_lag_p50_seconds', `${loop}: the median.`, quantile(50)),
    gauge('nodejs_eventloop_lag_p99_seconds', `${loop}: the 99th percentile.`, quantile(99)),
    gauge('nodejs_eventloop_lag_max_seconds', `${loop}: the longest.`, () => {
      const longest = delay.max / NANOSECONDS
      // This is the last of the three values to be read, so a new measurement starts here.
      delay.reset()
      return longest
    }),
    {
      name: 'nodejs_eventloop_time_seconds_total',
      help: 'The time that the event loop was active or idle.',
      type: 'counter',
      read() {
        const { active, idle } = performance.eventLoopUtilization()
        return [
          { labels: { state: 'active' }, value: active / MILLISECONDS },
          { labels: { state: 'idle' }, value: idle / MILLISECONDS },
        ]
      },
    },
  ]
}

function gauge(name: string, help: string, read: () => number): Metric {
  return { name, help, type: 'gauge', read }
}

function counter(name: string, help: string, read: () => number): Metric {
  return { name, help, type: 'counter', read }
}
