import {
  type AuthGuard,
  BadRequestError,
  Body,
  Controller,
  DatabaseLink,
  defineControllers,
  getTenantId,
  HttpError,
  inject,
  Log,
  Outgoing,
  Post,
  runWithTenant,
  Tenant,
  type TenantInfo,
} from 'blazon'
import { Cron, defineJob, Job, type JobOf, Jobs, jobs, Worker } from 'blazon/jobs'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Folder, KINDS, type OwnDatabase } from '../postgres/own-database.js'
import { runsJobs } from './support.js'

const Receipt = defineJob('receipt', {
  input: z.object({ order: z.number(), at: z.coerce.date().optional() }),
  retries: 5,
  retryDelay: '10s',
})
const Sweep = defineJob('sweep', { tenant: false })
const Once = defineJob('once', { policy: 'short', retries: 0 })
const Unworked = defineJob('unworked')

interface Seen {
  readonly id: string
  readonly input: { readonly order: number; readonly at?: Date | undefined }
  readonly attempt: number
  readonly sender: {
    readonly requestId?: string
    readonly user?: string
    readonly traceparent?: string
  }
}

const seen: Seen[] = []
let failures = 0
const cronAt: string[] = []

@Worker()
class Receipts {
  private readonly db = inject(Database)
  private readonly log = inject(Log)
  private readonly outgoing = inject(Outgoing)

  @Job(Receipt)
  async write({ id, input, attempt, sender, tenant }: JobOf<typeof Receipt>) {
    expect(getTenantId()).toBe(tenant)
    seen.push({ id, input, attempt, sender })
    await this.db.query("insert into effects values ($1, current_setting('app.tenant_id'))", [id])
    this.log.info({ order: input.order }, 'Written')
    if (failures-- > 0) throw new Error('The printer has no paper')
    if (input.order === 99) {
      await this.outgoing('https://mail.example/send', { method: 'POST', body: '{}' })
      await this.outgoing('https://mail.example/send', { method: 'POST', body: '{}' })
    }
  }

  @Job(Sweep)
  async sweep() {
    expect(getTenantId()).toBeUndefined()
    const count = () => this.db.sql<{ n: number }>`select count(*)::int as n from effects`
    const [row] = await this.db.withoutTenant('sweep', count)
    this.log.info({ count: row?.n }, 'Swept')
  }

  @Job(Once)
  once() {}

  @Cron('0 3 * * *', { zone: 'Europe/Vienna', name: 'nightly' })
  nightly() {
    cronAt.push('nightly')
  }
}

@Controller('orders')
class Orders {
  private readonly jobs = inject(Jobs)

  @Tenant()
  @Body(z.object({ order: z.any(), fail: z.boolean().optional() }))
  @Post()
  async create(req: { body: { order: number; fail?: boolean | undefined } }) {
    const id = await this.jobs.send(Receipt, { order: req.body.order })
    if (req.body.fail === true) throw new BadRequestError('refused after the send')
    return { id }
  }
}

const guard: AuthGuard = {
  canActivate(req) {
    req.user = { id: 'u-7' }
    return true
  },
}

const TABLE = 'create table effects (id uuid, tenant text); grant all on effects to public'
const tenants = new Map<string, TenantInfo>()
let isStoreDown = false

