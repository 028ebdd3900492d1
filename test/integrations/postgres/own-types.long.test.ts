import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithServer, type OwnDatabase, ownServerDatabase } from './own-database.js'

const TYPES = `
  create type mood as enum ('sad', 'so, so', '{}', 'NULL');
  create domain score as integer check (value >= 0);
  create domain moment as timestamptz;
  create domain scores as score[];
  create domain grade as score;
  create type pair as (a integer, b text);
  create type span as range (subtype = integer);`

/** Types that only the catalogue of the database describes. */
const READ: readonly (readonly [sql: string, value: unknown])[] = [
  ["array['sad', 'so, so', '{}', 'NULL', null]::mood[]", ['sad', 'so, so', '{}', 'NULL', null]],
  ["array[array['sad'], array['{}']]::mood[]", [['sad'], ['{}']]],
  ["'{}'::mood[]", []],
  ["'{}'::mood", '{}'],
  ['array[1, null]::score[]', [1, null]],
  ['array[1]::grade[]', [1]],
  ['array[1, 2]::scores', [1, 2]],
  ['array[array[1, 2]::scores, array[3]::scores]', [[1, 2], [3]]],
  ["array['2024-02-03 04:05:06Z']::moment[]", [new Date('2024-02-03T04:05:06Z')]],
  ["array['[1,5)', 'empty']::int4range[]", ['[1,5)', 'empty']],
  ["array['[1,5)']::span[]", ['[1,5)']],
  ["'{[1,3),[5,7)}'::int4multirange", '{[1,3),[5,7)}'],
  ["array['{[1,3),[5,7)}']::int4multirange[]", ['{[1,3),[5,7)}']],
  ["array[row(1, 'x')::pair]", ['(1,x)']],
  ['array[point(1, 2), null]', ['(1,2)', null]],
  ["array[box '(1,1),(0,0)', box '(2,2),(1,1)']", ['(1,1),(0,0)', '(2,2),(1,1)']],
  ["array['a & b'::tsquery]", ["'a' & 'b'"]],
  ["'1 2'::int2vector", '1 2'],
  ["array['pg_class'::regclass]", ['pg_class']],
  ["array['$.a'::jsonpath]", ['$."a"']],
]

describeWithServer('types that only the database defines', () => {
  let database: OwnDatabase
  let app: TestApp
  let db: Database

  beforeAll(async () => {
    database = await ownServerDatabase()
    app = await TestApp.create({ plugins: [postgres(database.options)], logger: false })
    db = app.get(Database)
    for (const text of TYPES.split(';').filter((part) => part.trim())) await db.query(text)
  })
  afterAll(async () => {
    await app?.close()
    await database?.[Symbol.asyncDispose]()
  })

  it.each(READ)('are read, with their arrays as lists: %s', async (sql, value) => {
    const text = `select ${sql} as value`
    expect(await db.sql`select ${1}::integer as one`).toEqual([{ one: 1 }])
    expect((await db.query(text)).rows).toEqual([{ value }])
    expect((await db.query({ text, rowMode: 'array' })).rows).toEqual([[value]])
  })

  it('are read in a transaction, even if several columns have the same name', async () => {
    const rows = await db.transaction(
      () => db.sql`select array['sad']::mood[] as a, 1 as b, array['sad']::mood[] as b, 2 as b`,
    )
    expect(rows).toEqual([{ a: ['sad'], b: 2 }])
  })

  it('are read as strings if the option `texts` requires it', async () => {
    const text = "select array['sad']::mood[] as mood, array[now()]::moment[] as moments"
    const all = await db.query<Record<string, string>>({ text, texts: 'all' })
    expect(all.rows[0]?.['mood']).toBe('{sad}')
    const times = await db.query<Record<string, unknown>>({ text, texts: 'times' })
    expect(times.rows[0]).toEqual({ mood: ['sad'], moments: [expect.stringMatching(/^\d{4}-/)] })
  })

  it('can be created after the first query of the application', async () => {
    await db.query("create type late as enum ('one', 'two')")
    expect(await db.sql`select array['two']::late[] as list`).toEqual([{ list: ['two'] }])
  })
})
