import { csv } from 'blazon'
import { describe, expect, it } from 'vitest'

const write = (data: unknown, options?: Parameters<typeof csv>[0]) =>
  csv(options).serialize(data, {} as never)

/** Writes rows that come one by one. */
const streamed = async (rows: readonly object[], options?: Parameters<typeof csv>[0]) => {
  const lines: unknown[] = []
  const source = (async function* () {
    yield* rows
  })()
  for await (const line of write(source, options) as AsyncIterable<unknown>) lines.push(line)
  return lines.join('')
}

describe('the function csv()', () => {
  it('writes an invalid date as an empty field', () => {
    expect(write([{ a: new Date(Number.NaN), b: 1 }])).toBe('a,b\r\n,1\r\n')
  })

  it.each([' a', 'a ', '\u00a0a', 'a\t', 'a\nb', 'a\rb', 'a,b'])(
    'quotes a field with a comma, a line break, or a space at its end: %j',
    (text) => {
      expect(write([{ a: text }])).toBe(`a\r\n"${text}"\r\n`)
    },
  )

  it('reads the fields of a row from its toJSON method, at once and one by one', async () => {
    const row = () => Object.create({ toJSON: () => ({ id: 1 }) })
    expect([write([row()]), await streamed([row()])]).toEqual(Array(2).fill('id\r\n1\r\n'))
  })

  it.each([
    [undefined, 'received undefined'],
    [null, 'received null'],
    ['text', 'received a value of the type string'],
    [{ id: 1 }, 'received a value of the type object'],
    [[undefined], 'one of its items is undefined'],
    [[null], 'one of its items is null'],
    [[[1]], 'one of its items is a list'],
    [[{ toJSON: () => 7 }], 'one of its items is a value of the type number'],
  ])('refuses %j, and names what it has received', (data, message) => {
    expect(() => write(data)).toThrow(
      new TypeError(`text/csv needs a list of objects, but ${message}.`),
    )
  })

  it('writes nothing without columns, at once and one by one', async () => {
    expect([write([{}, {}]), await streamed([{}, {}])]).toEqual(['', ''])
    const none = { columns: [] }
    expect([write([{ a: 1 }], none), await streamed([{ a: 1 }], none)]).toEqual(['', ''])
  })

  it('writes an object that is omitted in JSON as an empty field', () => {
    expect(write([{ a: { toJSON: () => undefined }, b: 1 }])).toBe('a,b\r\n,1\r\n')
  })

  it('allows ten fields for each value, besides 100,000 fields', () => {
    const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ [`key${n}`]: n }))
    // 321 rows have 103,041 fields, and 322 rows have 103,684 fields.
    expect(String(write(rowsOf(321))).split('\r\n')).toHaveLength(323)
    expect(() => write(rowsOf(322))).toThrow('too many empty fields')
  })
})
