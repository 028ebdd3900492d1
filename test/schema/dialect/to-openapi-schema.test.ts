import { describe, expect, it } from 'vitest'
import type { OpenApiSchema } from '../../../src/contracts/openapi.js'
import { toOpenApiSchema } from '../../../src/schema/dialect/to-openapi-schema.js'

type Row = readonly [name: string, from: unknown, to: OpenApiSchema]

const NULL = { type: 'string', nullable: true, enum: [null] } as const
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function exact(title: string, rows: readonly Row[]): void {
  describe(`the conversion of ${title}`, () => {
    it.each(rows)('reports no loss: %s', (_, from, to) => {
      const { schema, losses } = toOpenApiSchema(from)
      expect(schema).toEqual(to)
      expect(losses).toEqual([])
    })
  })
}

exact('null', [
  ['alone', { type: 'null' }, NULL],
  ['as a constant', { const: null, description: 'd' }, { ...NULL, description: 'd' }],
  ['beside a type', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  ['in an enum', { enum: ['a', null] }, { type: 'string', nullable: true, enum: ['a', null] }],
  [
    'in an enum whose type forbids it',
    { type: 'string', enum: ['a', null] },
    { type: 'string', enum: ['a'] },
  ],
  [
    'in a union with one type',
    { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    { type: 'string', format: 'date', nullable: true },
  ],
  [
    'in a union with several types',
    { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    { anyOf: [{ type: 'string', nullable: true }, { type: 'number' }] },
  ],
  [
    'in a union with an enum',
    { anyOf: [{ enum: ['a'] }, { type: 'null' }], default: null },
    { type: 'string', nullable: true, enum: ['a', null], default: null },
  ],
  [
    'in a union with a combination, for which nullable has no effect',
    { anyOf: [{ type: 'object', not: { required: ['a'] } }, { type: 'null' }] },
    {
      anyOf: [{ type: 'object', not: { required: ['a'], properties: { a: {} } } }, NULL],
    },
  ],
  [
    'beside a nested union',
    { anyOf: [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'null' }] },
    { oneOf: [{ type: 'string', nullable: true }, { type: 'number' }] },
  ],
  [
    'beside a nested union that may accept null already',
    { anyOf: [{ oneOf: [{ type: 'string' }, { minimum: 1 }] }, { type: 'null' }] },
    { anyOf: [{ oneOf: [{ type: 'string' }, { minimum: 1 }] }, NULL] },
  ],
  [
    'twice in oneOf, which then never accepts it',
    { oneOf: [{ type: 'string' }, { type: 'null' }, { type: 'null' }] },
    { type: 'string' },
  ],
  [
    'as the flag `nullable` of OpenAPI',
    { type: 'string', nullable: true },
    { type: 'string', nullable: true },
  ],
])

exact('types and values', [
  [
    'boolean schemas',
    { properties: { a: true, b: false } },
    { properties: { a: {}, b: { not: {} } } },
  ],
  ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
  [
    'constants of one type',
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  ['both booleans', { anyOf: [{ const: true }, { const: false }] }, { type: 'boolean' }],
  [
    'an enum of several types',
    { enum: ['a', 1, null] },
    {
      anyOf: [
        { type: 'string', nullable: true, enum: ['a', null] },
        { type: 'number', enum: [1] },
      ],
    },
  ],
  ['an enum that no value matches', { type: 'string', enum: [1] }, { not: {} }],
  ['integer and number', { type: ['integer', 'number'] }, { type: 'number' }],
  [
    'a list of types, each with its keywords',
    { type: ['string', 'number'], minLength: 2, minimum: 1, title: 't' },
    {
      anyOf: [
        { type: 'string', minLength: 2 },
        { type: 'number', minimum: 1 },
      ],
      title: 't',
    },
  ],
  [
    'a list of types beside a union',
    { type: ['string', 'number'], anyOf: [{ minLength: 2 }, { minimum: 1 }] },
    {
      anyOf: [{ type: 'string' }, { type: 'number' }],
      allOf: [{ anyOf: [{ minLength: 2 }, { minimum: 1 }] }],
    },
  ],
  ['no type', { minLength: 1, minimum: 2 }, { minLength: 1, minimum: 2 }],
])

exact('numbers', [
  [
    'exclusive bounds',
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
  ],
  [
    'the narrower of two bounds',
    { type: 'number', minimum: 3, exclusiveMinimum: 1, maximum: 5, exclusiveMaximum: 5 },
    { type: 'number', minimum: 3, maximum: 5, exclusiveMaximum: true },
  ],
  [
    'the range of exact integers',
    { type: 'integer', minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 },
    { type: 'integer' },
  ],
  [
    'the range of 32-bit integers',
    { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    { type: 'integer', format: 'int32' },
  ],
  [
    'only one end of the 32-bit range',
    { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
    { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
  ],
  [
    'bounds that JSON cannot express',
    { type: 'number', minimum: -Infinity, maximum: NaN, multipleOf: 0 },
    { type: 'number' },
  ],
])

exact('strings', [
  ['base64', { type: 'string', contentEncoding: 'base64' }, { type: 'string', format: 'byte' }],
  [
    'bytes',
    { type: 'string', contentEncoding: 'binary', contentMediaType: 'image/png' },
    { type: 'string', format: 'binary', 'x-content-media-type': 'image/png' },
  ],
  [
    'a needless escape',
    { type: 'string', pattern: 'a\\:b\\-c' },
    { type: 'string', pattern: 'a:b-c' },
  ],
  ['a minimum length of 0', { type: 'string', minLength: 0 }, { type: 'string' }],
  ['a secret', { type: 'string', secret: true }, { type: 'string', format: 'password' }],
  [
    'a secret with a format',
    { type: 'string', secret: true, format: 'uuid' },
    { type: 'string', format: 'uuid' },
  ],
])

exact('lists', [
  ['items of any kind', { type: 'array' }, { type: 'array', items: {} }],
  ['no items', { type: 'array', items: false }, { type: 'array', items: {}, maxItems: 0 }],
  [
    'a tuple of one type',
    {
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'number' }],
      items: false,
      minItems: 2,
    },
    { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  ],
  [
    'a tuple of draft-07',
    { type: 'array', items: [{ type: 'number' }], additionalItems: { type: 'number' } },
    { type: 'array', items: { type: 'number' } },
  ],
  [
    'an open tuple',
    { type: 'array', prefixItems: [{}], minItems: 1 },
    { type: 'array', items: {}, minItems: 1 },
  ],
])

exact('objects', [
  ['an empty list of required properties', { type: 'object', required: [] }, { type: 'object' }],
  [
    'a required property without a schema',
    { type: 'object', required: ['a', 'a'] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [
    'a property that is required and forbidden',
    { type: 'object', required: ['a'], additionalProperties: false },
    {
      type: 'object',
      properties: { a: { not: {} } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  [
    'a record',
    { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
    { type: 'object', additionalProperties: { type: 'number' } },
  ],
  [
    'a record of any name, as TypeBox writes it',
    { type: 'object', patternProperties: { '^.*$': { type: 'number' } } },
    { type: 'object', additionalProperties: { type: 'number' } },
  ],
  [
    'a record of listed names',
    {
      type: 'object',
      propertyNames: { enum: ['a', 'b'] },
      additionalProperties: { type: 'number' },
      required: ['a'],
    },
    {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  [
    'unevaluated properties if no other keyword evaluates them',
    { type: 'object', unevaluatedProperties: false },
    { type: 'object', additionalProperties: false },
  ],
])

exact('combinations', [
  ['a union of one schema', { anyOf: [{ type: 'string' }] }, { type: 'string' }],
  ['a union of schemas that accept nothing', { anyOf: [false, { not: {} }] }, { not: {} }],
  [
    'a union with a schema that accepts any value',
    { anyOf: [{ type: 'string' }, {}], title: 't' },
    { title: 't' },
  ],
  ['a `not` that forbids nothing', { not: false }, {}],
  [
    '`allOf` with one schema, beside a type',
    { type: 'object', allOf: [{ required: ['a'], properties: { a: {} } }] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
])

exact('annotations', [
  [
    'the first of the examples',
    { type: 'string', examples: ['a', 'b'] },
    { type: 'string', example: 'a' },
  ],
  [
    'extensions, but no other unknown keywords',
    { type: 'string', 'x-order': 1, order: 1, $comment: 'c', $schema: 's' },
    { type: 'string', 'x-order': 1 },
  ],
  [
    'the flags of a value',
    { type: 'string', deprecated: true, readOnly: true, writeOnly: true },
    { type: 'string', deprecated: true, readOnly: true, writeOnly: true },
  ],
  [
    'the address of its documentation',
    { type: 'string', externalDocs: { url: 'https://a.example', description: 'More', more: 1 } },
    { type: 'string', externalDocs: { url: 'https://a.example', description: 'More' } },
  ],
  [
    'a documentation with a wrong description',
    { type: 'string', externalDocs: { url: 'https://a.example', description: 1 } },
    { type: 'string', externalDocs: { url: 'https://a.example' } },
  ],
  [
    'a documentation without an address',
    { type: 'string', externalDocs: { description: 'More' } },
    { type: 'string' },
  ],
  [
    'a default that is a date',
    { type: 'string', default: new Date(0) },
    { type: 'string', default: '1970-01-01T00:00:00.000Z' },
  ],
  [
    'a default that is a bigint',
    { type: 'string', default: 10n },
    { type: 'string', default: '10' },
  ],
  [
    'a default that JSON cannot express',
    { type: 'string', default: () => 'a', example: Number.NaN },
    { type: 'string' },
  ],
  [
    'annotations of the wrong type',
    { type: 'string', title: 1, description: {}, deprecated: 'yes' },
    { type: 'string' },
  ],
])

describe('the conversion of references in a schema', () => {
  it('resolves $defs, pointers, anchors and identifiers', () => {
    const references = ['#/$defs/a', '#x', 'b.json', 'https://example.com/b.json']
    const { definitions, losses } = toOpenApiSchema({
      $id: 'https://example.com/root.json',
      $defs: { a: { $anchor: 'x', type: 'string' }, b: { $id: 'b.json', type: 'number' } },
      anyOf: references.map(($ref) => ({ $ref })),
    })
    expect(definitions).toEqual([
      { name: 'root', isNamed: true, schema: { anyOf: ['a', 'a', 'b', 'b'].map(ref) } },
      { name: 'a', isNamed: true, schema: { type: 'string' } },
      { name: 'b', isNamed: true, schema: { type: 'number' } },
    ])
    expect(losses).toEqual([])
  })

  it('keeps keywords next to a reference', () => {
    const { schema } = toOpenApiSchema({
      $defs: { Name: { type: 'string' } },
      $ref: '#/$defs/Name',
      description: 'd',
      maxLength: 3,
    })
    expect(schema).toEqual({ maxLength: 3, description: 'd', allOf: [ref('Name')] })
  })

  it.each(['#/nowhere', 'other.json', '#/$defs/__proto__', '#/%', '#/constructor/prototype'])(
    'converts the unresolvable reference %s to an empty schema, and reports it',
    ($ref) => {
      const { schema, losses } = toOpenApiSchema({ properties: { a: { $ref } } })
      expect(schema).toEqual({ properties: { a: {} } })
      expect(losses).toEqual([{ path: 'a', cause: expect.stringContaining($ref) }])
    },
  )

  it('replaces definitions that refer only to each other with empty schemas, and reports this', () => {
    const { definitions, losses } = toOpenApiSchema({
      $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
      $ref: '#/$defs/a',
    })
    expect(definitions.map(({ schema }) => schema)).toEqual([{}, {}])
    expect(losses.length).toBeGreaterThan(0)
  })

  it('reports a loss for a union that contains itself in a list', () => {
    const union = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/u' } }] }
    const { schema, losses } = toOpenApiSchema({
      $defs: { u: union },
      properties: { a: { $ref: '#/$defs/u' } },
    })
    expect(schema).toEqual({ properties: { a: ref('u') } })
    expect(losses).toEqual([{ path: 'a', cause: expect.stringContaining('union') }])
  })
})

describe('a conversion with losses', () => {
  it.each<[string, unknown]>([
    [
      'tuples of different types',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    ],
    ['contains', { type: 'array', contains: {} }],
    ['if', { if: { type: 'string' }, then: { minLength: 1 } }],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
    ['patterns for property names', { type: 'object', patternProperties: { '^a': {} } }],
    ['rules for property names', { type: 'object', propertyNames: { minLength: 2 } }],
    ['unevaluated properties', { allOf: [{ required: ['a'] }], unevaluatedProperties: false }],
    ['types that JSON does not have', { type: 'bigint' }],
    ['invalid patterns', { type: 'string', pattern: '[' }],
    ['dynamic references', { $dynamicRef: '#node' }],
    ['a value that is not a schema', 'string'],
  ])('reports the path of %s', (_, schema) => {
    const { losses } = toOpenApiSchema({ properties: { a: { items: schema } } })
    expect(losses).toHaveLength(1)
    expect(losses[0]).toEqual({ path: 'a.*', cause: expect.stringMatching(/^['A-Z].*\.$/) })
  })

  it.each<[string, object, string[]]>([
    ['a list', { type: 'array', contains: {}, minContains: 2 }, ['contains', 'minContains']],
    [
      'a combination',
      { allOf: [{ required: ['a'] }], unevaluatedItems: false, unevaluatedProperties: false },
      ['unevaluatedItems', 'unevaluatedProperties'],
    ],
  ])('reports each lost keyword of %s', (_, schema, keywords) => {
    const { losses } = toOpenApiSchema(schema)
    const causes = losses.map(({ cause }) => cause)
    expect(causes).toEqual(
      keywords.map((keyword) => expect.stringContaining(`'${keyword}' is not`)),
    )
  })

  it('drops `not` if its schema has losses', () => {
    const { schema, losses } = toOpenApiSchema({ not: { contains: { const: 1 } }, type: 'array' })
    expect(schema).toEqual({ type: 'array', items: {} })
    expect(losses.length).toBeGreaterThan(0)
  })

  it('treats each reference to a definition with losses as a schema with losses', () => {
    const $ref = '#/$defs/d'
    const { schema } = toOpenApiSchema({
      $defs: { d: { type: 'array', contains: { const: 1 } } },
      properties: { a: { $ref }, b: { not: { $ref } }, c: { oneOf: [{ $ref }, { minItems: 2 }] } },
    })
    expect(schema.properties).toEqual({
      a: ref('d'),
      b: {},
      c: { anyOf: [ref('d'), { items: {}, minItems: 2 }] },
    })
  })

  it('uses `anyOf` instead of `oneOf` if a branch has losses', () => {
    const branch = (type: string) => ({ type: 'array', contains: { type } })
    const { schema } = toOpenApiSchema({ oneOf: [branch('string'), branch('number')] })
    expect(schema).toHaveProperty('anyOf')
    expect(schema).not.toHaveProperty('oneOf')
  })
})

describe('property names from Object.prototype', () => {
  it('are converted like any other property name', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"number"}}')
    const { schema } = toOpenApiSchema({ type: 'object', properties, required: ['__proto__'] })
    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}',
    )
    expect(Object.getPrototypeOf(schema.properties)).toBe(Object.prototype)
  })
})
