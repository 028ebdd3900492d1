import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueryResult, Statement } from '../../src/integrations/postgres/driver.js'

type Run = (statement: Statement) => Promise<QueryResult>

/** An expression, the value as which it is read, and the text that PostgreSQL sends for it. */
const READ: readonly (readonly [sql: string, value: unknown, text: string | null])[] = [
  ['null::int', null, null],
  ['true', true, 't'],
  ['false', false, 'f'],
  ['32767::int2', 32767, '32767'],
  ['(-2147483648)::int4', -2147483648, '-2147483648'],
  ['9223372036854775807::int8', '9223372036854775807', '9223372036854775807'],
  ['0.10::numeric', '0.10', '0.10'],
  ["'NaN'::numeric", 'NaN', 'NaN'],
  ['1.5::float4', 1.5, '1.5'],
  ['0.1::float8 + 0.2::float8', 0.1 + 0.2, '0.30000000000000004'],
  ["'NaN'::float8", Number.NaN, 'NaN'],
  ["'-Infinity'::float8", Number.NEGATIVE_INFINITY, '-Infinity'],
  ['4294967295::oid', 4294967295, '4294967295'],
  ["'a\"b\\c\u{1f600}'::text", 'a"b\\c\u{1f600}', 'a"b\\c\u{1f600}'],
  ["''::text", '', ''],
  ["'ab'::char(4)", 'ab  ', 'ab  '],
  ["'x'::name", 'x', 'x'],
  [
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  ],
  ["date '2024-02-29'", '2024-02-29', '2024-02-29'],
  ["date '0044-03-15 BC'", '0044-03-15 BC', '0044-03-15 BC'],
  ["date 'infinity'", 'infinity', 'infinity'],
  ["time '04:05:06.789'", '04:05:06.789', '04:05:06.789'],
  ["interval '1 year 2 days 03:04:05'", '1 year 2 days 03:04:05', '1 year 2 days 03:04:05'],
  [
    "timestamp '2024-02-03 04:05:06.7'",
    new Date('2024-02-03T04:05:06.700Z'),
    '2024-02-03 04:05:06.7',
  ],
  ["timestamp 'infinity'", Number.POSITIVE_INFINITY, 'infinity'],
  ["timestamptz '-infinity'", Number.NEGATIVE_INFINITY, '-infinity'],
  ['\'{"a": [1, null, "x"]}\'::json', { a: [1, null, 'x'] }, '{"a": [1, null, "x"]}'],
  ['\'{"a":1}\'::jsonb', { a: 1 }, '{"a": 1}'],
  ["'null'::jsonb", null, 'null'],
  ['\'"x"\'::json', 'x', '"x"'],
  ["'\\x00ff41'::bytea", Buffer.from([0, 255, 65]), '\\x00ff41'],
  ["''::bytea", Buffer.alloc(0), '\\x'],
  ["'10.0.0.0/8'::cidr", '10.0.0.0/8', '10.0.0.0/8'],
  ["'[1,5)'::int4range", '[1,5)', '[1,5)'],
  ['point(1, 2)', '(1,2)', '(1,2)'],
  ["B'101'", '101', '101'],
  ["row(1, 'a')", '(1,a)', '(1,a)'],
  ['array[1, null, 3]', [1, null, 3], '{1,NULL,3}'],
  ["'{}'::int[]", [], '{}'],
  [
    'array[[1, 2], [3, 4]]',
    [
      [1, 2],
      [3, 4],
    ],
    '{{1,2},{3,4}}',
  ],
  ["'[0:1]={7,8}'::int[]", [7, 8], '[0:1]={7,8}'],
  ['array[true, null]', [true, null], '{t,NULL}'],
  ['array[1, 2]::int8[]', ['1', '2'], '{1,2}'],
  ['array[0.10]', ['0.10'], '{0.10}'],
  [
    "array['NULL', 'a,b', '{}', '', ' ', null]",
    ['NULL', 'a,b', '{}', '', ' ', null],
    '{"NULL","a,b","{}",""," ",NULL}',
  ],
  ["array[date '2024-02-29']", ['2024-02-29'], '{2024-02-29}'],
  [
    "array[timestamp '2024-02-03 04:05:06', null]",
    [new Date('2024-02-03T04:05:06Z'), null],
    '{"2024-02-03 04:05:06",NULL}',
  ],
  ["array['\\x01'::bytea]", [Buffer.from([1])], '{"\\\\x01"}'],
  ['array[\'{"a":"}"}\'::jsonb]', [{ a: '}' }], '{"{\\"a\\": \\"}\\"}"}'],
  ["array[interval '1 day']", ['1 day'], '{"1 day"}'],
  [
    "array['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid]",
    ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}',
  ],
]

