import { describe, expect, it } from 'vitest'
import type { QueryResult, Statement } from '../../../src/integrations/postgres/driver.js'
import { isRead, OwnTypes } from '../../../src/integrations/postgres/values/own-types.js'
import {
  arrayOf,
  isKnown,
  readResult,
} from '../../../src/integrations/postgres/values/read-value.js'
import { checkText, writeValues } from '../../../src/integrations/postgres/values/write-values.js'

const field = (dataTypeID: number, name = 'value') => ({ name, dataTypeID })

/** Reads one value of a type. */
function read(oid: number, text: string | null, more: Partial<Statement> = {}): unknown {
  const statement = { text: 'select', ...more }
  const { rows } = readResult({ rows: [[text]], fields: [field(oid)] }, statement)
  return rows[0]?.['value']
}

describe('a value of PostgreSQL', () => {
  it.each<[oid: number, text: string | null, value: unknown]>([
    [23, null, null],
    [16, 't', true],
    [16, 'f', false],
    [20, '9223372036854775807', '9223372036854775807'],
    [21, '-7', -7],
    [26, '4294967295', 4_294_967_295],
    [700, '1.5', 1.5],
    [701, 'NaN', Number.NaN],
    [1700, '0.10', '0.10'],
    [1082, '2024-02-29', '2024-02-29'],
    [114, '{"a":[1]}', { a: [1] }],
    [3802, 'null', null],
    [17, '\\x00ff', Buffer.from([0, 255])],
    [17, 'a\\\\b\\000\\377', Buffer.from([97, 92, 98, 0, 255])],
    [1114, '2024-02-03 04:05:06', new Date('2024-02-03T04:05:06Z')],
    [1114, '2024-02-03 04:05:06.7', new Date('2024-02-03T04:05:06.700Z')],
    [1184, '2024-02-03 04:05:06.007899+00', new Date('2024-02-03T04:05:06.007Z')],
    [1184, '2024-02-03 04:05:06+05:45', new Date('2024-02-02T22:20:06Z')],
    [1184, '1883-06-01 00:00:00-03:30:52', new Date('1883-06-01T03:30:52Z')],
    [1184, '0050-01-02 00:00:00+01', new Date('0050-01-01T23:00:00Z')],
    [1184, '12024-02-03 04:05:06+00', new Date('+012024-02-03T04:05:06Z')],
    [1184, '0044-03-15 12:00:00+00 BC', new Date('-000043-03-15T12:00:00Z')],
    [1184, 'infinity', Number.POSITIVE_INFINITY],
    [1184, '-infinity', Number.NEGATIVE_INFINITY],
    [1184, 'Sat 03 Feb 2024', 'Sat 03 Feb 2024'],
    [1007, '{1,NULL,{2}}', [1, null, [2]]],
    [1007, '[0:1]={7,8}', [7, 8]],
    [1007, '{}', []],
    [1007, '{{},{}}', [[], []]],
    [1009, '{"NULL","a,b","}","\\"\\\\",NULL,null}', ['NULL', 'a,b', '}', '"\\', null, 'null']],
    [1016, '{1}', ['1']],
    [1182, '{2024-02-29}', ['2024-02-29']],
    [1115, '{"2024-02-03 04:05:06",NULL}', [new Date('2024-02-03T04:05:06Z'), null]],
    [999_999, '(1,2)', '(1,2)'],
  ])('of the type %i is read from %s', (oid, text, value) => {
    expect(read(oid, text)).toEqual(value)
  })

  it('stays a string if the statement requires it', () => {
    expect(read(23, '7', { texts: 'all' })).toBe('7')
    expect(read(1184, '2024-02-03 04:05:06+00', { texts: 'times' })).toBe('2024-02-03 04:05:06+00')
    expect(read(1115, '{x}', { texts: 'times' })).toBe('{x}')
    expect(read(23, '7', { texts: 'times' })).toBe(7)
    expect(read(23, null, { texts: 'all' })).toBeNull()
  })

  it('is in a row by the name of its column, or by its position', () => {
    const result = {
      rows: [['1', '2', '3']],
      fields: [field(23, '__proto__'), field(23, 'b'), field(23, 'b')],
      rowCount: 1,
      command: 'SELECT',
    }
    const named = readResult(result, { text: 'select' })
    expect(Object.entries(named.rows[0] as object)).toEqual([
      ['__proto__', 1],
      ['b', 3],
    ])
    expect(named).toMatchObject({ rowCount: 1, command: 'SELECT', fields: result.fields })
    expect(readResult(result, { text: 'select', rowMode: 'array' }).rows).toEqual([[1, 2, 3]])
    expect(readResult({ rows: [], fields: [] }, { text: '' })).toEqual({
      rows: [],
      fields: [],
      rowCount: 0,
      command: '',
    })
  })

  it('can have another separator in a list', () => {
    expect(arrayOf(String, ';')('{(1,1),(0,0);(2,2),(1,1)}')).toEqual([
      '(1,1),(0,0)',
      '(2,2),(1,1)',
    ])
  })
})

