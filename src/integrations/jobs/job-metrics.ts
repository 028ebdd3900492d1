import type { QueueResult } from 'pg-boss'
import type { Metric } from '../../index.js'
import type { Parts } from './parts.js'

/** How long counts are used again, in milliseconds. */
const FRESH_MS = 5000

/**
 * The metrics of the queues, by job. pg-boss counts its jobs every ten seconds, in one process. A scrape shows the counts of
 * the one before, because reading them takes a query.
 */
export function jobMetrics({ queues, works, clock, logger }: Parts): Metric[] {
  let found: readonly QueueResult[] = []
  let freshUntil = Number.NEGATIVE_INFINITY
  const refresh = async () => {
    freshUntil = clock.monotonic() + FRESH_MS
    found = await queues.boss.getQueues([...works.keys()])
  }
  const gauge = (
    name: string,
    help: string,
    of: (queue: QueueResult) => number | null,
  ): Metric => ({
    name: `jobs_${name}`,
    help,
    type: 'gauge',
    read() {
      if (clock.monotonic() >= freshUntil)
        refresh().catch((err) => logger.warn({ err }, 'The jobs could not be counted'))
      return found.map((queue) => ({ value: of(queue) ?? 0, labels: { job: queue.name } }))
    },
  })
  return [
    gauge('waiting', 'Jobs that are due and that no worker has taken.', (q) => q.readyCount),
    gauge('running', 'Jobs that run.', (q) => q.activeCount),
    gauge('failed', 'Jobs that have failed in all their runs, and are kept.', (q) => q.failedCount),
    gauge(
      'oldest_seconds',
      'How long the oldest job that is due has waited.',
      (q) => q.readyOldestSeconds,
    ),
  ]
}
