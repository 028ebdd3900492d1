import type { CursorPage, NumberedPage } from 'blazon'
import { readDrizzlePage, readPage, sql } from 'blazon/postgres'
import { sql as drizzleSql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { keysetOf } from '../../../src/integrations/postgres/read-page.js'

/** Fields with a direction, as in `order` of a list: a minus sign stands for descending. */
const orderOf = (...names: string[]) =>
  names.map((name) => ({ field: name.replace('-', ''), isDescending: name.startsWith('-') }))

const COLUMNS = [sql.id('rows', 'a'), sql.id('rows', 'b')]

function keyset(names: string[], after: Record<string, unknown> | null) {
  const page = { order: orderOf(...names), after } as never
  const { keys, where, orderBy } = keysetOf(sql, page, COLUMNS.slice(0, names.length))
  return [keys.text, where?.text, where?.values, sql.join(orderBy).text]
}

const AFTER = { a: '1', b: '2' }

describe('the rows after a cursor', () => {
  it.each<[string[], Record<string, unknown> | null, string | undefined, unknown, string]>([
    [['a'], null, undefined, undefined, '"rows"."a"'],
    [['a'], AFTER, '("rows"."a") > ($1)', ['1'], '"rows"."a"'],
    [['-a'], AFTER, '("rows"."a") < ($1)', ['1'], '"rows"."a" desc'],
    [
      ['a', 'b'],
      AFTER,
      '("rows"."a", "rows"."b") > ($1, $2)',
      ['1', '2'],
      '"rows"."a", "rows"."b"',
    ],
    [
      ['-a', '-b'],
      AFTER,
      '("rows"."a", "rows"."b") < ($1, $2)',
      ['1', '2'],
      '"rows"."a" desc, "rows"."b" desc',
    ],
    [
      ['-a', 'b'],
      AFTER,
      '(("rows"."a" < $1) or ("rows"."a" = $2 and "rows"."b" > $3))',
      ['1', '1', '2'],
      '"rows"."a" desc, "rows"."b"',
    ],
  ])('in the order %o are found from their values', (names, after, text, values, order) => {
    const [, where, found, orderBy] = keyset(names, after)
    expect([where, found, orderBy]).toEqual([text, values, order])
  })

  it('are read with their exact values as strings', () => {
    expect(keyset(['a', 'b'], null)[0]).toBe('json_build_array("rows"."a"::text, "rows"."b"::text)')
  })
})

/** A database that answers each statement with the next result. */
function answering(...results: object[]) {
  const sent: { text: string; values?: unknown }[] = []
  const query = async ({ text, values, ...more }: { text: string; values: unknown }) => {
    sent.push({ text, values, ...more })
    return results.shift()
  }
  return { db: { query } as never, sent }
}

const QUERY = sql`select a, x from t where x > ${0}`

describe('readPage()', () => {
  it('reads the rows after a cursor, without the column of the order values', async () => {
    const fields = ['__proto__', 'x', 'json'].map((name) => ({ name, dataTypeID: 25 }))
    const { db, sent } = answering({ rows: [['p', 7, ['1']]], fields })
    let keys: unknown
    const of = (rows: unknown[][], keysOf: (row: unknown[]) => unknown) => {
      keys = keysOf(rows[0] as unknown[])
      return { items: rows, next: 'cursor' }
    }
    const page = { order: orderOf('a'), after: { a: '1' }, take: 3, of } as unknown as CursorPage
    const { items, next } = await readPage(db, page, QUERY)
    expect(items.map((item) => Object.entries(item))).toEqual([
      [
        ['__proto__', 'p'],
        ['x', 7],
      ],
    ])
    expect([next, keys]).toEqual(['cursor', ['1']])
    expect(sent).toEqual([
      {
        text: 'select rows.*, json_build_array("rows"."a"::text) from (select a, x from t where x > $1) as rows where ("rows"."a") > ($2) order by "rows"."a" limit $3',
        values: [0, '1', 3],
        rowMode: 'array',
      },
    ])
  })

  const numbered = (more: object): NumberedPage =>
    ({
      ...{ order: orderOf('-a', 'x'), take: 4, offset: 8, hasTotal: true },
      of: (rows: unknown[], total?: number) => ({ rows, total }),
      ...more,
    }) as unknown as NumberedPage

  it('reads a numbered page and its total', async () => {
    const { db, sent } = answering({ rows: [{ a: 1 }] }, { rows: [{ total: '12' }] })
    expect(await readPage(db, numbered({}), QUERY)).toEqual({ rows: [{ a: 1 }], total: 12 })
    expect(sent.map(({ text, values }) => [text, values])).toEqual([
      [
        'select rows.* from (select a, x from t where x > $1) as rows order by "rows"."a" desc, "rows"."x" limit $2 offset $3',
        [0, 4, 8],
      ],
      ['select count(*)::text as total from (select a, x from t where x > $1) as rows', [0]],
    ])
    const uncounted = answering({ rows: [] })
    expect(await readPage(uncounted.db, numbered({ hasTotal: false }), QUERY)).toEqual({
      rows: [],
      total: undefined,
    })
    expect(uncounted.sent).toHaveLength(1)
  })

  it('refuses a numbered page without an order', async () => {
    const { db, sent } = answering()
    await expect(readPage(db, numbered({ order: [] }), QUERY)).rejects.toThrow(
      'the list has no order',
    )
    expect(sent).toEqual([])
  })
})

describe('readDrizzlePage()', () => {
  const textOf = (part: unknown) => {
    const { sql: text, params } = new PgDialect().sqlToQuery(part as never)
    return [text, params]
  }
  const columns = { a: drizzleSql.raw('t.a'), b: drizzleSql.raw('t.b') } as never
  const pageOf = (...names: string[]) =>
    ({
      ...{ order: orderOf(...names), after: { a: '1', b: '2' }, take: 3 },
      of: (rows: { keys: unknown }[], keysOf: (row: unknown) => unknown) => ({
        items: rows.map((row) => ({ ...row, found: keysOf(row) })),
        next: 'cursor',
      }),
    }) as unknown as CursorPage

  it('has the same condition and order as readPage(), and returns items without keys', async () => {
    const parts: unknown[] = []
    const { items, next } = await readDrizzlePage(
      pageOf('-b', 'a'),
      columns,
      async ({ keys, where, orderBy, limit }) => {
        parts.push(textOf(keys), textOf(where), orderBy.map(textOf), limit)
        return [
          { keys: ['2', '1'], id: 1 },
          { keys: '["2","1"]', id: 2 },
        ]
      },
    )
    expect(parts).toEqual([
      ['json_build_array(t.b::text, t.a::text)', []],
      ['((t.b < $1) or (t.b = $2 and t.a > $3))', ['2', '2', '1']],
      [
        ['t.b desc', []],
        ['t.a', []],
      ],
      3,
    ])
    expect(items).toEqual([
      { id: 1, found: ['2', '1'] },
      { id: 2, found: ['2', '1'] },
    ])
    expect(next).toBe('cursor')
  })

  it('refuses an order without a column, and rows without keys', async () => {
    const read = async () => [{ keys: 7 }]
    await expect(readDrizzlePage(pageOf('toString'), columns, read)).rejects.toThrow(
      "`columns` lacks 'toString', which orders the list.",
    )
    await expect(readDrizzlePage(pageOf('a'), columns, read)).rejects.toThrow('has no `keys`')
  })
})
