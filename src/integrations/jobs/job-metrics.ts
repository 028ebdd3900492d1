import type { QueueResult } from 'pg-boss'
import type { Metric } from '../../plugin/index.js'
import type { JobsDeps } from './jobs-deps.js'

type Count = 'readyCount' | 'activeCount' | 'failedCount' | 'readyOldestSeconds'

/** How long counts are used again, in milliseconds. */
const FRESH_MS = 5000

/**
 * The metrics of the queues, by job. pg-boss counts its jobs every ten seconds, in one process. A scrape shows the counts of
 * the one before, because reading them takes a query.
 */
export function jobMetrics({ queues, works, clock, logger }: JobsDeps): Metric[] {
  let found: readonly QueueResult[] = []
  let freshUntil = Number.NEGATIVE_INFINITY
  const refresh = () => {
    freshUntil = clock.monotonic() + FRESH_MS
    queues.boss.getQueues([...works.keys()]).then(
      (queues) => (found = queues),
      (err) => logger.warn({ err }, 'The jobs could not be counted'),
    )
  }
  const gauge = (name: string, count: Count, help: string): Metric => ({
    name: `jobs_${name}`,
    help,
    type: 'gauge',
    read() {
      if (clock.monotonic() >= freshUntil) refresh()
      return found.map((queue) => ({ value: queue[count] ?? 0, labels: { job: queue.name } }))
    },
  })
  refresh()
  return [
    gauge('waiting', 'readyCount', 'Jobs that are due and that no worker has taken.'),
    gauge('running', 'activeCount', 'Jobs that run.'),
    gauge('failed', 'failedCount', 'Jobs that have failed in all their runs, and are kept.'),
    gauge('oldest_seconds', 'readyOldestSeconds', 'How long the oldest of them has waited.'),
  ]
}