/** Moments in distant years and in other time zones. */
const MOMENTS: readonly (readonly [zone: string, text: string, moment: string])[] = [
  ['UTC', '2024-02-03 04:05:06.789999+00', '2024-02-03T04:05:06.789Z'],
  ['Asia/Kathmandu', '2024-02-03 04:05:06+00', '2024-02-03T04:05:06Z'],
  ['America/St_Johns', '1883-06-01 00:00:00.5+00', '1883-06-01T00:00:00.500Z'],
  ['Europe/Vienna', '0050-01-01 00:00:00+00', '0050-01-01T00:00:00Z'],
  ['UTC', '12024-02-03 04:05:06+00', '+012024-02-03T04:05:06Z'],
  ['UTC', '0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00Z'],
]

/** A value, the type as which it is sent, and the text that PostgreSQL stores. */
const WRITTEN: readonly (readonly [value: unknown, type: string, text: string | null])[] = [
  [null, 'int', null],
  [undefined, 'text', null],
  ['x', 'text', 'x'],
  ['', 'text', ''],
  [1, 'int', '1'],
  [-0, 'int', '0'],
  [1e21, 'numeric', '1000000000000000000000'],
  [0.1, 'float8', '0.1'],
  [Number.NaN, 'float8', 'NaN'],
  [Number.POSITIVE_INFINITY, 'float8', 'Infinity'],
  [9223372036854775807n, 'int8', '9223372036854775807'],
  [true, 'bool', 'true'],
  [false, 'bool', 'false'],
  [new Date('2024-02-03T04:05:06.789Z'), 'timestamptz', '2024-02-03 04:05:06.789+00'],
  [new Date('2024-02-03T04:05:06.789Z'), 'timestamp', '2024-02-03 04:05:06.789'],
  [new Date('2024-02-03T23:59:59Z'), 'date', '2024-02-03'],
  [new Date('-000043-03-15T12:00:00Z'), 'timestamptz', '0044-03-15 12:00:00+00 BC'],
  [new Date('+012024-02-03T04:05:06Z'), 'timestamptz', '12024-02-03 04:05:06+00'],
  [new Date('0050-01-01T00:00:00Z'), 'timestamptz', '0050-01-01 00:00:00+00'],
  [Buffer.from([0, 255, 39]), 'bytea', '\\x00ff27'],
  [new Uint8Array([1, 2, 3]).subarray(1), 'bytea', '\\x0203'],
  [new Uint8Array([1, 2]).buffer, 'bytea', '\\x0102'],
  [Buffer.alloc(0), 'bytea', '\\x'],
  [{ a: [1, 'x', null] }, 'jsonb', '{"a": [1, "x", null]}'],
  [Object.create(null), 'jsonb', '{}'],
  [JSON.stringify([1, 2]), 'jsonb', '[1, 2]'],
  [{ toJSON: () => undefined }, 'jsonb', null],
  [[1, null, undefined, 3], 'int[]', '{1,NULL,NULL,3}'],
  [[], 'int[]', '{}'],
  [
    [
      [1, 2],
      [3, 4],
    ],
    'int[]',
    '{{1,2},{3,4}}',
  ],
  [['a"b', 'c\\d', '{}', ',', 'NULL', ''], 'text[]', '{"a\\"b","c\\\\d","{}",",","NULL",""}'],
  [[1n, 2n], 'int8[]', '{1,2}'],
  [[true, false], 'bool[]', '{t,f}'],
  [[new Date('2024-02-03T04:05:06Z')], 'timestamp[]', '{"2024-02-03 04:05:06"}'],
  [[Buffer.from([1]), new Uint8Array([255])], 'bytea[]', '{"\\\\x01","\\\\xff"}'],
  [[{ a: '"' }], 'jsonb[]', '{"{\\"a\\": \\"\\\\\\"\\"}"}'],
]

