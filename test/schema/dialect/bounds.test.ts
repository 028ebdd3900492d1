import { describe, expect, it } from 'vitest'
import { toOpenApiSchema } from '../../../src/schema/dialect/to-openapi-schema.js'

const convert = (schema: object) => toOpenApiSchema(schema).schema
const text = { type: 'string' }

describe('the bounds of an integer', () => {
  it.each([
    [{ exclusiveMaximum: 5 }, { maximum: 4 }],
    [{ exclusiveMaximum: 5.5 }, { maximum: 5 }],
    [{ exclusiveMaximum: -5.5 }, { maximum: -6 }],
    [{ exclusiveMaximum: 0 }, { maximum: -1 }],
    [{ exclusiveMinimum: 5 }, { minimum: 6 }],
    [{ exclusiveMinimum: 5.5 }, { minimum: 6 }],
    [{ exclusiveMinimum: -5.5 }, { minimum: -5 }],
    [{ exclusiveMinimum: 0 }, { minimum: 1 }],
    [{ minimum: 3, exclusiveMinimum: 3 }, { minimum: 4 }],
    [{ minimum: 4, exclusiveMinimum: 3 }, { minimum: 4 }],
    [{ minimum: 2, exclusiveMinimum: 3 }, { minimum: 4 }],
    [{ maximum: 3, exclusiveMaximum: 3 }, { maximum: 2 }],
    [{ maximum: 2, exclusiveMaximum: 3 }, { maximum: 2 }],
    [{ maximum: 4, exclusiveMaximum: 3 }, { maximum: 2 }],
    [{ maximum: 3, exclusiveMaximum: true }, { maximum: 2 }],
    [{ minimum: 3, exclusiveMinimum: true }, { minimum: 4 }],
  ])('are converted from %j to %j', (keywords, expected) => {
    expect(convert({ type: 'integer', ...keywords })).toEqual({ type: 'integer', ...expected })
  })
})

describe('the bounds of a number', () => {
  it.each([
    [{ exclusiveMaximum: 5.5 }, { maximum: 5.5, exclusiveMaximum: true }],
    [{ exclusiveMinimum: 5.5 }, { minimum: 5.5, exclusiveMinimum: true }],
    [
      { maximum: 5, exclusiveMaximum: 5 },
      { maximum: 5, exclusiveMaximum: true },
    ],
    [{ maximum: 4, exclusiveMaximum: 5 }, { maximum: 4 }],
    [{ minimum: 6, exclusiveMinimum: 5 }, { minimum: 6 }],
    [
      { minimum: 0, maximum: 0 },
      { minimum: 0, maximum: 0 },
    ],
  ])('are converted from %j to %j', (keywords, expected) => {
    expect(convert({ type: 'number', ...keywords })).toEqual({ type: 'number', ...expected })
  })
})

describe('the length limits of a tuple', () => {
  const two = { prefixItems: [text, { type: 'integer' }], items: false }
  it.each([
    [two, { maxItems: 2 }],
    [{ ...two, maxItems: 1 }, { maxItems: 1 }],
    [{ ...two, maxItems: 3 }, { maxItems: 2 }],
    [
      { ...two, maxItems: 2, minItems: 2 },
      { minItems: 2, maxItems: 2 },
    ],
    [{ ...two, maxItems: 0 }, { maxItems: 0 }],
    [{ ...two, items: text }, {}],
    [{ prefixItems: [text, text], unevaluatedItems: false }, { maxItems: 2 }],
    [{ prefixItems: [text, text], items: text, unevaluatedItems: false }, {}],
    [{ ...two, items: text, maxItems: 1 }, { maxItems: 1 }],
    [{ items: [text, text], additionalItems: false, maxItems: 1 }, { maxItems: 1 }],
    [{ items: [text, text], additionalItems: false }, { maxItems: 2 }],
  ])('with the keywords %j are %j', (keywords, expected) => {
    const { type, items: _, ...bounds } = convert({ type: 'array', ...keywords })
    expect([type, bounds]).toEqual(['array', expected])
  })
})

describe('minimum and maximum counts', () => {
  it.each([
    ['minLength', text, [0, 1, 2], [undefined, 1, 2]],
    ['maxLength', text, [0, 1, 1.5, -1], [0, 1, undefined, undefined]],
    ['minItems', { type: 'array', items: text }, [0, 1], [undefined, 1]],
    ['maxItems', { type: 'array', items: text }, [0, 1, -1], [0, 1, undefined]],
    ['minProperties', { type: 'object' }, [0, 1], [undefined, 1]],
    ['maxProperties', { type: 'object' }, [0, 1], [0, 1]],
  ] as const)('are kept if they restrict the value: %s', (keyword, base, given, expected) => {
    const found = given.map((value) => convert({ ...base, [keyword]: value })[keyword])
    expect(found).toEqual(expected)
  })
})
