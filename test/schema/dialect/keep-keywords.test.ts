import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../src/contracts/openapi.js'
import { describeKept } from '../../../src/schema/describe-schema.js'
import { lowerSchema } from '../../../src/schema/dialect/rewrite-schema.js'

const keep = (schema: object) => describeKept(schema, { side: 'input' })
const text = { type: 'string' }

describe('a keyword of JSON Schema 2020-12', () => {
  it.each<[string, object]>([
    ['limits of a string', { ...text, minLength: 1, maxLength: 3, pattern: '^a$' }],
    ['limits of a number', { type: 'number', minimum: 1, maximum: 2, multipleOf: 0.5 }],
    ['exclusive limits', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['limits of a list', { type: 'array', items: text, minItems: 1, maxItems: 2 }],
    ['unique items', { type: 'array', items: text, uniqueItems: true }],
    ['no items', { type: 'array', items: false }],
    ['an item to find', { type: 'array', contains: text, minContains: 0, maxContains: 2 }],
    ['a closed tuple', { type: 'array', prefixItems: [text], unevaluatedItems: false }],
    ['limits of an object', { type: 'object', minProperties: 1, maxProperties: 2 }],
    [
      'a closed object',
      { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false },
    ],
    [
      'names of properties',
      {
        propertyNames: { pattern: '^a' },
        patternProperties: { '^a': text },
        additionalProperties: false,
      },
    ],
    ['dependent names', { dependentRequired: { a: ['b'] } }],
    ['dependent schemas', { dependentSchemas: { a: { required: ['b'] } } }],
    [
      'a condition',
      { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
    ],
    ['an exclusion', { not: text }],
    ['text in another format', { ...text, contentMediaType: 'a/json', contentSchema: text }],
    ['encoded text', { ...text, contentEncoding: 'base64', format: 'uuid' }],
    ['listed values', { enum: ['a', 1, null] }],
    ['null as the only value', { const: null }],
    ['alternatives', { oneOf: [text, { type: 'number' }] }],
  ])('is kept: %s', (_, schema) => {
    expect(keep(schema)).toEqual({ schema, definitions: [], losses: [] })
  })

  it.each<[string, object, object]>([
    ['a secret', { ...text, secret: true }, { ...text, format: 'password' }],
    [
      'bytes without a media type',
      { ...text, format: 'binary' },
      { ...text, format: 'binary', contentMediaType: 'application/octet-stream' },
    ],
    [
      'bytes with a media type',
      { ...text, contentEncoding: 'binary', contentMediaType: 'image/png' },
      { ...text, format: 'binary', contentMediaType: 'image/png' },
    ],
    [
      'bytes with several media types',
      { ...text, format: 'binary', 'x-content-media-type': 'image/png, image/gif' },
      {
        ...text,
        format: 'binary',
        contentMediaType: 'application/octet-stream',
        'x-content-media-type': 'image/png, image/gif',
      },
    ],
    [
      'two limits, of which one is stricter',
      { minimum: 3, exclusiveMinimum: 1, maximum: 4, exclusiveMaximum: 5 },
      { minimum: 3, maximum: 4 },
    ],
    [
      'two equal limits',
      { minimum: 3, exclusiveMinimum: 3, maximum: 5, exclusiveMaximum: 5 },
      { exclusiveMinimum: 3, exclusiveMaximum: 5 },
    ],
    ['a flag beside a maximum', { maximum: 3, exclusiveMaximum: true }, { exclusiveMaximum: 3 }],
    [
      'the range of exact integers',
      { type: 'integer', minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 },
      { type: 'integer' },
    ],
    ['a step of 0', { type: 'number', multipleOf: 0 }, { type: 'number' }],
    ['values that the type forbids', { ...text, enum: ['a', null] }, { ...text, enum: ['a'] }],
    [
      'values and the flag `nullable`',
      { ...text, nullable: true, enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['only values that the type forbids', { ...text, enum: [1] }, { ...text, not: {} }],
    [
      'required properties of a record',
      { type: 'object', additionalProperties: text, required: ['a', 'a'] },
      { type: 'object', additionalProperties: text, required: ['a'], properties: { a: text } },
    ],
    [
      'required properties that a pattern can describe',
      { additionalProperties: text, patternProperties: { '^a': {} }, required: ['a', 'a'] },
      { additionalProperties: text, patternProperties: { '^a': {} }, required: ['a'] },
    ],
    ['an alternative that accepts nothing', { anyOf: [text, false] }, text],
    ['only alternatives that accept nothing', { oneOf: [false] }, { not: {} }],
  ])('has the shortest equal form: %s', (_, from, to) => {
    expect(keep(from)).toEqual({ schema: to, definitions: [], losses: [] })
  })
})

describe('a schema for OpenAPI 3.1', () => {
  it('keeps all keywords from the library', () => {
    const schema = {
      type: ['object', 'null'],
      properties: {
        kind: { const: 'point', examples: ['point', 'other'] },
        at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
        step: { type: 'number', exclusiveMinimum: 0 },
        names: { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
      },
      if: { required: ['step'] },
      then: { required: ['at'] },
      unevaluatedProperties: false,
    }
    const { schema: kept, losses } = describeKept(schema, { side: 'input' })
    const kind = { const: 'point', examples: ['point'] }
    expect(kept).toEqual({ ...schema, properties: { ...schema.properties, kind } })
    // The example that its own schema refuses is not in the document.
    expect(losses.map(({ code, path }) => [code, path])).toEqual([['W_EXAMPLE_INVALID', 'kind']])
  })

  it('replaces the keywords of earlier drafts and OpenAPI 3.0 with those of 2020-12', () => {
    const old = {
      definitions: { Old: { $id: 'Old', type: 'string', nullable: true, example: 'a' } },
      type: 'object',
      properties: {
        old: { $ref: '#/definitions/Old' },
        pair: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
        low: { type: 'number', minimum: 1, exclusiveMinimum: true },
        bytes: { type: 'string', format: 'byte' },
      },
      dependencies: { old: ['low'], low: { required: ['pair'] } },
    }
    const { schema, definitions } = describeKept(old, { side: 'input' })
    expect(definitions).toEqual([
      { name: 'Old', isNamed: true, schema: { type: ['string', 'null'], examples: ['a'] } },
    ])
    expect(schema).toEqual({
      type: 'object',
      properties: {
        old: { $ref: '#/components/schemas/Old' },
        pair: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
        low: { type: 'number', exclusiveMinimum: 1 },
        bytes: { type: 'string', contentEncoding: 'base64' },
      },
      dependentRequired: { old: ['low'] },
      dependentSchemas: { low: { required: ['pair'] } },
    })
  })

  it('becomes less exact, with a warning, if the document cannot contain one of its patterns', () => {
    const { schema, losses } = describeKept(
      {
        not: { type: 'string', pattern: '[' },
        oneOf: [{ type: 'string', pattern: '[' }, { type: 'string' }],
        patternProperties: { '[': { type: 'string' } },
        additionalProperties: false,
        if: { pattern: '[' },
        unevaluatedProperties: false,
      },
      { side: 'input' },
    )
    expect(schema).toEqual({ anyOf: [{ type: 'string' }, { type: 'string' }] })
    expect(losses.map(({ cause }) => cause)).toEqual([
      'The pattern [ is not in the document: it is not a Unicode regular expression.',
      "'not' is not in the document, which cannot express this exclusion.",
      'The name pattern [ is not in the document: it is not a Unicode regular expression.',
      "'if' is not in the document, which cannot express this condition.",
      'Its unevaluated properties or items are not restricted, because the document cannot describe another part of the schema exactly.',
    ])
  })

  it('can be converted to a 3.0 schema that keeps the positions of its tuples', () => {
    const tuple = { type: 'array', prefixItems: [{ const: 1 }], items: false } as const
    const document = { openapi: '3.1.2' } as OpenApiDocument
    expect(lowerSchema({ type: ['array', 'null'], items: tuple }, document)).toEqual({
      type: 'array',
      nullable: true,
      items: {
        type: 'array',
        prefixItems: [{ type: 'number', enum: [1] }],
        items: { type: 'number', enum: [1] },
        maxItems: 1,
      },
    })
  })
})
