import type { QueueResult } from 'pg-boss'
import { Clock, type DatabaseLink, Metrics } from '../../index.js'
import {
  type DrainOptions,
  type JobRunReport,
  type Metric,
  type PluginContext,
  type SentJob,
  TenantStates,
  type TestJobs,
  UnderTest,
} from '../../plugin/index.js'
import { type Boss, bossDatabase, followTests, loadBoss } from './boss.js'
import type { JobsSettings } from './jobs-options.js'
import { type JobsDeps, Queues } from './queues.js'
import { runJob } from './run-job.js'
import { checkSchedules, planSchedules } from './schedules.js'
import type { Jobs } from './sender.js'
import { findWork } from './worker.js'
import { Workers } from './workers.js'

/**
 * The interval of the search for lost jobs, in seconds. A lost job waits at most twice this interval beyond its
 * timeout.
 */
const SUPERVISE_SECONDS = 10
/** Workers are unhealthy if they have not looked for jobs for this long. */
const SILENT_MS = 60_000

/** The state of `jobs()` in one application. */
export class Runtime {
  /** The jobs that a test runs. */
  readonly drain: Drain = new Drain()
  #boss: Boss | undefined
  #workers: Workers | undefined

  constructor(
    private readonly settings: JobsSettings,
    private readonly link: DatabaseLink,
  ) {}

  /** Connects to the database and opens the queues. */
  async start(sender: Jobs, context: PluginContext): Promise<void> {
    const { link, settings } = this
    const { schema, workers } = settings
    const { get, logger, usesTenants } = context
    const [clock, isTest] = [get(Clock), get(UnderTest)]
    const isWorking = settings.work && !isTest
    const database = bossDatabase(link, isTest ? clock : null)
    const PgBoss = await loadBoss()
    const boss = new PgBoss({
      ...{ db: database.own, schema, migrate: settings.migrate, schedule: false },
      backend: link.isEmbedded ? 'pglite' : 'postgres',
      supervise: isWorking,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
      openTelemetry: { enabled: true, propagateContext: true },
    })
    boss.on('error', (err) => logger.error({ err }, 'A job queue has failed'))
    const works = findWork(context, workers)
    checkSchedules(boss, works)
    const queues = new Queues(boss, database, link.isReal)
    const onSent = (sent: SentJob) => {
      if (isTest) this.drain.sent.push(sent)
      this.#workers?.wake(sent.name)
    }
    const app = { link, clock, logger, usesTenants, stateOf: get(TenantStates) }
    const parts = { ...app, queues, schema, works, onSent }
    sender.parts = parts
    if (!link.isReal) return
    await boss.start()
    this.#boss = boss
    if (isTest) await followTests(link, schema)
    for (const { job } of works.values()) await queues.open(job)
    if (isTest) await this.drain.start(parts)
    if (!isWorking) return
    const half = Math.max(1, Math.floor(link.connections / 2))
    this.#workers = new Workers(parts, settings.concurrency ?? half)
    for (const metric of jobMetrics(parts)) get(Metrics).add(metric)
  }

  /** Starts the workers, because all instances have been created. */
  async onReady(): Promise<void> {
    await this.#workers?.start()
  }

  async onClosing(graceMs: number): Promise<void> {
    await this.#workers?.leave(graceMs)
  }

  async onClose(): Promise<void> {
    await this.#boss?.stop({ graceful: false })
  }

