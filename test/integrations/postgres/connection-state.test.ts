import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer, isServerMissing } from './server.js'

const LEFT = `select current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('search_path') as path, current_setting('row_security') as rows`

let database: ServerDatabase
beforeAll(async () => {
  if (!isServerMissing) database = await ownServerDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

describeWithServer('a transaction', () => {
  it('leaves no timeouts or settings on its connection', async () => {
    const how = { ...database.options, connections: 1 }
    const timeouts = { statement: '47s', idleInTransaction: '43s' }
    await using app = await TestApp.create({
      plugins: [postgres({ ...how, timeouts })],
      logger: false,
    })
    const db = app.get(Database)
    const [before] = await db.query(LEFT).then(({ rows }) => rows)
    const ends = [
      () => db.transaction(async () => (await db.query(LEFT)).rows[0]),
      () =>
        db
          .transaction(async () => {
            await db.query(LEFT)
            throw new Error('undone')
          })
          .catch(() => undefined),
      () => db.transaction(async () => await db.query('select 1/0')).catch(() => undefined),
    ]
    for (const end of ends) {
      const within = await end()
      if (within !== undefined) expect(within).toMatchObject({ statement: '47s' })
      const { rows } = await db.query(LEFT)
      expect(rows[0]).toEqual(before)
      expect(rows[0]).toMatchObject({ statement: '0' })
    }
  })
})

describeWithServer('a connection with an onConnect function of the application', () => {
  it('is reused after a transaction', async () => {
    const poolOptions = { onConnect: () => {} }
    const plugins = [postgres({ ...database.options, connections: 1, poolOptions })]
    await using app = await TestApp.create({ plugins, logger: false })
    const db = app.get(Database)
    const pids = new Set<unknown>()
    for (let i = 0; i < 3; i++) {
      const { rows } = await db.transaction(() => db.query('select pg_backend_pid() as pid'))
      pids.add((rows[0] as { pid: number }).pid)
    }
    expect(pids.size).toBe(1)
  })
})

describeWithServer('a released connection', () => {
  let driver: Driver
  beforeEach(async () => {
    driver = createDriver({ ...database.options, connections: 1 })
    await driver.open({ logger: { info() {}, warn() {}, error() {} } })
  })
  afterEach(() => driver.close())

  async function pidOf(lent: Connection): Promise<unknown> {
    return (await lent.query({ text: 'select pg_backend_pid() as pid' })).rows[0]?.['pid']
  }

  /** Whether the next connection is another one. Expects that it has no open transaction and no temporary table. */
  async function replaced(pid: unknown): Promise<boolean> {
    const next = await driver.connect()
    try {
      // Only a transaction has savepoints.
      await expect(next.query({ text: 'savepoint probe' })).rejects.toMatchObject({ code: '25P01' })
      const { rows } = await next.query({ text: "select to_regclass('pg_temp.trace') as trace" })
      expect(rows).toEqual([{ trace: null }])
      return (await pidOf(next)) !== pid
    } finally {
      next.release()
    }
  }

  it.each([
    ['open', ['BEGIN']],
    ['open, and begun in lower case', ['begin']],
    ['open, and used', ['BEGIN', 'select 1']],
    ['failed', ['BEGIN', 'select 1/0']],
    ['open again after a commit', ['BEGIN', 'COMMIT', 'BEGIN']],
  ])('is closed if its transaction is %s', async (_, statements) => {
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    for (const text of statements) await lent.query({ text }).catch(() => undefined)
    lent.release()
    expect(await replaced(pid)).toBe(true)
  })

  it.each([
    ['no statement', []],
    ['a transaction that was committed', ['BEGIN', 'select 1', 'COMMIT']],
    ['a transaction that was rolled back', ['BEGIN', 'select 1', 'ROLLBACK']],
    ['a failed transaction that was rolled back', ['BEGIN', 'select 1/0', 'ROLLBACK']],
    ['a statement that was refused', ['select 1/0']],
    ['a temporary table', ['create temp table trace (a int)']],
  ])('is lent again without traces after %s, twice in a row', async (_, statements) => {
    const first = await driver.connect()
    const pid = await pidOf(first)
    first.release()
    for (let i = 0; i < 2; i++) {
      const lent = await driver.connect()
      expect(await pidOf(lent)).toBe(pid)
      for (const text of statements) await lent.query({ text }).catch(() => undefined)
      lent.release()
      expect(await replaced(pid)).toBe(false)
    }
  })
})