describe.skipIf(!runsJobs).each(KINDS)('jobs on %s', (_kind, open) => {
  let own: OwnDatabase
  const folder = new Folder({ '0001_effects.sql': TABLE })
  let app: TestApp

  beforeEach(async () => {
    seen.length = 0
    cronAt.length = 0
    failures = 0
    isStoreDown = false
    for (const id of ['acme', 'globex']) tenants.set(id, { id })
    own = await open()
    app = await TestApp.create({
      controllers: defineControllers(Orders),
      auth: { guard, default: 'protected' },
      tenant: {
        store: {
          find: async (id) => {
            if (isStoreDown) throw new Error('no connection')
            return tenants.get(id)
          },
        },
        positiveTtl: 0,
        authorize: () => true,
      },
      contract: 'off',
      plugins: [
        postgres({
          ...own.options,
          tenantRole: own.tenantRole,
          migrations: folder.path,
          allTenantsRole: own.allTenantsRole,
        }),
        jobs({ work: true, workers: [Receipts] }),
      ],
    })
  })
  afterEach(async () => {
    await app.close()
    await own[Symbol.asyncDispose]()
  })

  const order = (body: object, tenant = 'acme') =>
    app.request().post('/orders').set('x-tenant-id', tenant).send(body)
  const effects = () => app.get(DatabaseLink).run('select id, tenant from effects order by id')
  const stored = () =>
    app
      .get(DatabaseLink)
      .run(`select name, state from blazon_jobs.job where name in ('receipt', 'sweep', 'once')`)
  const send = (number: number, tenant = 'acme') =>
    runWithTenant(tenant, () => app.get(Jobs).send(Receipt, { order: number }))

  it('are discarded if their request fails after the send', async () => {
    expect((await order({ order: 1, fail: true })).status).toBe(400)
    expect(await stored()).toEqual([])
    expect(app.jobs.sent).toEqual([])
    expect(await app.jobs.drain()).toEqual([])
  })

  it('are discarded if their transaction is rolled back', async () => {
    const db = app.get(Database)
    const failing = runWithTenant('acme', () =>
      db.transaction(async () => {
        await app.get(Jobs).send(Receipt, { order: 1 })
        throw new Error('no')
      }),
    )
    await expect(failing).rejects.toThrow('no')
    expect(await stored()).toEqual([])
  })

  it('run as the tenant that sent them, and take effect once', async () => {
    const { body } = await order({ order: 1 })
    expect(app.jobs.sent).toEqual([
      { id: body.data.id, name: 'receipt', tenant: 'acme', input: { order: 1 } },
    ])
    await order({ order: 2 }, 'globex')
    const reports = await app.jobs.drain()
    expect(reports.map(({ outcome, tenant }) => [outcome, tenant])).toEqual([
      ['done', 'acme'],
      ['done', 'globex'],
    ])
    expect(await effects()).toHaveLength(2)
    expect(await effects()).toContainEqual({ id: body.data.id, tenant: 'acme' })
    expect(await app.jobs.drain()).toEqual([])
  })

  it('receive the data of their sender when they run, and add it to each log line', async () => {
    const traced = app.with({ traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` })
    await traced.request().post('/orders').set('x-tenant-id', 'acme').send({ order: 5 })
    await app.jobs.drain()
    const { requestId } = seen[0]?.sender ?? {}
    expect(requestId).toBeTypeOf('string')
    expect(seen[0]?.sender).toMatchObject({ user: 'u-7' })
    const line = app.logs.find(({ message }) => message === 'Written')
    expect(line).toMatchObject({
      facts: {
        job: 'receipt',
        jobId: seen[0]?.id,
        attempt: 1,
        requestId,
        trace_id: 'ab'.repeat(16),
        user: 'u-7',
        tenant: 'acme',
        order: 5,
      },
    })
  })

  it('run again after a failure and a delay, without the effects of the first run', async () => {
    const id = await send(1)
    failures = 1
    await expect(app.jobs.drain()).rejects.toThrow('The printer has no paper')
    expect(await effects()).toEqual([])
    expect(await app.jobs.drain()).toEqual([])
    await app.clock.advance('1m')
    expect(await app.jobs.drain()).toMatchObject([{ id, attempt: 2, outcome: 'done' }])
    expect(await effects()).toEqual([{ id, tenant: 'acme' }])
  })

  it('with five retries run at most six times under the same id, and store their error', async () => {
    const id = await send(1)
    failures = 99
    const outcomes: string[] = []
    for (let hour = 0; hour < 8; hour++) {
      const reports = await app.jobs.drain({ failures: 'keep' })
      outcomes.push(...reports.filter((each) => each.id === id).map(({ outcome }) => outcome))
      await app.clock.advance('1h')
    }
    expect(outcomes).toEqual([...Array(5).fill('retry'), 'dead'])
    expect(seen.map((each) => [each.id, each.attempt])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [id, attempt]),
    )
    const [dead] = await app
      .get(DatabaseLink)
      .run(`select state, output from blazon_jobs.job where id = '${id}'`)
    expect(dead).toMatchObject({ state: 'failed', output: { message: 'The printer has no paper' } })
  })

  it('wait until they are due', async () => {
    await runWithTenant('acme', () => app.get(Jobs).send(Receipt, { order: 1 }, { after: '10m' }))
    expect(await app.jobs.drain()).toEqual([])
    await app.clock.advance('9m')
    expect(await app.jobs.drain()).toEqual([])
    await app.clock.advance('1m')
    expect(await app.jobs.drain()).toHaveLength(1)
  })

  it('are refused if their input is invalid when they are sent', async () => {
    const wrong = runWithTenant('acme', () => app.get(Jobs).send(Receipt, { order: 'x' } as never))
    await expect(wrong).rejects.toThrow(
      /The input of the job receipt does not match its schema: order: /,
    )
    expect(await stored()).toEqual([])
    expect((await order({ order: 'x' })).status).toBe(500)
  })

  it('have their input parsed again when they run', async () => {
    await runWithTenant('acme', () =>
      app.get(Jobs).send(Receipt, { order: 1, at: new Date('2026-05-01T00:00:00Z') }),
    )
    await app.jobs.drain()
    expect(seen[0]?.input.at).toEqual(new Date('2026-05-01T00:00:00Z'))
  })

  it('are marked as dead, with the reason, if their stored input no longer matches the schema', async () => {
    const id = await send(1)
    await app
      .get(DatabaseLink)
      .run(
        `update blazon_jobs.job set data = jsonb_set(data, '{input,order}', '"old"') where id = '${id}'`,
      )
    const [report] = await app.jobs.drain({ failures: 'keep' })
    expect(report).toMatchObject({ outcome: 'dead', attempt: 1 })
    const [row] = await app
      .get(DatabaseLink)
      .run(`select state, output from blazon_jobs.job where id = '${id}'`)
    expect(row).toMatchObject({
      state: 'failed',
      output: { message: expect.stringMatching(/does not match its schema: order: /) },
    })
    expect(seen).toEqual([])
  })

  it('wait while their tenant is suspended, without using up retries', async () => {
    const id = await send(1)
    await send(2, 'globex')
    tenants.set('acme', { id: 'acme', status: 'suspended' })
    await app.clock.advance('5m')
    const first = await app.jobs.drain()
    expect(first.map(({ tenant, outcome }) => [tenant, outcome])).toEqual([
      ['acme', 'waiting'],
      ['globex', 'done'],
    ])
    for (let day = 0; day < 4; day++) {
      await app.clock.advance('1d')
      expect(await app.jobs.drain()).toContainEqual(
        expect.objectContaining({ id, outcome: 'waiting' }),
      )
    }
    tenants.set('acme', { id: 'acme' })
    await app.clock.advance('10m')
    failures = 1
    expect(await app.jobs.drain({ failures: 'keep' })).toMatchObject([
      { id, outcome: 'retry', attempt: 1 },
    ])
    await app.clock.advance('1h')
    expect(await app.jobs.drain()).toContainEqual(
      expect.objectContaining({ id, outcome: 'done', attempt: 2 }),
    )
  })

  it('are marked as dead if their tenant was removed', async () => {
    await send(1)
    tenants.delete('acme')
    await app.clock.advance('5m')
    const [report] = await app.jobs.drain({ failures: 'keep' })
    expect(report).toMatchObject({
      outcome: 'dead',
      error: { message: 'There is no tenant acme.' },
    })
  })

  it('do not run while the tenant store does not respond, and are retried later', async () => {
    await send(1)
    await app.clock.advance('5m')
    isStoreDown = true
    const [report] = await app.jobs.drain({ failures: 'keep' })
    expect(report).toMatchObject({ outcome: 'retry', attempt: 1, error: { status: 503 } })
    expect(report?.error).toBeInstanceOf(HttpError)
    expect(seen).toEqual([])
    isStoreDown = false
    await app.clock.advance('1m')
    expect(await app.jobs.drain()).toMatchObject([{ outcome: 'done', attempt: 2 }])
  })

  it('store their error if they are dead', async () => {
    await send(1)
    tenants.delete('acme')
    await app.clock.advance('5m')
    await app.jobs.drain({ failures: 'keep' })
    const [dead] = await app
      .get(DatabaseLink)
      .run(`select output from blazon_jobs.job where state = 'failed'`)
    expect(dead).toEqual({
      output: { name: 'DeadJobError', message: 'There is no tenant acme.' },
    })
  })

  it('require a tenant, unless they are declared without one', async () => {
    const none = app.get(Jobs).send(Receipt, { order: 1 })
    await expect(none).rejects.toMatchObject({ status: 400, code: 'TENANT_REQUIRED' })
    await runWithTenant('acme', () => app.get(Jobs).send(Sweep))
    expect(app.jobs.sent).toMatchObject([{ name: 'sweep', tenant: null }])
    await app.jobs.drain()
    const lines = app.logs.map(({ message }) => message)
    expect(lines).toContain('Swept')
    expect(lines).not.toContain('Run without a tenant')
  })

  it('with the policy short are not sent again while a job with the same key waits', async () => {
    const once = () =>
      runWithTenant('acme', () => app.get(Jobs).send(Once, undefined, { key: 'k' }))
    expect(await once()).toBeTypeOf('string')
    expect(await once()).toBeNull()
    await app.jobs.drain()
    expect(await once()).toBeTypeOf('string')
  })

  it('are refused if no worker runs them', async () => {
    await expect(app.get(Jobs).send(Unworked)).rejects.toThrow('No worker runs the job unworked')
  })

  it('send their id as the idempotency key of outgoing requests', async () => {
    const keys: (string | null)[] = []
    app.outgoing.answer('POST', 'https://mail.example/send', ({ headers }) => {
      keys.push(new Headers(headers as never).get('idempotency-key'))
      return { status: 202 }
    })
    const id = await send(99)
    await app.jobs.drain()
    expect(keys).toEqual([id, `${id}.2`])
  })

  it('run once when the clock has passed their scheduled time, in their time zone', async () => {
    app.clock.set('2026-03-28T22:00:00Z')
    await app.jobs.drain()
    // In Vienna, 02:00 is left out on 29 March: 03:00 is one hour after midnight of UTC.
    await app.clock.advance('2h')
    await app.jobs.drain()
    expect(cronAt).toEqual([])
    await app.clock.advance('1h')
    await app.jobs.drain()
    expect(cronAt).toEqual(['nightly'])
    await app.clock.advance('1d')
    await app.jobs.drain()
    expect(cronAt).toHaveLength(2)
    // What was not looked at in time runs once.
    await app.clock.advance('3d')
    await app.jobs.drain()
    expect(cronAt).toHaveLength(3)
  })
})
