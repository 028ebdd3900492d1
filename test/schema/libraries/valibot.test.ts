import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { OpenApiSchema, SchemaSide } from '../../../src/contracts/openapi.js'
import { describeSchema } from '../../../src/schema/describe-schema.js'

const DATE = { type: 'string', format: 'date-time' } as const
const BINARY = { type: 'string', format: 'binary' } as const

const property = (schema: v.GenericSchema, side: SchemaSide) => {
  const described = describeSchema(v.object({ p: schema }), { side })
  return {
    schema: described.schema.properties?.p,
    isRequired: described.schema.required?.includes('p') ?? false,
    losses: described.losses.map(({ path }) => path),
  }
}

describe('a valibot schema', () => {
  it.each<[string, v.GenericSchema, OpenApiSchema]>([
    ['date', v.date(), DATE],
    ['file', v.file(), BINARY],
    [
      'file of types',
      v.pipe(v.file(), v.mimeType(['a/b'])),
      { ...BINARY, 'x-content-media-type': 'a/b' },
    ],
    ['instance of File', v.instance(File), BINARY],
    [
      'checked',
      v.pipe(
        v.string(),
        v.check(() => false),
        v.minLength(1),
      ),
      { type: 'string', minLength: 1 },
    ],
    ['branded', v.pipe(v.string(), v.brand('b'), v.readonly()), { type: 'string' }],
    ['trimmed', v.pipe(v.string(), v.trim(), v.minLength(1)), { type: 'string', minLength: 1 }],
    [
      'tuple',
      v.tuple([v.number(), v.number()]),
      { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    ],
    [
      'record of listed names',
      v.record(v.picklist(['a']), v.number()),
      { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
    ],
    ['nonNullable', v.nonNullable(v.nullable(v.string())), { type: 'string' }],
    ['time', v.pipe(v.string(), v.isoTime()), { type: 'string', pattern: expect.any(String) }],
    [
      'two patterns',
      v.pipe(v.string(), v.startsWith('a.'), v.endsWith('b')),
      { type: 'string', pattern: '^a\\.', allOf: [{ pattern: 'b$' }] },
    ],
  ])('is described identically on both sides, without losses: %s', (_, schema, expected) => {
    const same = { schema: expected, isRequired: true, losses: [] }
    expect(property(schema, 'input')).toEqual(same)
    expect(property(schema, 'output')).toEqual(same)
  })

  it.each<[string, v.GenericSchema, OpenApiSchema, readonly string[]]>([
    [
      'transform',
      v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
      {},
      ['p'],
    ],
    [
      'transform into a schema',
      v.pipe(v.string(), v.transform(Number), v.number()),
      { type: 'number' },
      [],
    ],
    ['conversion', v.pipe(v.string(), v.toNumber()), { type: 'number' }, []],
    ['bigint', v.bigint(), { type: 'string', pattern: '^-?\\d+$' }, ['p']],
    ['map', v.map(v.string(), v.string()), { type: 'object' }, ['p']],
    ['custom', v.custom<string>(() => true), {}, ['p']],
    ['instance of a class', v.instance(URL), {}, ['p']],
    ['default', v.optional(v.number(), 1), { type: 'number', default: 1 }, []],
    ['default from a function', v.optional(v.string(), () => 'x'), { type: 'string' }, []],
    [
      'default that is a date',
      v.optional(v.date(), new Date(0)),
      { type: 'string', format: 'date-time' },
      [],
    ],
  ])(
    'is described on the output side in the form that JSON.stringify writes: %s',
    (_, schema, expected, losses) => {
      expect(property(schema, 'output')).toEqual({ schema: expected, isRequired: true, losses })
    },
  )

  it('loses its output type after a transform, even if another action follows', () => {
    const schema = v.pipe(
      v.string(),
      v.transform((text) => [text]),
      v.minLength(1),
    )
    expect(property(schema, 'output')).toEqual({ schema: {}, isRequired: true, losses: ['p'] })
    expect(property(schema, 'input')).toEqual({
      schema: { type: 'string' },
      isRequired: true,
      losses: [],
    })
  })

  it('is omitted from the output description if it accepts only undefined', () => {
    expect(property(v.undefined(), 'output')).toEqual({
      schema: undefined,
      isRequired: false,
      losses: [],
    })
  })

  it('keeps patterns that can be written without their flags, and reports other patterns as losses', () => {
    const schema = v.pipe(v.string(), v.regex(/^b$/m), v.regex(/a/i), v.maxLength(3))
    expect(property(schema, 'input')).toEqual({
      schema: { type: 'string', maxLength: 3, pattern: '[Aa]' },
      isRequired: true,
      losses: ['p'],
    })
  })

  it('is described once if it refers to itself', () => {
    interface Folder {
      readonly folders: Folder[]
    }
    const folder: v.GenericSchema<Folder> = v.object({ folders: v.array(v.lazy(() => folder)) })
    const $ref = '#/components/schemas/Schema1'
    expect(describeSchema(v.array(folder), { side: 'input' })).toEqual({
      schema: { type: 'array', items: { $ref } },
      definitions: [
        {
          name: 'Schema1',
          isNamed: false,
          schema: {
            type: 'object',
            properties: { folders: { type: 'array', items: { $ref } } },
            required: ['folders'],
          },
        },
      ],
      losses: [],
    })
  })

  it('is described as an empty schema if it is infinitely nested', () => {
    const endless = (): v.GenericSchema => v.object({ next: v.lazy(() => endless()) })
    const { schema, losses } = describeSchema(endless(), { side: 'input' })
    expect(schema).toEqual({})
    expect(losses).toHaveLength(1)
  })
})
