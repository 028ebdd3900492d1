import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection, Driver, QueryResult } from '../../src/integrations/postgres/driver.js'
import type { PostgresTimeouts } from '../../src/integrations/postgres/options/postgres-options.js'
import { describeFlights } from './postgres-flights.js'
import { describeRefusals, describeStatements } from './postgres-statements.js'
import { describeValues } from './postgres-values.js'

/** Opens a driver with at most four connections. Its database may hold tables of other tests. */
export type OpenDriver = (timeouts?: PostgresTimeouts) => Promise<Driver>

/** Lends a connection until a function has ended. */
export async function lend<T>(driver: Driver, use: (lent: Connection) => Promise<T>): Promise<T> {
  const connection = await driver.connect()
  try {
    return await use(connection)
  } finally {
    connection.release()
  }
}

/** Runs one statement. */
export function ask(driver: Driver, text: string, values?: unknown[]): Promise<QueryResult> {
  return lend(driver, (lent) => lent.query(values === undefined ? { text } : { text, values }))
}

/** The conformance suite of drivers. */
export function describeDriver(name: string, open: OpenDriver): void {
  describe(name, () => {
    let driver: Driver
    beforeAll(async () => {
      driver = await open()
    })
    afterAll(() => driver.close())

    describeValues((statement) => lend(driver, (lent) => lent.query(statement)))
    describeStatements(() => driver)
    describeFlights(() => driver)
    describeRefusals(() => driver)
    describeLending(() => driver, open)
    describeClosing(open)
  })
}

function describeLending(driver: () => Driver, open: OpenDriver): void {
  describe('a connection', () => {
    it('can be released only once, and refuses statements afterwards', async () => {
      const lent = await driver().connect()
      await lent.query({ text: 'select 1' })
      lent.release()
      lent.release()
      lent.destroy()
      const late = { code: 'DATABASE_UNAVAILABLE', status: 503 }
      await expect(lent.query({ text: 'select 1' })).rejects.toMatchObject(late)
      await expect(lent.script('select 1')).rejects.toMatchObject(late)
      await expect(ask(driver(), 'select 1 as a')).resolves.toMatchObject({ rows: [{ a: 1 }] })
    })

    it('saves no open transaction and leaves no setting when it is destroyed', async () => {
      await lend(driver(), (lent) => lent.script('create table if not exists kept (a int)'))
      const lent = await driver().connect()
      await lent.query({ text: 'begin' })
      await lent.query({ text: 'insert into kept values (1)' })
      await lent.query({ text: "select set_config('app.left', 'over', false)" })
      lent.destroy()
      lent.destroy()
      await expect(lent.query({ text: 'commit' })).rejects.toMatchObject({ status: 503 })
      const { rows } = await ask(
        driver(),
        "select count(*), current_setting('app.left', true) from kept",
      )
      expect(rows).toEqual([{ count: '0', current_setting: expect.toSatisfy((left) => !left) }])
      await lend(driver(), (lent) => lent.script('drop table kept'))
    })

    it('rejects waiting statements when it is destroyed', async () => {
      const lent = await driver().connect()
      const first = lent.query({ text: 'select pg_sleep(0.05)' })
      const pending = [lent.query({ text: 'select 2' }), lent.query({ text: 'select 3' })]
      lent.destroy()
      // A statement that runs in this process cannot be interrupted.
      if (!driver().isEmbedded) pending.push(first)
      await first.catch(() => undefined)
      for (const answer of pending) {
        await expect(answer).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
      }
      await expect(ask(driver(), 'select 1 as a')).resolves.toMatchObject({ rows: [{ a: 1 }] })
    })

    it.each(['begin', 'begin; selct'])(
      'is not lent again with an open transaction: %s',
      async (text) => {
        const process = 'select pg_backend_pid() as pid'
        const lent = await driver().connect()
        const before = (await lent.query({ text: process })).rows
        for (const part of text.split(';')) await lent.query({ text: part }).catch(() => undefined)
        lent.release()
        const all = await Promise.all(
          Array.from({ length: driver().size }, () => driver().connect()),
        )
        for (const each of all) {
          // A connection in this process is rolled back and lent again.
          const { rows } = await each.query({ text: process })
          if (!driver().isEmbedded) expect(rows).not.toEqual(before)
        }
        for (const each of all) each.release()
        for (let time = 0; time < driver().size; time++) {
          const refusal = ask(driver(), 'savepoint a')
          await expect(refusal).rejects.toMatchObject({ code: '25P01' })
        }
      },
    )

    it('is not lent again while a statement is running', async () => {
      let answer: Promise<unknown> | undefined
      await lend(driver(), async (lent) => {
        answer = lent.query({ text: "select set_config('app.late', 'yes', false)" })
        answer.catch(() => undefined)
      })
      const { rows } = await ask(driver(), "select current_setting('app.late', true) as late")
      expect(rows).toEqual([{ late: expect.toSatisfy((late) => !late) }])
      await answer?.catch(() => undefined)
    })

    it('causes a DATABASE_BUSY error if it is not available within the acquire timeout', async () => {
      const driver = await open({ acquire: '500ms' })
      const lent = await Promise.all(Array.from({ length: driver.size }, () => driver.connect()))
      const refusals = [driver.connect(), driver.connect()]
      for (const refusal of refusals) {
        await expect(refusal).rejects.toMatchObject({ code: 'DATABASE_BUSY', status: 503 })
      }
      for (const connection of lent) connection.release()
      await expect(ask(driver, 'select 1')).resolves.toBeDefined()
      await driver.close()
    })

    it('goes to each waiting caller, in the order of waiting if it is the only connection', async () => {
      const driver = await open({ acquire: '1m' })
      const lent = await Promise.all(Array.from({ length: driver.size }, () => driver.connect()))
      const order: number[] = []
      const users = [1, 2, 3, 4, 5].map(async (number) => {
        const connection = await driver.connect()
        order.push(number)
        await connection.query({ text: 'select 1' })
        connection.release()
      })
      for (const connection of lent) connection.destroy()
      await Promise.all(users)
      // With several connections, some callers get theirs at the same time.
      expect(driver.size === 1 ? order : [...order].sort()).toEqual([1, 2, 3, 4, 5])
      await driver.close()
    })

    it('is available after 40 callers that left transactions open or destroyed it', async () => {
      for (let time = 0; time < 40; time++) {
        const lent = await driver().connect()
        if (time % 2 === 0) await lent.query({ text: 'begin' })
        if (time % 3 === 0) lent.destroy()
        else lent.release()
      }
      await expect(ask(driver(), 'select 1')).resolves.toBeDefined()
    })
  })
}