const LIST = 70_001
const ELEMENT = 70_002

/** A result with one column, and a catalog in which `LIST` is the type of lists of `ELEMENT`. */
function ownTypes(delimiter = ',') {
  const asked: unknown[][] = []
  const ask = async ({ values = [] }: Statement): Promise<QueryResult> => {
    asked.push([...values])
    const isList = (values[0] as number[]).includes(LIST)
    const rows = isList ? [{ list: LIST, oid: ELEMENT, delimiter }] : []
    return { rows, rowCount: rows.length, command: 'SELECT', fields: [] }
  }
  const types = new OwnTypes()
  const readOne = async (text: unknown, more: Partial<Statement> = {}, oid = LIST) => {
    const row = more.rowMode === 'array' ? [text] : { value: text }
    const result = { rows: [row], rowCount: 1, command: 'SELECT', fields: [field(oid)] }
    const read = await types.read(result as QueryResult, { text: 'select', ...more }, ask)
    return Object.values(read.rows[0] as object)[0]
  }
  return { readOne, asked }
}

describe('a value of a type that only the database can describe', () => {
  it('is read as a list if it is an array, and its type is looked up once', async () => {
    const { readOne, asked } = ownTypes()
    expect(await readOne('{a,NULL}')).toEqual(['a', null])
    expect(await readOne('{b}', { rowMode: 'array' })).toEqual(['b'])
    expect(await readOne(null)).toBeNull()
    expect(asked).toEqual([[[LIST]], [[ELEMENT]]])
    expect(await readOne('{c}', {}, 70_003)).toBe('{c}')
    expect(await readOne('{c}', {}, 70_003)).toBe('{c}')
    expect(asked.slice(2)).toEqual([[[70_003]]])
  })

  it('is looked up again after a thousand other types', async () => {
    const { readOne, asked } = ownTypes()
    for (const oid of [LIST, ...Array.from({ length: 999 }, (_, n) => 80_000 + n)])
      expect(await readOne('{a}', {}, oid)).toEqual(oid === LIST ? ['a'] : '{a}')
    const before = asked.length
    expect(await readOne('{a}')).toEqual(['a'])
    expect(asked.length).toBeGreaterThan(before)
  })

  it('can have another separator', async () => {
    expect(await ownTypes(';').readOne('{a,b;c}')).toEqual(['a,b', 'c'])
  })

  it('is complete without the catalog if there are no rows or only known types', () => {
    const result = (oid: number, rows: object[]) =>
      ({ rows, fields: [field(23), field(oid)] }) as unknown as QueryResult
    expect(isRead(result(25, [{}]), { text: '' })).toBe(true)
    expect(isRead(result(LIST, [{}]), { text: '' })).toBe(false)
    expect(isRead(result(LIST, []), { text: '' })).toBe(true)
    expect(isRead(result(LIST, [{}]), { text: '', texts: 'all' })).toBe(true)
    expect(isRead(result(LIST, [{}]), { text: '', texts: 'times' })).toBe(false)
    expect([0, 2278, 1016, LIST].map(isKnown)).toEqual([true, true, true, false])
  })
})

