import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FoundPlace } from '../../src/schema/found-places.js'
import { createDateWriter } from '../../src/schema/response-dates.js'
import { rounds } from '../rounds.js'

const RUNS = { numRuns: rounds(3000, 600), seed: 7 }

const NAMES = ['a', 'b', 'at', '__proto__', 'constructor', 'length', '0']
const anyName = fc.constantFrom(...NAMES)

const NONE: FoundPlace = { isFound: false, properties: new Map(), others: null, items: null }
const DATE: FoundPlace = { ...NONE, isFound: true }

const { anyPlaces } = fc.letrec<{ anyPlaces: FoundPlace }>((tie) => ({
  anyPlaces: fc.record<FoundPlace>({
    isFound: fc.boolean(),
    properties: maybe(fc.array(fc.tuple(anyName, tie('anyPlaces')), { maxLength: 3 }), []).map(
      (entries) => new Map(entries),
    ),
    others: maybe(tie('anyPlaces'), null),
    items: maybe(tie('anyPlaces'), null),
  }),
}))

function maybe<T>(arbitrary: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> {
  return fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constant(otherwise), arbitrary)
}

class Row {
  inherited = 1
  get at() {
    return new Date(1)
  }
}
class Money {
  at = new Date(0)
  toJSON() {
    return '1 EUR'
  }
}
class Rows extends Array<unknown> {
  static override get [Symbol.species]() {
    return Object as never
  }
}

/** Values that JSON.stringify treats in a special way. */
const anyLeaf = fc.oneof(
  { weight: 6, arbitrary: fc.date() },
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('\ud800', '\udc00 ', '"\\/\b\u2028', '2020-01-01T00:00:00.000Z'),
  fc.double(),
  fc.constantFrom<unknown>(undefined, null, true, -0, Number.NaN, Symbol('s'), () => 1),
  fc.integer().map((n) => Object.assign(Object(n) as object, { at: new Date(0) })),
  fc
    .string({ maxLength: 3 })
    .map((text) => Object.assign(Object(text) as object, { at: new Date(0) })),
  fc.constantFrom(1).map(() => new Money()),
  fc.constantFrom(1).map(() => new Map([['at', new Date(0)]])),
  fc.constantFrom(1).map(() => Object.assign(new Date(0), { toISOString: () => 'own' })),
  fc.bigInt(),
)

type Make = (entries: [string, unknown][]) => object

const MAKERS: Make[] = [
  (entries) => define({}, entries),
  (entries) => define(Object.create(null), entries),
  (entries) => define(new Row(), entries),
  (entries) => define({}, entries, false),
  (entries) => define(Object.create({ at: new Date(2), a: 1 }), entries),
  (entries) => define(Object.assign(new Date(0), { toJSON: null }), entries),
  (entries) => new Proxy(define({}, entries), {}),
  (entries) => getters(entries),
  (entries) =>
    define(
      [],
      entries.filter(([name]) => name !== 'length'),
    ),
]

function define(object: object, entries: [string, unknown][], enumerable = true): object {
  for (const [name, value] of entries) {
    const last = name === 'a' ? enumerable : true
    Object.defineProperty(object, name, {
      value,
      enumerable: last,
      writable: true,
      configurable: true,
    })
  }
  return Object.assign(object, { [Symbol('hidden')]: new Date(3) })
}

function getters(entries: [string, unknown][]): object {
  const object = {}
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { get: () => value, enumerable: true, configurable: true })
  }
  return object
}

const { anyValue } = fc.letrec((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    anyLeaf,
    fc
      .tuple(
        fc.constantFrom(...MAKERS),
        fc.array(fc.tuple(anyName, tie('anyValue')), { maxLength: 4 }),
      )
      .map(([make, entries]) => make(entries)),
    fc.array(tie('anyValue'), { maxLength: 4 }),
    fc.array(tie('anyValue'), { maxLength: 4 }).map((items) => Rows.from(items)),
    fc.array(tie('anyValue'), { maxLength: 2 }).map((items) => Object.assign(new Array(3), items)),
  ),
}))

/** The result of JSON.stringify: a text, `undefined`, or an error. */
function toJson(value: unknown): unknown {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return `${error}`
  }
}

describe('a date writer', () => {
  it('does not change the JSON text of any value, for any schema', () => {
    let written = 0
    fc.assert(
      fc.property(anyPlaces, anyValue, (places, value) => {
        const before = toJson(value)
        const result = createDateWriter(places)(value)
        if (result !== value) written++
        expect(toJson(result)).toBe(before)
        expect(toJson(value)).toBe(before)
      }),
      RUNS,
    )
    expect(written).toBeGreaterThan(RUNS.numRuns / 30)
  })

  const row: FoundPlace = { ...NONE, properties: new Map([['at', DATE]]) }
  const at = new Date('2024-02-29T12:34:56.789Z')

  it('converts dates, so that JSON.stringify does not call their toJSON', () => {
    const rows = { ...NONE, items: row }
    expect(createDateWriter(rows)([{ at, more: 1 }, { at }])).toEqual([
      { at: '2024-02-29T12:34:56.789Z', more: 1 },
      { at: '2024-02-29T12:34:56.789Z' },
    ])
    expect(createDateWriter({ ...NONE, others: DATE })({ a: at, b: 'text' })).toEqual({
      a: '2024-02-29T12:34:56.789Z',
      b: 'text',
    })
  })

  it('does not change the value that it receives', () => {
    const given = Object.freeze({ list: Object.freeze([Object.freeze({ at })]), at })
    const places = {
      ...row,
      properties: new Map([
        ['at', DATE],
        ['list', { ...NONE, items: row }],
      ]),
    }
    expect(createDateWriter(places)(given)).toEqual({
      list: [{ at: at.toISOString() }],
      at: at.toISOString(),
    })
    expect(given.list[0]?.at).toBe(at)
  })

  it('copies only the objects and lists that contain a date', () => {
    const rest = { big: [1, 2, 3] }
    const result = createDateWriter(row)({ at, rest }) as { rest: unknown }
    expect(result.rest).toBe(rest)
    const text = { at: at.toISOString(), rest }
    expect(createDateWriter(row)(text)).toBe(text)
  })

  it('skips a list if its first item has no date', () => {
    const list = [{ at: 'text' }, { at }]
    expect(createDateWriter({ ...NONE, items: row })(list)).toBe(list)
    const mixed = createDateWriter({ ...NONE, items: row })([{ at }, { at: null }, { at }])
    expect(mixed).toEqual([{ at: at.toISOString() }, { at: null }, { at: at.toISOString() }])
  })

  it('leaves cycles unchanged, so that JSON.stringify rejects them', () => {
    const circle: Record<string, unknown> = { at }
    circle['self'] = circle
    const places = {
      ...row,
      properties: new Map([
        ['at', DATE],
        ['self', row],
      ]),
    }
    expect(() => JSON.stringify(createDateWriter(places)(circle))).toThrow('circular')
  })
})
