import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { OpenApiSchema, SchemaSide } from '../../../src/contracts/openapi.js'
import { describeSchema } from '../../../src/schema/describe-schema.js'

const DATE = { type: 'string', format: 'date-time' } as const
const DIGITS = { type: 'string', pattern: '^-?\\d+$' } as const
const BINARY = { type: 'string', format: 'binary' } as const
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The description of a property `p` of a type, on one side. */
const property = (schema: z.ZodType, side: SchemaSide) => {
  const described = describeSchema(z.object({ p: schema }), { side })
  return {
    schema: described.schema.properties?.p,
    isRequired: described.schema.required?.includes('p') ?? false,
    losses: described.losses.map(({ path }) => path),
  }
}

let count = 0

describe('a zod schema', () => {
  it.each<[string, z.ZodType, OpenApiSchema]>([
    ['date', z.date(), DATE],
    ['coerced date', z.coerce.date(), DATE],
    ['nullable date', z.date().nullable(), { ...DATE, nullable: true }],
    ['instance of Date', z.instanceof(Date), DATE],
    ['file', z.file(), BINARY],
    [
      'file of types',
      z.file().mime(['a/b', 'c/d']),
      { ...BINARY, 'x-content-media-type': 'a/b, c/d' },
    ],
    ['instance of File', z.instanceof(File), BINARY],
    ['base64', z.base64(), { type: 'string', format: 'byte', pattern: expect.any(String) }],
    ['startsWith', z.string().startsWith('a'), { type: 'string', pattern: '^a.*' }],
    ['read-only', z.string().readonly(), { type: 'string' }],
    ['int32', z.int32(), { type: 'integer', format: 'int32' }],
    ['refined', z.string().refine(() => false), { type: 'string' }],
  ])('is described identically on both sides, without losses: %s', (_, schema, expected) => {
    const same = { schema: expected, isRequired: true, losses: [] }
    expect(property(schema, 'input')).toEqual(same)
    expect(property(schema, 'output')).toEqual(same)
  })

  it.each<[string, z.ZodType, OpenApiSchema | undefined, readonly string[]]>([
    ['bigint', z.bigint(), DIGITS, ['p']],
    ['map', z.map(z.string(), z.string()), { type: 'object' }, ['p']],
    ['set', z.set(z.string()), { type: 'object' }, ['p']],
    ['transform', z.string().transform((text) => text.length), {}, ['p']],
    [
      'transform in a list',
      z.array(z.string().transform(Number)),
      { type: 'array', items: {} },
      ['p.*'],
    ],
    [
      'transform with a pipe',
      z.string().transform(Number).pipe(z.number()),
      { type: 'number' },
      [],
    ],
    [
      'codec',
      z.codec(z.string(), z.date(), { decode: () => new Date(), encode: String }),
      DATE,
      [],
    ],
    ['custom', z.custom<string>(), {}, ['p']],
    ['instance of a class', z.instanceof(URL), {}, ['p']],
    ['NaN', z.nan(), {}, ['p']],
    ['default', z.int().default(1), { type: 'integer', default: 1 }, []],
    ['default from a function', z.date().default(() => new Date()), DATE, []],
    ['default that is a date', z.date().default(new Date(0)), DATE, []],
    ['default from a counter', z.int().default(() => ++count), { type: 'integer' }, []],
    ['instance of Blob', z.instanceof(Blob), BINARY, []],
  ])(
    'is described on the output side in the form that JSON.stringify writes: %s',
    (_, schema, expected, losses) => {
      expect(property(schema, 'output')).toEqual({ schema: expected, isRequired: true, losses })
    },
  )

  it.each([
    ['undefined', z.undefined()],
    ['void', z.void()],
    ['symbol', z.symbol()],
    ['function', z.function() as unknown as z.ZodType],
    ['optional undefined', z.undefined().optional()],
  ])('is omitted from the output description if JSON omits its values: %s', (_, schema) => {
    expect(property(schema, 'output')).toEqual({ schema: undefined, isRequired: false, losses: [] })
  })

  it('is optional only on the input side if it has a default', () => {
    const schema = z.int().default(1)
    expect(property(schema, 'input').isRequired).toBe(false)
    expect(property(schema, 'output').isRequired).toBe(true)
  })

  it('allows additional properties on both sides, unless it is strict', () => {
    const open = z.object({ a: z.string() })
    for (const side of ['input', 'output'] as const) {
      expect(describeSchema(open, { side }).schema).not.toHaveProperty('additionalProperties')
      const strict = describeSchema(open.strict(), { side }).schema
      expect(strict.additionalProperties).toBe(false)
    }
  })

  it('keeps its name even where it is used with another description', () => {
    const Money = z.object({ amount: z.int() }).meta({ id: 'Money', description: 'An amount.' })
    const Order = z.object({
      total: Money,
      tax: Money.describe('Of it, tax.'),
      tip: Money.nullable(),
    })
    expect(describeSchema(Order, { side: 'output' })).toEqual({
      schema: {
        type: 'object',
        properties: {
          total: ref('Money'),
          tax: { description: 'Of it, tax.', allOf: [ref('Money')] },
          tip: { anyOf: [ref('Money'), { type: 'string', nullable: true, enum: [null] }] },
        },
        required: ['total', 'tax', 'tip'],
      },
      definitions: [
        {
          name: 'Money',
          isNamed: true,
          schema: {
            type: 'object',
            properties: { amount: { type: 'integer' } },
            required: ['amount'],
            description: 'An amount.',
          },
        },
      ],
      losses: [],
    })
  })

  it('keeps patterns that can be written without their flags, and reports other patterns as losses', () => {
    const schema = z.object({ p: z.string().regex(/a/i).regex(/^b$/m).regex(/c/u) })
    const described = describeSchema(schema, { side: 'input' })
    expect(described.schema.properties?.p).toEqual({
      type: 'string',
      allOf: [{ pattern: '[Aa]' }, { pattern: 'c' }],
    })
    expect(described.losses).toEqual([{ path: 'p', cause: expect.stringContaining('/^b$/m') }])
  })

  it('is described as a schema for any value if it is z.json()', () => {
    expect(property(z.json(), 'input')).toEqual({ schema: {}, isRequired: true, losses: [] })
  })

  it('is described even if zod cannot convert a default to JSON', () => {
    const schema = z.object({
      n: z
        .bigint()
        .default(1n)
        .meta({ examples: [2n] }),
    })
    expect(describeSchema(schema, { side: 'input' }).schema.properties?.n).toMatchObject(DIGITS)
  })

  it('is described even if it has no `~standard.jsonSchema`, as in zod/mini', () => {
    const schema = mini.object({ a: mini.string(), at: mini.date() })
    expect(describeSchema(schema, { side: 'input' })).toEqual({
      schema: {
        type: 'object',
        properties: { a: { type: 'string' }, at: DATE },
        required: ['a', 'at'],
      },
      definitions: [],
      losses: [],
    })
  })
})
