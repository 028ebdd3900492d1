import type { Clock, DatabaseLink, LinkRow, Logger, Metric } from '../../index.js'

/** Dependencies of the metrics of jobs. */
export interface JobMetricsConfig {
  readonly link: DatabaseLink
  readonly schema: string
  readonly clock: Clock
  readonly logger: Logger
}

/** How long counts are used again, in milliseconds. */
const FRESH_MS = 5000

/** The metrics of the queues, by job. A scrape shows the counts of the one before: reading them takes a query. */
export function jobMetrics({ link, schema, clock, logger }: JobMetricsConfig): Metric[] {
  let rows: readonly LinkRow[] = []
  let freshUntil = Number.NEGATIVE_INFINITY
  const refresh = () => {
    freshUntil = clock.monotonic() + FRESH_MS
    link.run(countsOf(schema)).then(
      (found) => {
        rows = found
      },
      (err) => logger.warn({ err }, 'The jobs could not be counted'),
    )
  }
  const gauge = (column: string, help: string): Metric => ({
    name: `jobs_${column}`,
    help,
    type: 'gauge',
    read() {
      if (clock.monotonic() >= freshUntil) refresh()
      return rows.map((row) => ({
        value: Number(row[column]),
        labels: { job: String(row['name']) },
      }))
    },
  })
  refresh()
  return [
    gauge('waiting', 'Jobs that are due and that no worker has taken.'),
    gauge('running', 'Jobs that run.'),
    gauge('failed', 'Jobs that have failed in all their runs, and are kept.'),
    gauge('oldest_seconds', 'How long the oldest job that is due has waited.'),
  ]
}

function countsOf(schema: string): string {
  const due = `j.state < 'active' and j.start_after <= ${schema}.job_now()`
  return `select q.name, count(j.id) filter (where ${due}) as waiting, count(j.id) filter (where j.state = 'active') as running,
      count(j.id) filter (where j.state = 'failed') as failed,
      coalesce(extract(epoch from ${schema}.job_now() - min(j.start_after) filter (where ${due})), 0) as oldest_seconds
    from ${schema}.queue q left join ${schema}.job j on j.name = q.name
    where q.name not like '\\_\\_%' group by q.name order by q.name`
}