/** How values are sent to PostgreSQL and read from it. Every driver passes this suite. */
export function describeValues(run: Run): void {
  describe('values of columns and parameters', () => {
    it.each(READ)('are read as JavaScript values: %s', async (sql, value) => {
      expect((await run({ text: `select ${sql} as value` })).rows).toEqual([{ value }])
      const lists = await run({ text: `select ${sql}`, rowMode: 'array' })
      expect(lists.rows).toEqual([[value]])
    })

    it.each(READ)("are read as strings when texts is 'all': %s", async (sql, _, text) => {
      const { rows } = await run({ text: `select ${sql} as value`, texts: 'all' })
      expect(rows).toEqual([{ value: text }])
    })

    it.each(MOMENTS)(
      'are read as the same moment in each time zone: %s, %s',
      async (zone, text, moment) => {
        const values = [text, zone]
        const statement = `select set_config('TimeZone', $2, true) as zone, ($1::text)::timestamptz as moment`
        expect((await run({ text: statement, values })).rows).toEqual([
          { zone, moment: new Date(moment) },
        ])
      },
    )

    it('are read as bytes when bytea_output is escape', async () => {
      const text = `select set_config('bytea_output', 'escape', true) as style, '\\x005c41ff'::bytea as bytes`
      expect((await run({ text })).rows).toEqual([
        { style: 'escape', bytes: Buffer.from([0, 92, 65, 255]) },
      ])
    })

    it.each(WRITTEN)('are written as PostgreSQL values: %s as %s', async (value, type, text) => {
      const statement = { text: `select ($1::${type})::text as text`, values: [value] }
      const zone = "select set_config('TimeZone', 'UTC', false)"
      await run({ text: zone })
      expect((await run(statement)).rows).toEqual([{ text }])
    })

    it.each<[name: string, value: unknown]>([
      ['Map', new Map([['a', 1]])],
      ['Set', new Set([1])],
      ['URLSearchParams', new URLSearchParams('a=1')],
      ['Headers', new Headers({ a: '1' })],
      ['FormData', new FormData()],
      ['Map Iterator', new Map().keys()],
      ['Promise', Promise.resolve(1)],
      ['RegExp', /a/],
      ['Error', new Error('a')],
      ['Blob', new Blob(['a'])],
    ])('are refused if JSON cannot represent them: %s', async (name, value) => {
      for (const each of [value, { a: [{}, value] }, [value]]) {
        const statement = { text: 'select $1::jsonb as json', values: [each] }
        await expect(run(statement)).rejects.toMatchObject({
          code: '22023',
          message: expect.stringContaining(
            `A value of type ${name} cannot be represented in JSON: `,
          ),
        })
      }
    })

    it('can be objects without fields, and objects with a JSON form', async () => {
      class Empty {}
      const json = [{}, new Empty(), Object.create(null), Object(1), Object(''), new Date(0)]
      const list = [...json, { toJSON: () => ({}) }, [], new URL('http://a.test')]
      const [row] = (await run({ text: 'select $1::jsonb as json', values: [{ list }] })).rows
      expect(row).toEqual({ json: { list: JSON.parse(JSON.stringify(list)) } })
    })

    it('are returned as they were sent, alone and in lists', async () => {
      const text = fc
        .string({ unit: 'grapheme', maxLength: 20 })
        .filter((each) => !each.includes('\0'))
      const hostile = fc.constantFrom(
        '"',
        '\\',
        '{',
        '}',
        ',',
        'NULL',
        "'",
        '\n',
        '\u2028',
        '$1',
        ';--',
      )
      const values = fc.array(fc.oneof(text, hostile, fc.constant(null)), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(values, async (list) => {
          const statement = 'select $1::text[] as list, $2::jsonb as json, $3::text as first'
          const json = { list }
          const first = list[0] ?? null
          const { rows } = await run({ text: statement, values: [list, json, first] })
          expect(rows).toEqual([{ list, json, first }])
        }),
        { numRuns: 200 },
      )
    })

    it('are returned by column name, and the last of two columns with the same name is used', async () => {
      const { rows, fields } = await run({ text: 'select 1 as a, 2 as b, null as a, 3 as "A b"' })
      expect(rows).toEqual([{ a: null, b: 2, 'A b': 3 }])
      expect(fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
        ['a', 23],
        ['b', 23],
        ['a', 25],
        ['A b', 23],
      ])
      const lists = await run({ text: 'select 1 as a, 2 as b, 3 as a', rowMode: 'array' })
      expect(lists.rows).toEqual([[1, 2, 3]])
    })

    it('can have a column name that every object inherits as a property', async () => {
      const text = `select '{"x":1}'::jsonb as __proto__, 1 as constructor, 2 as "toString"`
      const [row] = (await run({ text })).rows
      expect(Object.keys(row as object)).toEqual(['__proto__', 'constructor', 'toString'])
      expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
      expect(({} as { x?: number }).x).toBeUndefined()
      const json = await run({ text: `select '{"__proto__":{"x":1}}'::jsonb as json` })
      expect(json.rows[0]?.['json']).not.toHaveProperty('x')
    })

    it('can be strings of three million characters', async () => {
      const value = 'ä'.repeat(3_000_000)
      const { rows } = await run({ text: 'select $1::text as value', values: [value] })
      expect(rows[0]?.['value'] === value).toBe(true)
    })
  })
}
