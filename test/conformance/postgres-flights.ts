import { describe, expect, it } from 'vitest'
import type {
  Connection,
  Driver,
  QueryResult,
  Statement,
} from '../../src/integrations/postgres/driver.js'
import { ask, lend } from './postgres-driver.js'

/** Statements that are sent together. Every driver passes this suite. */
export function describeFlights(driver: () => Driver): void {
  describe('a flight', () => {
    const sendTogether = (lent: Connection, statements: readonly (string | Statement)[]) =>
      Promise.allSettled(
        lent.sendTogether(
          statements.map((each) => (typeof each === 'string' ? { text: each } : each)),
        ),
      )
    const outcome = (answer: PromiseSettledResult<QueryResult>) =>
      answer.status === 'fulfilled' ? answer.value.command : answer.reason.code

    it('returns the same result for each statement as if it were sent alone', async () => {
      await lend(driver(), async (lent) => {
        const answers = await sendTogether(lent, [
          'begin',
          { text: 'select $1::int as a, $2::text as b', values: [1, null] },
          { text: 'select $1::int as a, 2 as a', values: [1], rowMode: 'array' },
          { text: "select '2026-01-01'::timestamptz at time zone 'utc' as a", texts: 'all' },
          '',
          'create temp table flown (a int) on commit drop',
          { text: 'insert into flown select generate_series(1, $1::int)', values: [3] },
          'select a from flown order by a',
          'commit',
        ])
        const results = answers.map(
          (answer) => (answer as PromiseFulfilledResult<QueryResult>).value,
        )
        expect(results.map(({ command }) => command)).toEqual([
          'BEGIN',
          'SELECT',
          'SELECT',
          'SELECT',
          '',
          'CREATE',
          'INSERT',
          'SELECT',
          'COMMIT',
        ])
        expect(results[1]?.rows).toEqual([{ a: 1, b: null }])
        expect(results[2]?.rows).toEqual([[1, 2]])
        expect(results[3]?.rows).toEqual([{ a: '2026-01-01 00:00:00' }])
        expect(results[6]?.rowCount).toBe(3)
        expect(results[7]?.rows).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
        expect(results[7]?.fields.map(({ name }) => name)).toEqual(['a'])
      })
    })

    it.each<[string, (string | Statement)[], string[]]>([
      [
        'fails to begin',
        ['begin isolation level nothing', 'create table x (a int)', 'select 1'],
        ['42601', '25P02', '25P02'],
      ],
      ['is refused', ['begin', 'select 1 / 0', 'select 1'], ['BEGIN', '22012', '25P02']],
      ['has a syntax error', ['begin', 'selct', 'commit'], ['BEGIN', '42601', '25P02']],
      [
        'contains two statements',
        ['begin', 'select 1; select 2', 'select 1'],
        ['BEGIN', '42601', '25P02'],
      ],
      [
        'has one value too many',
        ['begin', { text: 'select 1', values: [1] }, 'select 1'],
        ['BEGIN', '08P01', '25P02'],
      ],
      [
        'has a NUL byte in a value',
        ['begin', { text: 'select $1::text', values: ['a\0b'] }, 'select 1'],
        ['BEGIN', '22021', '25P02'],
      ],
      [
        'is refused at the end of the flight',
        ['begin', 'select 1', 'select 1 / 0'],
        ['BEGIN', 'SELECT', '22012'],
      ],
      ['is refused after the commit', ['begin', 'commit', 'selct'], ['BEGIN', 'COMMIT', '42601']],
    ])('runs no statement after a statement that %s', async (_, statements, expected) => {
      await lend(driver(), async (lent) => {
        expect((await sendTogether(lent, statements)).map(outcome)).toEqual(expected)
        await lent.query({ text: 'ROLLBACK' })
        expect((await lent.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
      })
      const { rows } = await ask(driver(), "select to_regclass('x') as x")
      expect(rows).toEqual([{ x: null }])
    })

    it('can be followed by another flight before it has ended', async () => {
      await lend(driver(), async (lent) => {
        const refused = sendTogether(lent, ['begin', 'selct'])
        const end = lent.query({ text: 'COMMIT' })
        const next = sendTogether(lent, ['begin', 'select 2 as two', 'commit'])
        expect((await refused).map(outcome)).toEqual(['BEGIN', '42601'])
        expect((await end).command).toBe('ROLLBACK')
        expect((await next).map(outcome)).toEqual(['BEGIN', 'SELECT', 'COMMIT'])
      })
    })

    it('is refused on a released connection', async () => {
      const lent = await driver().connect()
      lent.release()
      for (const answer of await sendTogether(lent, ['begin', 'select 1'])) {
        expect(outcome(answer)).toBe('DATABASE_UNAVAILABLE')
      }
    })

    it('leaves no transaction on the connection for the next caller', async () => {
      await lend(driver(), (lent) => sendTogether(lent, ['begin', 'select 1']))
      await lend(driver(), (lent) => sendTogether(lent, ['begin', 'select 1 / 0']))
      for (let time = 0; time < driver().size; time++) {
        await expect(ask(driver(), 'savepoint a')).rejects.toMatchObject({ code: '25P01' })
      }
    })
  })
}
