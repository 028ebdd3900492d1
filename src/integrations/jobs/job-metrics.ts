import type { Clock, DatabaseLink, Logger, Metric, MetricSample } from '../../index.js'

/** Dependencies of the metrics of jobs. */
export interface JobMetricsConfig {
  readonly link: DatabaseLink
  readonly schema: string
  readonly clock: Clock
  readonly logger: Logger
}

type Counts = Readonly<Record<'name' | 'waiting' | 'running' | 'failed' | 'oldest', unknown>>

/** How long counts are used again, in milliseconds. */
const FRESH_MS = 5000

/** The metrics of the queues, by job. A scrape shows the counts of the one before: reading them takes a query. */
export function jobMetrics(config: JobMetricsConfig): Metric[] {
  const counts = new QueueCounts(config)
  const gauge = (name: string, help: string, column: keyof Counts): Metric => ({
    name,
    help,
    type: 'gauge',
    read: () => counts.read(column),
  })
  return [
    gauge('jobs_waiting', 'Jobs that are due and that no worker has taken.', 'waiting'),
    gauge('jobs_running', 'Jobs that run.', 'running'),
    gauge('jobs_failed', 'Jobs that have failed in all their runs, and are kept.', 'failed'),
    gauge('jobs_oldest_seconds', 'How long the oldest job that is due has waited.', 'oldest'),
  ]
}

class QueueCounts {
  readonly #config: JobMetricsConfig
  #rows: readonly Counts[] = []
  #freshUntil = Number.NEGATIVE_INFINITY

  constructor(config: JobMetricsConfig) {
    this.#config = config
    this.#refresh()
  }

  read(column: keyof Counts): MetricSample[] {
    if (this.#config.clock.monotonic() >= this.#freshUntil) this.#refresh()
    return this.#rows.map((row) => ({
      value: Number(row[column]),
      labels: { job: String(row.name) },
    }))
  }

  #refresh(): void {
    const { clock, link, schema, logger } = this.#config
    this.#freshUntil = clock.monotonic() + FRESH_MS
    link.run(countsOf(schema)).then(
      (rows) => {
        this.#rows = rows as Counts[]
      },
      (err) => logger.warn({ err }, 'The jobs could not be counted'),
    )
  }
}

function countsOf(schema: string): string {
  const due = `j.state < 'active' and j.start_after <= ${schema}.job_now()`
  return `select q.name, count(j.id) filter (where ${due}) as waiting, count(j.id) filter (where j.state = 'active') as running,
      count(j.id) filter (where j.state = 'failed') as failed,
      coalesce(extract(epoch from ${schema}.job_now() - min(j.start_after) filter (where ${due})), 0) as oldest
    from ${schema}.queue q left join ${schema}.job j on j.name = q.name
    where q.name not like '\\_\\_%' group by q.name order by q.name`
}
