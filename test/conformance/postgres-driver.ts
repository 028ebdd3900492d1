import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  Connection,
  Driver,
  QueryResult,
  Statement,
} from '../../src/integrations/postgres/driver.js'
import type { PostgresTimeouts } from '../../src/integrations/postgres/options/postgres-options.js'
import { PostgresError } from '../../src/integrations/postgres/postgres-error.js'
import { describeFlights } from './postgres-flights.js'
import { describeValues } from './postgres-values.js'

/** Opens a driver of at most four connections; whatever its database keeps may be anything. */
export type OpenDriver = (timeouts?: PostgresTimeouts) => Promise<Driver>

/** Lends a connection for as long as something runs. */
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

/** What every driver does. */
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

function describeStatements(driver: () => Driver): void {
  describe('statements', () => {
    it.each<[string, Partial<QueryResult>]>([
      ['select generate_series(1, 3)', { command: 'SELECT', rowCount: 3 }],
      ['create temp table more (a int)', { command: 'CREATE', rowCount: 0 }],
      ['create temp table copied as select a from counted', { command: 'SELECT', rowCount: 5 }],
      ['insert into counted values (6), (7)', { command: 'INSERT', rowCount: 2 }],
      ['update counted set a = 0 where a > 3', { command: 'UPDATE', rowCount: 2 }],
      ['delete from counted where a = 0 returning a', { command: 'DELETE', rowCount: 0, rows: [] }],
      ['table counted', { command: 'SELECT', rowCount: 5 }],
      ['drop table counted', { command: 'DROP', rowCount: 0 }],
      ['savepoint a', { command: 'SAVEPOINT', rowCount: 0 }],
      ["set local app.x = 'y'", { command: 'SET', rowCount: 0 }],
      ['rollback', { command: 'ROLLBACK', rowCount: 0 }],
      ['', { command: '', rowCount: 0, rows: [], fields: [] }],
      ['-- nothing', { command: '', rowCount: 0 }],
    ])('say what they have done: %s', async (text, expected) => {
      await lend(driver(), async (lent) => {
        await lent.query({ text: 'begin' })
        await lent.query({ text: 'create temp table counted (a int)' })
        await lent.query({ text: 'insert into counted select generate_series(1, 5)' })
        expect(await lent.query({ text })).toMatchObject(expected)
      })
    })

    it('are answered in the order in which they were sent, without waiting', async () => {
      await lend(driver(), async (lent) => {
        const order: number[] = []
        const ask = async (number: number) => {
          const pause = number % 7 === 0 ? ', pg_sleep(0.002)' : ''
          const text = `select $1::int as number${pause}`
          const { rows } = await lent.query({ text, values: [number] })
          order.push(number)
          return rows[0]?.['number']
        }
        const numbers = Array.from({ length: 100 }, (_, index) => index)
        expect(await Promise.all(numbers.map(ask))).toEqual(numbers)
        expect(order).toEqual(numbers)
      })
    })

    it('work on what those before them have made, without waiting', async () => {
      await lend(driver(), async (lent) => {
        const answers = await Promise.all([
          lent.query({ text: 'begin' }),
          lent.query({ text: 'create temp table flown (a int) on commit drop' }),
          lent.query({ text: 'insert into flown values ($1), ($2)', values: [1, 2] }),
          lent.query({ text: 'select sum(a) from flown' }),
          lent.query({ text: 'commit' }),
        ])
        expect(answers[3]?.rows).toEqual([{ sum: '3' }])
      })
    })

    it('are one each: a second one behind a semicolon is refused', async () => {
      await lend(driver(), async (lent) => {
        const refusal = { code: '42601' }
        await expect(lent.query({ text: 'select 1; select 2' })).rejects.toMatchObject(refusal)
        const values = [1]
        const text = 'select $1::int; drop table if exists nothing'
        await expect(lent.query({ text, values })).rejects.toMatchObject(refusal)
      })
    })

    it('may have many values, but not more than can be counted', async () => {
      await lend(driver(), async (lent) => {
        const values = Array.from({ length: 10_000 }, (_, index) => index)
        const text = `select ${values.map((index) => `$${index + 1}::int`).join()}`
        const refusal = lent.query({ text, values: new Array(65_536).fill(1) })
        await expect(refusal).rejects.toThrow('may have 65535 values, and this one has 65536')
        // A list of columns has 1664 at most.
        const inList = `select $1::int in (${values
          .slice(1)
          .map((_, index) => `$${index + 2}::int`)
          .join()}) as found`
        expect((await lent.query({ text: inList, values })).rows).toEqual([{ found: false }])
        await expect(lent.query({ text, values })).rejects.toMatchObject({ code: '54011' })
      })
    })

    it('are many at once: 1,000 over four users', async () => {
      const user = async (start: number) => {
        await lend(driver(), async (lent) => {
          const numbers = Array.from({ length: 250 }, (_, index) => start + index)
          const answers = numbers.map((number) =>
            lent.query({ text: 'select $1::int as number', values: [number] }),
          )
          const rows = (await Promise.all(answers)).map(({ rows }) => rows[0])
          expect(rows).toEqual(numbers.map((number) => ({ number })))
        })
      }
      await Promise.all([user(0), user(250), user(500), user(750)])
    })

    it('of a script are run one after the other, as one transaction', async () => {
      await lend(driver(), async (lent) => {
        await lent.script('create temp table s (a int); insert into s values (1); -- end')
        await expect(
          lent.script('insert into s values (2); insert into nothing values (3)'),
        ).rejects.toMatchObject({ code: '42P01' })
        await lent.script('')
        await lent.script('-- nothing')
        const { rows } = await lent.query({ text: 'select a from s' })
        expect(rows).toEqual([{ a: 1 }])
        lent.destroy()
      })
    })
  })
}

