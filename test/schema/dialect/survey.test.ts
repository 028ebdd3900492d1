import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { surveySchema, toOpenApiSchema } from '../../../src/schema/dialect/to-openapi-schema.js'
import { anyRootSchema } from '../../openapi/arbitrary-schema.js'
import { rounds } from '../../rounds.js'

const SCHEMAS = rounds(3000, 600)
const EVERYTHING = { isPlain: false, isAnnotated: true }

const OTHERS = new Set(
  `$ref $defs allOf anyOf oneOf not if then contains prefixItems patternProperties propertyNames dependentRequired
  unevaluatedItems unevaluatedProperties`.split(/\s+/),
)

function onlyBounds(key: string, value: unknown): unknown {
  return OTHERS.has(key) ? undefined : value
}

/** Random schemas, and copies with only types and bounds. Such plain schemas are rare among random ones. */
const schemas = fc
  .sample(anyRootSchema, { numRuns: SCHEMAS, seed: 11 })
  .flatMap((schema) => [schema, JSON.parse(JSON.stringify(schema, onlyBounds))])

describe('surveySchema', () => {
  it('does not affect the result of the conversion', () => {
    const wrong = schemas.filter(
      (schema) =>
        JSON.stringify(toOpenApiSchema(schema)) !==
        JSON.stringify(toOpenApiSchema(schema, EVERYTHING)),
    )
    expect(wrong.slice(0, 3)).toEqual([])
    // Otherwise one of the two kinds would not be tested.
    const plain = schemas.filter((schema) => surveySchema(schema).isPlain)
    expect(plain.length).toBeGreaterThan(SCHEMAS / 10)
    expect(plain.length).toBeLessThan(schemas.length)
  })

  it.each([
    ['a reference', { properties: { a: { $ref: '#' } } }],
    ['a name', { properties: { a: { title: 'Money', type: 'object' } } }],
    ['a combination', { items: { anyOf: [{ type: 'string' }] } }],
    ['a tuple of older drafts', { items: [{ type: 'string' }] }],
    ['a loss that a library reported', { properties: { a: { '~loss': 'No.' } } }],
    ['an extension', { 'x-order': 1 }],
    ['a value that is not a schema', { properties: { a: null } }],
  ])('reports that a schema with %s is not plain', (_what, schema) => {
    expect(surveySchema(schema)).toEqual(EVERYTHING)
  })

  it('does not treat property names as keywords', () => {
    const properties = { title: { type: 'string' }, $ref: { type: 'string' }, default: true }
    expect(surveySchema({ type: 'object', properties })).toEqual({
      isPlain: true,
      isAnnotated: false,
    })
  })
})