  /** Throws if no worker has looked for jobs recently and none is busy. */
  check(): void {
    if (this.#workers === undefined || this.#boss === undefined || this.#workers.running > 0) return
    const wip = this.#boss.getWipData()
    const times = wip.map(({ lastFetchedOn, createdOn }) => lastFetchedOn ?? createdOn)
    if (times.length > 0 && Math.max(...times) < Date.now() - SILENT_MS)
      throw new Error('No worker has looked for jobs for a minute.')
  }
}

/** How long counts are cached, in milliseconds. */
const FRESH_MS = 5000
/** The name and the description of each metric, keyed by its count. */
const COUNTS = {
  readyCount: ['jobs_waiting', 'Due jobs that are not yet running.'],
  activeCount: ['jobs_running', 'Jobs that are running.'],
  failedCount: ['jobs_failed', 'Stored jobs that failed in every run.'],
  readyOldestSeconds: ['jobs_oldest_seconds', 'The waiting time of the oldest due job.'],
} as const

/**
 * Returns the queue metrics for each job. pg-boss counts its jobs every ten seconds, in one process. A scrape returns
 * the counts that the previous scrape requested, so that it does not wait for queries.
 */
function jobMetrics({ queues, works, clock, logger, schema }: JobsDeps): Metric[] {
  const { boss, database } = queues
  // pg-boss measures the waiting time of the oldest job only if it also stores a history.
  const oldest = `select name, extract(epoch from ${schema}.job_now() - min(start_after))::float8 as seconds
    from ${schema}.job where state < 'active' and start_after <= ${schema}.job_now() group by name`
  let found: readonly QueueResult[] = []
  let freshUntil = Number.NEGATIVE_INFINITY
  const count = async () => {
    const { rows } = await database.own.executeSql(oldest)
    const ages = new Map(rows.map(({ name, seconds }) => [name, seconds]))
    const counted = await boss.getQueues([...works.keys()])
    found = counted.map((queue) => ({ ...queue, readyOldestSeconds: ages.get(queue.name) ?? 0 }))
  }
  const refresh = () => {
    freshUntil = clock.monotonic() + FRESH_MS
    count().catch((err) => logger.warn({ err }, 'The jobs could not be counted'))
  }
  const read = (count: keyof typeof COUNTS) => {
    if (clock.monotonic() >= freshUntil) refresh()
    return found.map((queue) => ({ value: queue[count] ?? 0, labels: { job: queue.name } }))
  }
  refresh()
  return Object.entries(COUNTS).map(([count, [name, help]]) => {
    return { name, help, type: 'gauge', read: () => read(count as keyof typeof COUNTS) }
  })
}

/** The number of runs after which `drain` assumes that a job keeps sending itself. */
const MOST_RUNS = 10_000

/** Runs an application's jobs in a test, on demand. */
class Drain implements TestJobs {
  readonly sent: SentJob[] = []
  #parts: JobsDeps | undefined

  get known(): TestJobs['known'] {
    const works = [...(this.#parts?.works.values() ?? [])].filter((work) => work.schedule === null)
    return new Map(works.map(({ job }) => [job.name, job]))
  }

  async start(parts: JobsDeps): Promise<void> {
    this.#parts = parts
    await planSchedules(parts)
  }

  async drain({ failures = 'throw' }: DrainOptions = {}): Promise<readonly JobRunReport[]> {
    const reports: JobRunReport[] = []
    const parts = this.#parts
    if (parts === undefined) return reports
    // The test may have moved its clock since startup.
    await planSchedules(parts)
    for (let run = await runNext(parts); run !== null; run = await runNext(parts)) {
      reports.push(run)
      if (parts.works.get(run.name)?.schedule !== null) await planSchedules(parts)
      if (reports.length > MOST_RUNS)
        throw new Error(`drain(): some jobs are still due after ${MOST_RUNS} runs.`)
    }
    const failed = reports.find((report) => 'error' in report)
    if (failed !== undefined && failures === 'throw') throw failed.error
    return reports
  }
}

/** Runs the first due job; `null` if none is due. */
async function runNext(parts: JobsDeps): Promise<JobRunReport | null> {
  const { queues, works, schema } = parts
  const next = `select name from ${schema}.job
    where state < 'active' and start_after <= ${schema}.job_now() and name = any($1)
    order by start_after, created_on limit 1`
  const { rows } = await queues.database.own.executeSql(next, [[...works.keys()]])
  const work = works.get(rows[0]?.name)
  if (work === undefined) return null
  const [job] = await queues.boss.fetch<object>(work.job.name, { includeMetadata: true })
  const signal = AbortSignal.timeout(work.job.timeout * 1000)
  return job === undefined ? null : await runJob(work, { ...job, signal }, parts)
}