const written = (...values: unknown[]) => writeValues({ text: 'select', values })

describe('a value of a statement', () => {
  it.each<[value: unknown, sent: unknown]>([
    [undefined, null],
    [null, null],
    ['', ''],
    [-0, '0'],
    [1e21, '1e+21'],
    [7n, '7'],
    [false, 'false'],
    [new Date('2024-02-03T04:05:06.789Z'), '2024-02-03T04:05:06.789Z'],
    [new Date('0050-01-01T00:00:00Z'), '0050-01-01T00:00:00.000Z'],
    [new Date('-000043-03-15T12:00:00Z'), '0044-03-15T12:00:00.000Z BC'],
    [new Date('0000-03-15T12:00:00Z'), '0001-03-15T12:00:00.000Z BC'],
    [new Date('+012024-02-03T04:05:06Z'), '12024-02-03T04:05:06.000Z'],
    [new Uint16Array([1, 2]).subarray(1), Buffer.from([2, 0])],
    [new Uint8Array([7]).buffer, Buffer.from([7])],
    [[1, 'a"\\', null, undefined, [2]], '{"1","a\\"\\\\",NULL,NULL,{"2"}}'],
    [[], '{}'],
    [[{ a: 1 }], '{"{\\"a\\":1}"}'],
    [[Buffer.from([1, 255])], '{"\\\\x01ff"}'],
    [{ a: [], b: {}, c: undefined }, '{"a":[],"b":{}}'],
    [{ toJSON: () => undefined }, null],
    [new Number(7), '7'],
  ])('is sent as a string, as bytes or as null: %o', (value, sent) => {
    expect(written(value)).toEqual([sent])
  })

  it('is null if it is a hole in the list', () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is the test
    const list = [1, , 2]
    expect(written(...list, list)).toEqual(['1', null, '2', '{"1",NULL,"2"}'])
    const values = new Array(2)
    expect(writeValues({ text: 'select', values })).toEqual([null, null])
    expect(writeValues({ text: 'select' })).toEqual([])
  })

  const circle: Record<string, unknown> = {}
  circle['own'] = circle
  it.each<[value: unknown, reason: RegExp]>([
    [() => 1, /A function cannot be a value of a statement/],
    [Symbol('s'), /A symbol cannot be/],
    [new Date(Number.NaN), /An invalid Date/],
    [
      new Map([[1, 2]]),
      /A value of type Map cannot be represented in JSON: it would be saved as {}/,
    ],
    [{ a: { b: new Set([1]) } }, /A value of type Set/],
    [Promise.resolve(1), /A value of type Promise/],
    [[new Map()], /A value of type Map/],
    [circle, /circular/i],
  ])('is refused if it has no form: %o', (value, reason) => {
    const run = () => written('a', value)
    expect(run).toThrow(reason)
    expect(run).toThrow(/^The value of \$2 cannot be sent\. /)
    expect(run).toThrow(expect.objectContaining({ code: '22023', name: 'PostgresError' }))
  })

  it('can be one of 65,535', () => {
    expect(written(...Array(65_535).fill(1))).toHaveLength(65_535)
    const many = () => writeValues({ text: 'select', values: Array(65_536).fill(1) })
    expect(many).toThrow('at most 65535 values, but this one has 65536')
    expect(many).toThrow(expect.objectContaining({ code: '54023' }))
  })
})

it('a statement with a NUL byte, or with rows that are never sent, is refused', () => {
  expect(() => checkText('select 1\0')).toThrow(expect.objectContaining({ code: '22021' }))
  for (const text of ['copy a from stdin', 'COPY a (b) FROM STDIN with csv'])
    expect(() => checkText(text)).toThrow(expect.objectContaining({ code: '0A000' }))
  for (const text of ["select 'from stdin'", 'select stdin from a', 'select 1 -- from stdin'])
    expect(() => checkText(text)).not.toThrow()
  expect(() => writeValues({ text: 'a\0' })).toThrow(expect.objectContaining({ code: '22021' }))
})