function describeRefusals(driver: () => Driver): void {
  describe('a statement that is refused', () => {
    it('says what of, and keeps the error of the driver as its cause', async () => {
      await lend(driver(), async (lent) => {
        await lent.script('create temp table u (a int constraint only_one unique)')
        const insert = (): Statement => ({ text: 'insert into u values ($1)', values: [7] })
        await lent.query(insert())
        const error = await lent.query(insert()).catch((error: unknown) => error)
        expect(error).toBeInstanceOf(PostgresError)
        expect(error).toMatchObject({ code: '23505', constraint: 'only_one', table: 'u' })
        expect((error as Error).cause).toMatchObject({ code: '23505', severity: 'ERROR' })
        expect((error as Error).cause).not.toHaveProperty('params')
        lent.destroy()
      })
    })

    it('concerns nobody else on the connection', async () => {
      await lend(driver(), async (lent) => {
        const answers = await Promise.allSettled([
          lent.query({ text: 'select 1 as one' }),
          lent.query({ text: 'select * from nothing' }),
          lent.query({ text: 'selct' }),
          lent.query({ text: 'select $1::int', values: ['x'] }),
          lent.query({ text: 'select 1 / $1::int', values: [0] }),
          lent.query({ text: 'select 1', values: [1] }),
          lent.query({ text: 'select 2 as two' }),
        ])
        const codes = answers.map((answer) =>
          answer.status === 'fulfilled' ? 'ok' : (answer.reason as PostgresError).code,
        )
        expect(codes).toEqual(['ok', '42P01', '42601', '22P02', '22012', '08P01', 'ok'])
      })
    })

    it('aborts the transaction that it is in', async () => {
      await lend(driver(), async (lent) => {
        await lent.query({ text: 'begin' })
        await expect(lent.query({ text: 'selct' })).rejects.toBeInstanceOf(PostgresError)
        await expect(lent.query({ text: 'select 1' })).rejects.toMatchObject({ code: '25P02' })
        expect(await lent.query({ text: 'commit' })).toMatchObject({ command: 'ROLLBACK' })
        expect(await lent.query({ text: 'select 1 as a' })).toMatchObject({ rows: [{ a: 1 }] })
      })
    })

    it.each<[string, Statement, string]>(
      [
        ['a NUL byte in its text', { text: "select 'a\0b'" }, '22021'],
        ['a NUL byte in a value', { text: 'select $1::text', values: ['a\0b'] }, '22021'],
        ['an invalid date', { text: 'select $1::date', values: [new Date(Number.NaN)] }, '22023'],
        ['a function', { text: 'select $1', values: [() => 1] }, '22023'],
        ['a symbol', { text: 'select $1', values: [Symbol('s')] }, '22023'],
        ['a bigint in JSON', { text: 'select $1::json', values: [{ a: 1n }] }, '22023'],
      ].slice(0, 6) as [string, Statement, string][],
    )('may be one with %s', async (_, statement, code) => {
      await lend(driver(), async (lent) => {
        const refusal = lent.query(statement)
        await expect(refusal).rejects.toBeInstanceOf(PostgresError)
        await expect(refusal).rejects.toMatchObject({ code })
        expect((await lent.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
      })
    })

    it('may be a COPY that nobody sends rows to', async () => {
      await lend(driver(), async (lent) => {
        await lent.script('create temp table c (a int)')
        for (const text of [
          'copy c from stdin',
          'copy c from /* c */ stdin',
          'copy c --\nfrom--\nstdin',
        ]) {
          await expect(lent.query({ text }), text).rejects.toBeInstanceOf(PostgresError)
        }
        const quoted = await lent.query({ text: "select 'copy c from stdin' as text" })
        expect(quoted.rows).toEqual([{ text: 'copy c from stdin' }])
        const script = lent.script('select 1; copy c from stdin;\n1\n\\.\n')
        await expect(script).rejects.toBeInstanceOf(PostgresError)
        expect((await lent.query({ text: 'select * from c' })).rows).toEqual([])
        lent.destroy()
      })
    })

    it('may be a script with a NUL byte', async () => {
      await lend(driver(), async (lent) => {
        await expect(lent.script('select 1\0; selct')).rejects.toMatchObject({ code: '22021' })
      })
    })

    it('may be a recursion without end', async () => {
      await lend(driver(), async (lent) => {
        await lent.script(`create function pg_temp.again() returns int language plpgsql
          as $$ begin return pg_temp.again(); end $$`)
        const refusal = lent.query({ text: 'select pg_temp.again()' })
        await expect(refusal).rejects.toMatchObject({ code: '54001' })
        expect((await lent.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
        lent.destroy()
      })
    })
  })
}

function describeLending(driver: () => Driver, open: OpenDriver): void {
  describe('a connection', () => {
    it('is given back once, and takes nothing more then', async () => {
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

    it('that is destroyed takes nothing along, and leaves nothing', async () => {
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

    it('that is destroyed answers nobody any more', async () => {
      const lent = await driver().connect()
      const first = lent.query({ text: 'select pg_sleep(0.05)' })
      const pending = [lent.query({ text: 'select 2' }), lent.query({ text: 'select 3' })]
      lent.destroy()
      // One that runs in this process cannot be interrupted.
      if (!driver().isEmbedded) pending.push(first)
      await first.catch(() => undefined)
      for (const answer of pending) {
        await expect(answer).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
      }
      await expect(ask(driver(), 'select 1 as a')).resolves.toMatchObject({ rows: [{ a: 1 }] })
    })

    it.each(['begin', 'begin; selct'])('is not lent again with a transaction: %s', async (text) => {
      const process = 'select pg_backend_pid() as pid'
      const lent = await driver().connect()
      const before = (await lent.query({ text: process })).rows
      for (const part of text.split(';')) await lent.query({ text: part }).catch(() => undefined)
      lent.release()
      const all = await Promise.all(Array.from({ length: driver().size }, () => driver().connect()))
      for (const each of all) {
        // One that runs in this process is rolled back instead, and goes on.
        const { rows } = await each.query({ text: process })
        if (!driver().isEmbedded) expect(rows).not.toEqual(before)
      }
      for (const each of all) each.release()
      for (let time = 0; time < driver().size; time++) {
        const refusal = ask(driver(), 'savepoint a')
        await expect(refusal).rejects.toMatchObject({ code: '25P01' })
      }
    })

    it('is not lent again with an answer outstanding', async () => {
      let answer: Promise<unknown> | undefined
      await lend(driver(), async (lent) => {
        answer = lent.query({ text: "select set_config('app.late', 'yes', false)" })
        answer.catch(() => undefined)
      })
      const { rows } = await ask(driver(), "select current_setting('app.late', true) as late")
      expect(rows).toEqual([{ late: expect.toSatisfy((late) => !late) }])
      await answer?.catch(() => undefined)
    })

    it('is waited for in order, and no longer than the acquire time', async () => {
      const driver = await open({ acquire: '50ms' })
      const lent = await Promise.all(Array.from({ length: driver.size }, () => driver.connect()))
      const refusals = [driver.connect(), driver.connect()]
      for (const refusal of refusals) {
        await expect(refusal).rejects.toMatchObject({ code: 'DATABASE_BUSY', status: 503 })
      }
      for (const connection of lent) connection.release()
      await expect(ask(driver, 'select 1')).resolves.toBeDefined()
      await driver.close()
    })

    it('goes to who has waited longest', async () => {
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
      // Some are served at the same time, where there are several.
      expect(driver.size === 1 ? order : [...order].sort()).toEqual([1, 2, 3, 4, 5])
      await driver.close()
    })

    it('can be lent as often as one likes, whatever becomes of it', async () => {
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
  describe('a driver that is closed', () => {
    const closed = { code: 'DATABASE_UNAVAILABLE', status: 503 }

    it('refuses those who wait, and waits for what is lent', async () => {
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

    it('may be closed again, and where nothing was ever opened', async () => {
      const driver = await open()
      const lent = await driver.connect()
      const closings = [driver.close(), driver.close()]
      lent.release()
      await Promise.all(closings)
      await driver.close()
      await expect(driver.connect()).rejects.toMatchObject(closed)
    })

    it('may be opened again', async () => {
      const driver = await open()
      await driver.close()
      const logger = { info() {}, warn() {}, error() {} }
      await driver.open({ logger })
      await expect(ask(driver, 'select 1 as a')).resolves.toMatchObject({ rows: [{ a: 1 }] })
      await driver.close()
    })
  })
}
