import type { MetricReading, MetricsSnapshot } from '../../contracts/worker.js'

/** What the metrics of the primary are read from. */
export interface OwnMetricsSources {
  readonly crew: { readonly members: readonly unknown[] }
  readonly hub: { readonly unanswered: number }
  /** How many workers were started. */
  readonly started: number
}

/** The metrics that only the primary knows. */
export function ownMetrics({ crew, hub, started }: OwnMetricsSources): MetricsSnapshot {
  const metrics: MetricReading[] = [
    {
      name: 'workers_running',
      help: 'Processes that run the application, with those that are being replaced.',
      type: 'gauge',
      samples: [{ value: crew.members.length }],
    },
    {
      name: 'workers_started_total',
      help: 'Processes that were started, also in place of others.',
      type: 'counter',
      samples: [{ value: started }],
    },
    {
      name: 'workers_unanswered_total',
      help: 'How often a process did not answer a scrape in time, so that its last values were used.',
      type: 'counter',
      samples: [{ value: hub.unanswered }],
    },
  ]
  return { metrics, histograms: [], registry: null }
}