function describeClosing(open: OpenDriver): void {
  describe('a closed driver', () => {
    const closed = { code: 'DATABASE_UNAVAILABLE', status: 503 }

    it('refuses waiting callers, but waits for lent connections', async () => {
      const driver = await open({ acquire: '1m' })
      const lent = await Promise.all(Array.from({ length: driver.size }, () => driver.connect()))
      const waiting = [driver.connect(), driver.connect()]
      const settled = waiting.map((connection) => expect(connection).rejects.toMatchObject(closed))
      let isClosed = false
      const closing = driver.close().then(() => {
        isClosed = true
      })
      await Promise.all(settled)
      await expect(lent[0]?.query({ text: 'select 1 as a' })).resolves.toBeDefined()
      expect(isClosed).toBe(false)
      await expect(driver.connect()).rejects.toMatchObject(closed)
      for (const [index, connection] of lent.entries()) {
        if (index % 2 === 0) connection.release()
        else connection.destroy()
      }
      await closing
    })

    it('can be closed again', async () => {
      const driver = await open()
      const lent = await driver.connect()
      const closings = [driver.close(), driver.close()]
      lent.release()
      await Promise.all(closings)
      await driver.close()
      await expect(driver.connect()).rejects.toMatchObject(closed)
    })

    it('can be opened again', async () => {
      const driver = await open()
      await driver.close()
      const logger = { info() {}, warn() {}, error() {} }
      await driver.open({ logger })
      await expect(ask(driver, 'select 1 as a')).resolves.toMatchObject({ rows: [{ a: 1 }] })
      await driver.close()
    })
  })
}
