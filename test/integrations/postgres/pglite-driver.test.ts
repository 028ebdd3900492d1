import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Connection } from '../../../src/integrations/postgres/driver.js'
import { PgliteDriver } from '../../../src/integrations/postgres/drivers/pglite-driver.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

afterEach(() => void vi.useRealTimers())

const logger = { info() {}, warn() {}, error() {} }

async function open(state?: string) {
  const driver = new PgliteDriver('memory', { timeouts: { acquire: '5s' } })
  await driver.open({ logger, state })
  onTestFinished(() => driver.close())
  return driver
}

async function lend<T>(driver: PgliteDriver, use: (connection: Connection) => Promise<T>) {
  const connection = await driver.connect()
  try {
    return await use(connection)
  } finally {
    connection.release()
  }
}

const tablesOf = (driver: PgliteDriver) =>
  lend(driver, async (connection) => {
    const text = "select relname from pg_class where relname like 'made%' order by 1"
    return (await connection.query({ text })).rows.map(({ relname }) => relname)
  })

const CLOSED = { code: 'DATABASE_UNAVAILABLE', cause: { message: 'The database is not open.' } }

describe('an in-memory database', () => {
  it('has one connection, which is lent to one caller after the other', async () => {
    const driver = await open()
    expect([driver.size, driver.isEmbedded]).toEqual([1, true])
    const first = await driver.connect()
    const next = driver.connect()
    expect(driver.usage()).toEqual({ lent: 1, waiting: 1 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = driver.connect().catch((error) => error)
    vi.advanceTimersByTime(5000)
    vi.useRealTimers()
    expect(await late).toMatchObject({ status: 503, code: 'DATABASE_BUSY' })
    first.release()
    ;(await next).release()
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('refuses callers while it is closed, waits for the lent connection, and begins empty again', async () => {
    const driver = await open()
    const lent = await driver.connect()
    await lent.query({ text: 'create table made ()' })
    const waiting = driver.connect()
    const closing = driver.close()
    expect(driver.close()).toBe(closing)
    await expect(waiting).rejects.toMatchObject(CLOSED)
    await expect(driver.connect()).rejects.toMatchObject(CLOSED)
    expect((await lent.query({ text: 'select 1 as n' })).rows).toEqual([{ n: 1 }])
    lent.release()
    await closing
    await driver.open({ logger })
    expect(await tablesOf(driver)).toEqual([])
  })

  it('begins in the state of an earlier one, of which the last four states are kept', async () => {
    const state = (number: number) => `the state ${number} of this test`
    const first = await open(state(0))
    for (const number of [0, 1, 2, 3, 4]) {
      await lend(first, (connection) => connection.query({ text: `create table made${number} ()` }))
      await first.remember(state(number))
      // A state that is known stays as it is.
      if (number === 1) await first.remember(state(0))
    }
    await lend(first, (connection) => connection.query({ text: 'create table made_later ()' }))
    await first.remember(state(1))
    const [forgotten, second] = [await open(state(0)), await open(state(1))]
    expect(await tablesOf(forgotten)).toEqual([])
    expect(await tablesOf(second)).toEqual(['made0', 'made1'])
    await lend(second, (connection) => connection.query({ text: 'create table made_own ()' }))
    expect(await tablesOf(await open(state(1)))).toEqual(['made0', 'made1'])
  })

  it('names the extensions that it contains if another one is not available', async () => {
    const driver = await open()
    const create = (name: string) =>
      lend(driver, (connection) => connection.query({ text: `create extension ${name}` }))
    await expect(create('postgis')).rejects.toMatchObject({
      message: 'extension "postgis" is not available',
      hint: expect.stringMatching(
        /^The embedded PostgreSQL contains: amcheck, .*uuid-ossp\. For another extension, use a server: postgres\(\{ url \}\)$/,
      ),
    })
    await create('"uuid-ossp"')
    await create('IF NOT EXISTS EarthDistance cascade')
    const text = 'select extname from pg_extension order by 1'
    const { rows } = await lend(driver, (connection) => connection.query({ text }))
    expect(rows.map(({ extname }) => extname)).toEqual([
      ...['cube', 'earthdistance', 'plpgsql', 'uuid-ossp'],
    ])
  })
})
