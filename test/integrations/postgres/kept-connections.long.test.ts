import { Socket } from 'node:net'
import { runWithTenant } from 'blazon'
import { Database, type PostgresOptions, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Connection, Driver, QueryResult } from '../../../src/integrations/postgres/driver.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ask, lend } from '../../conformance/postgres-driver.js'
import { until } from '../until.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

const PID = 'select pg_backend_pid() as pid'
const TENANT =
  "select coalesce(current_setting('app.tenant_id', true), '') as tenant, current_user as role"
const UNAVAILABLE = 'DATABASE_UNAVAILABLE'

const warnings: object[] = []
const logger = { info() {}, warn: (facts: object) => void warnings.push(facts), error() {} }

const outcome = (answer: PromiseSettledResult<QueryResult>) =>
  answer.status === 'fulfilled' ? answer.value.command : answer.reason.code
const texts = (...all: string[]) => all.map((text) => ({ text }))
const sendTogether = async (lent: Connection, ...all: string[]) =>
  (await Promise.allSettled(lent.sendTogether(texts(...all)))).map(outcome)

describeWithServer('a connection that the driver keeps open', () => {
  let database: ServerDatabase
  const opened: Driver[] = []
  beforeAll(async () => {
    database = await ownServerDatabase()
    await database.run(`
      create table names (name text constraint names_key unique deferrable initially deferred);
      insert into names values ('taken')`)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    warnings.length = 0
    for (const driver of opened.splice(0)) await driver.close()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  async function open(how: PostgresOptions = {}): Promise<Driver> {
    const driver = createDriver({ ...database.options, connections: 1, ...how })
    await driver.open({ logger })
    opened.push(driver)
    return driver
  }

  async function pidOf(driver: Driver): Promise<number> {
    return Number((await ask(driver, PID)).rows[0]?.['pid'])
  }

  const end = (pid: number) => database.run('select pg_terminate_backend($1)', [pid])
  const isOpen = async (pid: number) =>
    (await database.run('select 1 from pg_stat_activity where pid = $1', [pid])).length === 1

  it('is lent again', async () => {
    const driver = await open()
    expect(await pidOf(driver)).toBe(await pidOf(driver))
  })

  it('is closed after its maximum lifetime, without a warning', async () => {
    const driver = await open({ poolOptions: { maxLifetimeSeconds: 0.001 } })
    const pid = await pidOf(driver)
    await until(async () => !(await isOpen(pid)))
    expect(await pidOf(driver)).not.toBe(pid)
    expect(warnings).toEqual([])
  })

  it('is closed if a message cannot be written, and sends no part of it', async () => {
    const driver = await open()
    const pid = await pidOf(driver)
    const lent = await driver.connect()
    const half = lent.query({ text: "insert into names values ('half')" })
    vi.spyOn(pg.Connection.prototype, 'bind').mockImplementationOnce(() => {
      throw new RangeError('The value is too large.')
    })
    const answers = await Promise.allSettled([
      half,
      lent.query({ text: 'select $1::int', values: [1] }),
    ])
    vi.restoreAllMocks()
    expect(answers.map(outcome)).toEqual([UNAVAILABLE, UNAVAILABLE])
    lent.release()
    await until(async () => !(await isOpen(pid)))
    expect((await ask(driver, 'select name from names')).rows).toEqual([{ name: 'taken' }])
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('is replaced, with a warning, if the server has ended it in the meantime', async () => {
    const driver = await open()
    const pid = await pidOf(driver)
    await end(pid)
    await until(() => warnings.length > 0)
    expect(warnings).toEqual([{ reason: expect.stringContaining('terminat') }])
    expect(await pidOf(driver)).not.toBe(pid)
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('is closed if it stays idle', async () => {
    const driver = await open({ poolOptions: { idleTimeoutMillis: 50 } })
    const pid = await pidOf(driver)
    expect(await isOpen(pid)).toBe(true)
    await until(async () => !(await isOpen(pid)))
    expect(warnings).toEqual([])
    expect(await pidOf(driver)).not.toBe(pid)
  })

  it('is closed with the driver, which can be opened again', async () => {
    const driver = await open()
    const pid = await pidOf(driver)
    await driver.close()
    await until(async () => !(await isOpen(pid)))
    await driver.open({ logger })
    expect(await pidOf(driver)).not.toBe(pid)
  })

  it('is closed after the maximum number of uses', async () => {
    const driver = await open({ poolOptions: { maxUses: 2 } })
    const pids = [await pidOf(driver), await pidOf(driver), await pidOf(driver)]
    expect(pids[1]).toBe(pids[0])
    expect(pids[2]).not.toBe(pids[0])
  })

  it('refuses statements of its previous user while it is lent to another user', async () => {
    const driver = await open()
    const first = await driver.connect()
    await first.query({ text: 'select 1' })
    first.release()
    await lend(driver, async (second) => {
      await expect(first.query({ text: 'select 1' })).rejects.toMatchObject({ code: UNAVAILABLE })
      expect(await sendTogether(first, 'begin', 'select 1')).toEqual([UNAVAILABLE, UNAVAILABLE])
      first.destroy()
      expect((await second.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
    })
  })

  it('keeps no tenant for its next user, no matter how the batch ended', async () => {
    const driver = await open()
    const [before] = (await ask(driver, TENANT)).rows
    const set = "select set_config('app.tenant_id', 'acme', true)"
    const ends: [string[], 'COMMIT' | 'ROLLBACK'][] = [
      [['begin', set, 'select 1'], 'COMMIT'],
      [['begin', set, 'select 1'], 'ROLLBACK'],
      [['begin', set, 'select 1 / 0'], 'COMMIT'],
      [['begin isolation level nothing', set, 'select 1'], 'ROLLBACK'],
      [['begin', "select set_config('role', 'nobody_at_all', true)", set], 'COMMIT'],
    ]
    for (const [flight, conclusion] of ends) {
      await lend(driver, async (lent) => {
        await sendTogether(lent, ...flight)
        await lent.query({ text: conclusion })
      })
      expect((await ask(driver, TENANT)).rows).toEqual([before])
    }
  })

  it('is closed if its backend is killed in the middle of a batch', async () => {
    const driver = await open()
    await lend(driver, async (lent) => {
      const pid = Number((await lent.query({ text: PID })).rows[0]?.['pid'])
      const sent = sendTogether(
        lent,
        'begin',
        "insert into names values ('lost')",
        'select pg_sleep(600)',
        'select 1',
      )
      const asleep =
        "select 1 from pg_stat_activity where pid = $1 and query like '%pg_sleep%' and state = 'active'"
      await until(async () => (await database.run(asleep, [pid])).length === 1)
      await end(pid)
      expect(await sent).toEqual(['BEGIN', 'INSERT', UNAVAILABLE, UNAVAILABLE])
      await until(() => lent.isLost)
    })
    const { rows } = await ask(driver, "select name from names where name = 'lost'")
    expect(rows).toEqual([])
  })

  it('rejects a statement that violates a constraint checked at commit', async () => {
    const driver = await open()
    const text = "insert into names values ('taken')"
    await expect(ask(driver, text)).rejects.toMatchObject({
      code: '23505',
      constraint: 'names_key',
    })
    const flight = await lend(driver, (lent) => sendTogether(lent, 'begin', text, 'commit'))
    expect(flight).toEqual(['BEGIN', 'INSERT', '23505'])
    expect((await ask(driver, 'select count(*)::int as n from names')).rows).toEqual([{ n: 1 }])
  })

  it('receives all statements of one event loop turn in a single write', async () => {
    const driver = await open()
    await lend(driver, async (lent) => {
      await lent.query({ text: 'select 1' })
      const write = vi.spyOn(Socket.prototype, '_writev')
      await sendTogether(lent, 'begin', 'select 1', 'select 2')
      expect(write).toHaveBeenCalledTimes(1)
      await Promise.all(texts('select 3', 'select 4', 'COMMIT').map((each) => lent.query(each)))
      expect(write).toHaveBeenCalledTimes(2)
    })
  })

  it('sends empty, short and large strings and bytes unchanged', async () => {
    const driver = await open()
    await lend(driver, async (lent) => {
      for (const length of [0, 1, 5_000, 20_000, 400_000]) {
        const [text, bytes] = ['ü€😀'.repeat(length), Buffer.alloc(length, 7)]
        const { rows } = await lent.query({
          text: 'select $1::text as a, $2::bytea as b, $3::text as c, $4::text as d',
          values: [text, bytes, null, `x${text}`],
        })
        expect(rows[0]?.['a'] === text && rows[0]?.['d'] === `x${text}`).toBe(true)
        expect(bytes.equals(rows[0]?.['b'] as Buffer)).toBe(true)
        expect(rows[0]?.['c']).toBeNull()
      }
    })
  })

  it('is lent to 1,000 tenants in turn, and each tenant sees only its own data', async () => {
    const { tenantRole, allTenantsRole } = database
    for (const role of [tenantRole, allTenantsRole]) await database.run(`create role ${role}`)
    await using app = await TestApp.create({
      plugins: [
        postgres({
          ...database.options,
          connections: 4,
          timeouts: { acquire: '5m' },
          tenantRole,
          allTenantsRole,
        }),
      ],
      tenant: {},
      logger: false,
    })
    const db = app.get(Database)
    const look = async () => (await db.query(TENANT)).rows[0]
    const visit = (id: string, round: number) =>
      runWithTenant(id, async () => {
        if (round === 0) return [await look()]
        return await db.transaction(async () => [
          await look(),
          ...(await Promise.all([look(), look()])),
        ])
      })
    const visits = Array.from({ length: 1000 }, (_, index) => `tenant-${index}`).flatMap((id) =>
      [0, 1].map(async (round) => [id, await visit(id, round)] as const),
    )
    for (const [tenant, seen] of await Promise.all(visits)) {
      expect(new Set(seen.map((row) => JSON.stringify(row)))).toEqual(
        new Set([JSON.stringify({ tenant, role: tenantRole })]),
      )
    }
  })
})
