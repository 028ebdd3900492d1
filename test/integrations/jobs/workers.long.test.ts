import {
  App,
  type AppOptions,
  DatabaseLink,
  inject,
  Metrics,
  type Plugin,
  runWithTenant,
} from 'blazon'
import { defineJob, Job, type JobOf, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { gate } from '../../journeys/gate.js'
import { rounds } from '../../rounds.js'
import { Folder, ownServerDatabase } from '../postgres/own-database.js'
import { until } from '../until.js'
import { describeServerJobs } from './worker-process.js'

const Step = defineJob('step', {
  input: z.object({ fail: z.boolean().default(false) }),
  retries: 0,
  concurrency: 4,
  perTenant: 2,
})
/** One runs, and the others wait. */
const Held = defineJob('held', { concurrency: 1, timeout: '5m', retries: 0 })
const Slow = defineJob('slow', { timeout: '1s', retries: 1, retryDelay: 0 })

const order: (string | null)[] = []
let slowRuns = 0
let held = gate()
/** The number of runs of `Held`. */
let runs = 0

@Worker()
class Steps {
  private readonly db = inject(Database)

  @Job(Step)
  async step({ tenant, input }: JobOf<typeof Step>) {
    await this.db.query('select 1')
    order.push(tenant)
    if (input.fail) throw new Error('as wanted')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }

  @Job(Held)
  held() {
    runs++
    return held.opened
  }

  @Job(Slow)
  async slow({ signal }: JobOf<typeof Slow>) {
    if (++slowRuns > 1) return
    await this.db.query('insert into marks values (1)')
    // It ignores its signal.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    expect(signal.aborted).toBe(true)
    await this.db.query('insert into marks values (2)')
  }
}

const TABLE = new Folder({
  '0001_marks.sql': 'create table marks (n integer); grant all on marks to public',
})

/** Makes 10,000 of a hundred jobs. */
const COPIES = `insert into blazon_jobs.job (name, data, group_id, retry_limit, expire_seconds, policy)
  select name, data, group_id, retry_limit, expire_seconds, policy
  from blazon_jobs.job, generate_series(1, 99) where name = 'step'`

describeServerJobs('workers on a server', () => {
  const start = async ({ plugins = [], ...more }: Partial<AppOptions> = {}) => {
    const own = await ownServerDatabase()
    order.length = 0
    slowRuns = 0
    const { tenantRole, allTenantsRole, options } = own
    const app = await App.create({
      tenant: {},
      logger: { level: 'fatal' },
      ...more,
      plugins: [
        postgres({ ...options, tenantRole, allTenantsRole, migrations: TABLE.path }),
        ...plugins,
        jobs({ work: true, workers: [Steps], concurrency: 4 }),
      ],
    })
    const send = (tenant: string, fail = false) =>
      runWithTenant(tenant, () => app.get(Jobs).send(Step, { fail }))
    return {
      app,
      send,
      own,
      [Symbol.asyncDispose]: async () => {
        await app.close()
        await own[Symbol.asyncDispose]()
      },
    }
  }

  it('start at most four jobs of a busy tenant before the job of another tenant', async () => {
    await using running = await start()
    const { app, send } = running
    const db = app.get(Database)
    await runWithTenant('greedy', () =>
      db.transaction(async () => {
        for (let count = 0; count < 100; count++) await app.get(Jobs).send(Step, { fail: false })
        await app.get(DatabaseLink).join((query) => query(COPIES))
      }),
    )
    const count = `select count(*)::int as n from blazon_jobs.job where group_id = 'greedy'`
    expect(await app.get(DatabaseLink).run(count)).toEqual([{ n: 10_000 }])
    // Often, because the order of a claim and an end is a matter of chance.
    const passed: number[] = []
    for (let sent = 0; sent < rounds(30, 8); sent++) {
      order.length = 0
      await until(() => order.length > 3)
      await send('other')
      const before = order.length
      await until(() => order.includes('other'))
      passed.push(order.indexOf('other') - before)
    }
    console.info(`Jobs of the greedy tenant that began before it: ${passed.join(', ')}`)
    // Jobs that began between the send and the run of the other: two slots may end meanwhile.
    expect(Math.max(...passed)).toBeLessThanOrEqual(4)
  })

  it('end a job at its timeout, undo its effects, and run the job again', async () => {
    await using running = await start()
    await runWithTenant('acme', () => running.app.get(Jobs).send(Slow))
    await until(() => slowRuns === 2)
    const { app } = running
    const all = (text: string) =>
      app.get(Database).withoutTenant('look', () => app.get(Database).query(text))
    await new Promise((resolve) => setTimeout(resolve, 3500))
    expect((await all('select n from marks')).rows).toEqual([])
    const states = `select state, retry_count from blazon_jobs.job where name = 'slow'`
    expect(await app.get(DatabaseLink).run(states)).toEqual([
      { state: 'completed', retry_count: 1 },
    ])
  })

  it('record metrics for jobs', async () => {
    await using running = await start()
    const { app } = running
    held = gate()
    await running.send('acme', true)
    for (let count = 0; count < 2; count++)
      await runWithTenant('acme', () => app.get(Jobs).send(Held))
    const read = (name: string, job = 'step') => {
      const metric = app
        .get(Metrics)
        .list()
        .find((each) => each.name === name)
      const samples = metric?.read()
      return Array.isArray(samples)
        ? samples.find((each) => each.labels.job === job)?.value
        : undefined
    }
    await until(() => read('jobs_failed') === 1 && read('jobs_running', 'held') === 1)
    expect(read('jobs_waiting', 'held')).toBe(1)
    expect(read('jobs_oldest_seconds', 'held')).toBeGreaterThan(0)
    held.open()
    expect(read('jobs_waiting')).toBe(0)
    expect(read('jobs_running')).toBe(0)
    expect(read('jobs_oldest_seconds')).toBe(0)
  })

  it('return a job to the queue at shutdown, also after its last attempt, and log that it will run again', async () => {
    let states: unknown
    // It closes after the jobs, and before the database.
    const plugin: Plugin = {
      name: 'look',
      onClose: async () => {
        const text = `select state::text from blazon_jobs.job where name = 'held'`
        states = await app.get(DatabaseLink).run(text)
      },
    }
    const messages: string[] = []
    const note = (_facts: object, message: string) => void messages.push(message)
    const logger = { info: note, warn: note, error: note }
    await using running = await start({
      logger,
      timeouts: { close: '200ms' },
      plugins: [plugin],
    })
    const { app } = running
    held = gate()
    runs = 0
    await runWithTenant('acme', () => app.get(Jobs).send(Held))
    await until(() => runs === 1)
    await app.close()
    expect(states).toEqual([{ state: 'created' }])
    expect(messages).toContain('A job has failed, and will run again')
    expect(messages).not.toContain('A job has failed, and will not run again')
  })
})
