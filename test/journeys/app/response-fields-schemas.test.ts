import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ADA, json, ROW, read, routeOf, start, Tagged, User } from './response-fields-app.js'

const LIBRARIES: [string, object][] = [
  ['zod', z.object({ user: User, list: z.array(User), at: z.date().nullable() })],
  [
    'valibot',
    v.object({
      user: v.object({ id: v.number(), name: v.string() }),
      list: v.array(v.object({ id: v.number(), name: v.string() })),
      at: v.nullable(v.date()),
    }),
  ],
  [
    'arktype',
    type({
      user: { id: 'number', name: 'string' },
      list: type({ id: 'number', name: 'string' }).array(),
      at: 'Date|null',
    }),
  ],
  [
    'TypeBox',
    Type.Object({
      user: Type.Object({ id: Type.Integer(), name: Type.String() }),
      list: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
      at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    }),
  ],
]

describe('a response schema', () => {
  it.each(LIBRARIES)('determines the sent fields if it is a schema of %s', async (_, schema) => {
    const at = new Date(0)
    await start(routeOf(schema, () => ({ user: ROW, list: [ROW, ROW], at, secret: 1 })))
    const data = { user: ADA, list: [ADA, ADA], at: at.toISOString() }
    expect((await json('/user')).data).toEqual(data)
  })

  it('keeps additional properties if it allows them', async () => {
    const row = { a: 'a', secret: 'x' }
    const schema = z.object({
      loose: z.looseObject({ a: z.string() }),
      rest: z.object({ a: z.string() }).catchall(User),
      record: z.record(z.string(), User),
      listed: z.partialRecord(z.enum(['ada']), User),
      any: z.unknown(),
    })
    const value = {
      loose: row,
      rest: { a: 'a', b: ROW },
      record: { x: ROW },
      listed: { ada: ROW, b: ROW },
      any: row,
    }
    await start(routeOf(schema, () => value))
    expect((await json('/user')).data).toEqual({
      loose: row,
      rest: { a: 'a', b: ADA },
      record: { x: ADA },
      listed: { ada: ADA },
      any: row,
    })
  })

  it('keeps additional properties if it is a looseObject of valibot', async () => {
    const schema = v.looseObject({ id: v.number() })
    await start(routeOf(schema, () => ROW))
    expect((await json('/user')).data).toEqual(ROW)
  })

  it('filters the fields at every depth if it is recursive', async () => {
    const Node = z.object({
      id: z.int(),
      get children() {
        return z.array(Node)
      },
    })
    const leaf = { id: 3, children: [], secret: 3 }
    await start(
      routeOf(Node, () => ({
        id: 1,
        children: [{ id: 2, children: [leaf], secret: 2 }],
        secret: 1,
      })),
    )
    const text = (await read('/user')).text
    expect(text).toContain('"id":3')
    expect(text).not.toContain('secret')
  })

  it('filters the fields of pattern properties that refer to the schema itself', async () => {
    const Node = {
      type: 'object',
      properties: { name: { type: 'string' } },
      patternProperties: { '^child': { $ref: '#' } },
      allOf: [{ properties: { childOfAll: {} } }],
    }
    const child = { name: 'x', secret: 1 }
    await start(routeOf(Node, () => ({ ...child, childOfAll: child, childOfOne: child })))
    const { data } = await json('/user')
    expect(data).toEqual({ name: 'x', childOfAll: { name: 'x' }, childOfOne: { name: 'x' } })
  })

  it('is not evaluated an exponential number of times if it contains a recursive union', async () => {
    let compared = 0
    const counted = Object.defineProperty({ type: 'string' }, 'minLength', {
      get: () => void compared++,
    })
    const Node = { $ref: '#/$defs/Node' }
    const alternative = (more: object) => ({
      type: 'object',
      properties: { name: counted, child: { ...Node }, ...more },
    })
    const union = { anyOf: [alternative({}), alternative({ size: { type: 'integer' } })] }
    let value: object = { name: null }
    for (let depth = 0; depth < 12; depth++) value = { name: 'x', child: value, secret: 1 }
    await start(routeOf({ ...Node, $defs: { Node: union } }, () => value))
    const { text } = await read('/user')
    expect(text).not.toContain('secret')
    expect(compared).toBeLessThan(2000)
  })
})

/** A union whose alternatives share nothing that tells them apart. */
const Plain = z.union([
  z.object({ id: z.int(), mail: z.string() }),
  z.object({ id: z.int(), phone: z.string() }),
])

describe('a union in a response schema', () => {
  const UNIONS: [string, object, unknown, unknown][] = [
    [
      'keeps the fields of the alternative that the tag selects',
      Tagged,
      { kind: 'cat', name: 'a', lives: 9, owner: 'x' },
      { kind: 'cat', name: 'a', lives: 9 },
    ],
    [
      'keeps only the common fields if the tag is unknown',
      Tagged,
      { kind: 'cow', name: 'a', lives: 9, owner: 'x' },
      { kind: 'cow', name: 'a' },
    ],
    [
      'keeps the fields of the only alternative that matches',
      Plain,
      { id: 1, mail: 'm', phone: 2 },
      { id: 1, mail: 'm' },
    ],
    [
      'keeps the fields of all alternatives that match',
      Plain,
      { id: 1, mail: 'm', phone: 'p', x: 1 },
      { id: 1, mail: 'm', phone: 'p' },
    ],
    [
      'keeps only the common fields if no alternative matches',
      Plain,
      { id: 1, mail: 1, phone: 1 },
      { id: 1 },
    ],
    ['with null keeps the fields of the other alternative', User.nullable(), ROW, ADA],
    ['with a string keeps the fields of the object', z.union([z.string(), User]), ROW, ADA],
    [
      'in a list is evaluated for each item',
      z.array(Plain),
      [
        { id: 1, mail: 'm', phone: 2 },
        { id: 2, mail: 1, phone: 'p' },
      ],
      [
        { id: 1, mail: 'm' },
        { id: 2, phone: 'p' },
      ],
    ],
  ]

  it.each(UNIONS)('%s', async (_, schema, value, data) => {
    await start(routeOf(schema, () => value))
    expect((await json('/user')).data).toEqual(data)
  })
})
