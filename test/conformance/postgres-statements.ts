import { describe, expect, it } from 'vitest'
import type { Driver, QueryResult, Statement } from '../../src/integrations/postgres/driver.js'
import { PostgresError } from '../../src/integrations/postgres/postgres-error.js'
import { lend } from './postgres-driver.js'

/** Statements and scripts that are accepted. Every driver passes this suite. */
export function describeStatements(driver: () => Driver): void {
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
    ])('return their command and their number of rows: %s', async (text, expected) => {
      await lend(driver(), async (lent) => {
        await lent.query({ text: 'begin' })
        await lent.query({ text: 'create temp table counted (a int)' })
        await lent.query({ text: 'insert into counted select generate_series(1, 5)' })
        expect(await lent.query({ text })).toMatchObject(expected)
      })
    })

    it('return their results in the order of sending if they are sent together', async () => {
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

    it('see the effects of earlier statements that are still running', async () => {
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

    it('are refused when the string contains a second statement', async () => {
      await lend(driver(), async (lent) => {
        const refusal = { code: '42601' }
        await expect(lent.query({ text: 'select 1; select 2' })).rejects.toMatchObject(refusal)
        const values = [1]
        const text = 'select $1::int; drop table if exists nothing'
        await expect(lent.query({ text, values })).rejects.toMatchObject(refusal)
      })
    })

    it('accept 10,000 values, but are refused with 65,536 values', async () => {
      await lend(driver(), async (lent) => {
        const values = Array.from({ length: 10_000 }, (_, index) => index)
        const text = `select ${values.map((index) => `$${index + 1}::int`).join()}`
        const refusal = lent.query({ text, values: new Array(65_536).fill(1) })
        await expect(refusal).rejects.toThrow('at most 65535 values, but this one has 65536')
        // A list of columns has at most 1664 columns.
        const inList = `select $1::int in (${values
          .slice(1)
          .map((_, index) => `$${index + 2}::int`)
          .join()}) as found`
        expect((await lent.query({ text: inList, values })).rows).toEqual([{ found: false }])
        await expect(lent.query({ text, values })).rejects.toMatchObject({ code: '54011' })
      })
    })

    it('return the correct results to four concurrent callers with 250 statements each', async () => {
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

    it('in a script run in order and in one transaction', async () => {
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

/** Statements and scripts that are refused. Every driver passes this suite. */
export function describeRefusals(driver: () => Driver): void {
  describe('a refused statement', () => {
    it('rejects with a PostgresError whose cause is the driver error', async () => {
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

    it('does not affect other statements on the connection', async () => {
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

    it('aborts its transaction', async () => {
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
    )('rejects with a code, and the connection still works: %s', async (_, statement, code) => {
      await lend(driver(), async (lent) => {
        const refusal = lent.query(statement)
        await expect(refusal).rejects.toBeInstanceOf(PostgresError)
        await expect(refusal).rejects.toMatchObject({ code })
        expect((await lent.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
      })
    })

    it('rejects if it is a COPY from stdin', async () => {
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

    it('rejects if it is a script with a NUL byte', async () => {
      await lend(driver(), async (lent) => {
        await expect(lent.script('select 1\0; selct')).rejects.toMatchObject({ code: '22021' })
      })
    })

    it('rejects if its function calls itself without end, and the connection still works', async () => {
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
