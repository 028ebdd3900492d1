import type { Logger } from 'blazon'
import type { PostgresOptions } from 'blazon/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { gate } from '../../journeys/gate.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer, isServerMissing } from './server.js'

let database: ServerDatabase
beforeAll(async () => {
  if (!isServerMissing) database = await ownServerDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** An open driver, with the lines that it logs. */
async function open(options: PostgresOptions = {}) {
  const lines: [message: string, facts: object][] = []
  const note = (facts: object, message: string) => void lines.push([message, facts])
  const logger: Logger = { info: note, warn: note, error: note }
  let readOnly = 0
  const context = { logger, onReadOnly: () => void readOnly++ }
  const driver = createDriver({ ...database.options, ...options })
  await driver.open(context)
  onTestFinished(() => driver.close())
  return { driver, lines, context, readOnly: () => readOnly }
}

const pidOf = async (connection: Connection) =>
  (await connection.query({ text: 'select pg_backend_pid() as pid' })).rows[0]?.['pid']
const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error) => `${error.code} ${error.cause?.message ?? ''}`.trim(),
  )

describeWithServer('the connections of a server', () => {
  it('are named, counted, and lent to the waiting callers', async () => {
    const { driver } = await open({ connections: 1, timeouts: { acquire: '5s' } })
    expect(driver.size).toBe(1)
    const first = await driver.connect()
    const named = await first.query({ text: "select current_setting('application_name') as name" })
    expect(named.rows).toEqual([{ name: 'blazon' }])
    const pid = await pidOf(first)
    const next = driver.connect()
    expect(driver.usage()).toEqual({ lent: 1, waiting: 1 })
    first.release()
    expect(await pidOf(await next)).toBe(pid)
    ;(await next).release()
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('are busy if none becomes free in time', async () => {
    const { driver } = await open({ connections: 1, timeouts: { acquire: '5s' } })
    const first = await driver.connect()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const waiting = failureOf(driver.connect())
    vi.advanceTimersByTime(5000)
    vi.useRealTimers()
    expect(await waiting).toBe('DATABASE_BUSY')
    first.release()
    ;(await driver.connect()).release()
  })

  it('that arrive after the time limit are returned to the pool', async () => {
    const { driver } = await open({ connections: 1, timeouts: { acquire: '5s' } })
    const [arrived, delivered] = [gate(), gate()]
    const connect = pg.Pool.prototype.connect as () => Promise<unknown>
    const spy = vi.spyOn(pg.Pool.prototype, 'connect').mockImplementation(async function (
      this: unknown,
    ) {
      const client = await connect.call(this)
      arrived.open()
      await delivered.opened
      return client
    } as never)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = [driver.connect(), driver.connect()].map(failureOf)
    await arrived.opened
    vi.advanceTimersByTime(5000)
    vi.useRealTimers()
    // The second caller waits for the first, so the pool is not exhausted, but the server is slow.
    expect(await Promise.all(late)).toEqual([
      'DATABASE_UNAVAILABLE Connecting took too long.',
      'DATABASE_UNAVAILABLE Connecting is taking too long.',
    ])
    expect(driver.usage()).toEqual({ lent: 1, waiting: 0 })
    delivered.open()
    await expect.poll(() => driver.usage().lent).toBe(0)
    spy.mockRestore()
    ;(await driver.connect()).release()
  })

  it('are refused while the driver is closed, and it can be opened again', async () => {
    const { driver, context } = await open({ connections: 1 })
    const lent = await driver.connect()
    const waiting = failureOf(driver.connect())
    const closing = driver.close()
    const closed = 'DATABASE_UNAVAILABLE The database is not open.'
    expect(await waiting).toBe(closed)
    expect(await failureOf(driver.connect())).toBe(closed)
    expect(driver.close()).toBe(closing)
    expect(await pidOf(lent)).toBeTypeOf('number')
    lent.release()
    await closing
    await driver.open(context)
    ;(await driver.connect()).release()
    await driver.close()
    await driver.close()
  })

  it('are replaced after they were destroyed, and the server ends the old ones', async () => {
    const { driver } = await open({ connections: 1 })
    const first = await driver.connect()
    const pid = await pidOf(first)
    first.destroy()
    const next = await driver.connect()
    expect(await pidOf(next)).not.toBe(pid)
    next.release()
  })

  it('are all replaced when the server has refused a write', async () => {
    const { driver, readOnly } = await open({ connections: 2 })
    const [first, second] = [await driver.connect(), await driver.connect()]
    const pids = [await pidOf(first), await pidOf(second)]
    second.release()
    await first.query({ text: 'begin read only' })
    expect(await failureOf(first.query({ text: 'create table refused ()' }))).toMatch(
      /^DATABASE_UNAVAILABLE/,
    )
    expect(readOnly()).toBe(1)
    await first.query({ text: 'rollback' })
    first.release()
    for (let count = 0; count < 2; count++) {
      const next = await driver.connect()
      expect(pids).not.toContain(await pidOf(next))
      next.release()
    }
  })

  it('that end while they are not in use are logged and replaced', async () => {
    const { driver, lines } = await open({ connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    lent.release()
    await database.run('select pg_terminate_backend($1)', [pid])
    await expect
      .poll(() => lines)
      .toEqual([
        [
          'A connection to the database has ended while it was not in use',
          { reason: 'terminating connection due to administrator command' },
        ],
      ])
    ;(await driver.connect()).release()
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('go to the first server of the URL that has the required state', async () => {
    const two = (port: number) =>
      database.options.url.replace(/@([^/]*)\//, `@127.0.0.1:${port},$1/`)
    const { driver } = await open({ url: `${two(1)}?target_session_attrs=read-write` })
    ;(await driver.connect()).release()
    const standby = await open({ url: `${two(1)}?target_session_attrs=standby` })
    const error = await standby.driver.connect().catch((reason) => reason)
    expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    expect(error.cause.errors.map(String)).toEqual([
      'Error: connect ECONNREFUSED 127.0.0.1:1',
      'Error: The server is not standby (target_session_attrs).',
    ])
    expect(standby.driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('wait for a free one if the server accepts no more', async () => {
    const login = await database.role('few', 'login connection limit 1')
    const { driver } = await open({
      ...{ url: database.urlOf(login), connections: 3, timeouts: { acquire: '5s' } },
    })
    const first: Connection = await driver.connect()
    const release = async (next: Promise<Connection>) => (await next).release()
    const others = [driver.connect(), driver.connect()].map(release)
    await expect.poll(() => driver.usage().waiting).toBe(2)
    first.release()
    await Promise.all(others)
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })
})

/** The reason why a driver cannot connect. */
async function reasonOf(driver: Driver): Promise<string> {
  return await failureOf(driver.connect())
}

it('a server that cannot be reached is reported with the reason', async () => {
  const driver = createDriver({ url: 'postgres://nobody@127.0.0.1:1/none' })
  expect(await reasonOf(driver)).toBe('DATABASE_UNAVAILABLE The database is not open.')
  await driver.open({ logger: { info() {}, warn() {}, error() {} } })
  expect(await reasonOf(driver)).toBe('DATABASE_UNAVAILABLE connect ECONNREFUSED 127.0.0.1:1')
  await driver.close()
})
