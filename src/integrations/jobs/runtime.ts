import { randomUUID } from 'node:crypto'
import type { ConstructorOptions } from 'pg-boss'
import {
  type Class,
  Clock,
  type DatabaseLink,
  Metrics,
  type PluginContext,
  TenantStates,
  UnderTest,
} from '../../index.js'
import { bossDatabase, followTests } from './boss-database.js'
import type { JobDefinition } from './define-job.js'
import { Drain } from './drain.js'
import { findWork, type Work } from './find-work.js'
import { jobMetrics } from './job-metrics.js'
import type { JobsSettings } from './jobs-options.js'
import { type Boss, loadBoss } from './load-boss.js'
import { checkSchedules } from './schedules.js'
import type { Jobs, SenderParts } from './sender.js'
import { Settlement } from './settlement.js'
import { Workers } from './workers.js'

/** How often lost jobs are looked for, in seconds: each waits at most twice this time longer than its timeout. */
const SUPERVISE_SECONDS = 10
/** After this time without a look for jobs, the workers are not well. */
const SILENT_MS = 60_000
const LONGEST_DELAY_SECONDS = 3600

/** The input of {@link Runtime}. */
export interface RuntimeConfig {
  readonly settings: JobsSettings
  readonly link: DatabaseLink
  readonly sender: Jobs
}

/** The state of `jobs()` in one application. */
export class Runtime {
  /** The jobs of a test. */
  readonly drain: Drain = new Drain()
  readonly #config: RuntimeConfig
  #boss: Boss | undefined
  #workers: Workers | undefined

  constructor(config: RuntimeConfig) {
    this.#config = config
  }

  /** Opens the queues. */
  async start(context: PluginContext, classes: readonly Class[]): Promise<void> {
    const { link, settings } = this.#config
    const { schema } = settings
    const { get, logger } = context
    const [clock, isTest] = [get(Clock), get(UnderTest)]
    const isWorking = settings.work && !isTest
    const database = bossDatabase(link, isTest ? clock : null)
    const boss = await this.#createBoss({
      db: database.own,
      supervise: isWorking,
    })
    boss.on('error', (err) => logger.error({ err }, 'A queue of jobs has failed'))
    const works = findWork(context, classes)
    checkSchedules(boss, works.values())
    // A test answers in place of the database.
    if (!link.isReal) return void this.#open(works, context, async () => randomUUID())
    await boss.start()
    this.#boss = boss
    if (isTest) await followTests(link, schema)
    for (const { job } of works.values()) await openQueue(boss, job)
    const insert: SenderParts['insert'] = (name, envelope, options) =>
      database.join((db) => boss.send(name, envelope, { ...options, db }))
    this.#open(works, context, insert)
    const settlement = new Settlement(boss, database)
    const parts = {
      ...{ boss, database, works, schema, clock, link, settlement, logger, insert },
      stateOf: get(TenantStates),
    }
    if (isTest) await this.drain.start(parts)
    if (!isWorking) return
    const concurrency = settings.concurrency ?? Math.max(1, Math.floor(link.connections / 2))
    this.#workers = new Workers({ ...parts, concurrency })
    for (const metric of jobMetrics(parts)) get(Metrics).add(metric)
  }

  async #createBoss(options: ConstructorOptions): Promise<Boss> {
    const { settings, link } = this.#config
    const PgBoss = await loadBoss()
    return new PgBoss({
      ...options,
      schema: settings.schema,
      migrate: settings.migrate,
      backend: link.isEmbedded ? 'pglite' : 'postgres',
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
      schedule: false,
      openTelemetry: { enabled: true, propagateContext: true },
    })
  }

  #open(
    works: ReadonlyMap<string, Work>,
    { usesTenants, get }: PluginContext,
    insert: SenderParts['insert'],
  ): void {
    const { link, sender } = this.#config
    const clock = get(Clock)
    const onSent: SenderParts['onSent'] = (sent) => {
      if (get(UnderTest)) this.drain.sent.push(sent)
      this.#workers?.wake(sent.name)
    }
    sender.start({ link, insert, works, usesTenants, now: () => clock.now(), onSent })
  }

  /** Everything is constructed: jobs may run. */
  async onReady(): Promise<void> {
    await this.#workers?.start()
  }

  async onClosing(graceMs: number): Promise<void> {
    await this.#workers?.leave(graceMs)
  }

  async onClose(): Promise<void> {
    await this.#boss?.stop({ graceful: false })
  }

  /** Throws if no worker has looked for jobs for a while, and none is busy. */
  check(): void {
    if (this.#workers === undefined || this.#boss === undefined || this.#workers.running > 0) return
    const times = this.#boss
      .getWipData()
      .map(({ lastFetchedOn, createdOn }) => lastFetchedOn ?? createdOn)
    if (times.length > 0 && Math.max(...times) < Date.now() - SILENT_MS) {
      throw new Error('No worker has looked for jobs for a minute.')
    }
  }
}

/** Makes the queue of a job, or gives it the options that the job has now. */
async function openQueue(boss: Boss, job: JobDefinition): Promise<void> {
  const options = {
    retryLimit: job.retries,
    retryDelay: job.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: LONGEST_DELAY_SECONDS,
    expireInSeconds: job.timeoutSeconds,
    deleteAfterSeconds: job.keepSeconds,
  }
  // It has no effect on a queue that exists.
  await boss.createQueue(job.name, { ...options, policy: job.policy })
  await boss.updateQueue(job.name, options)
}
