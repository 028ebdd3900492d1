import { describe, expect, it } from 'vitest'
import type { OpenApiSchema } from '../../../src/contracts/openapi-3-0.js'
import { sampleValue } from '../../../src/features/docs/sample-value.js'
import { sampleDocument } from './sample-document.js'

const document = {
  ...sampleDocument,
  components: {
    schemas: {
      Tree: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          left: { $ref: '#/components/schemas/Tree' },
          all: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
        },
      },
      Circle: { $ref: '#/components/schemas/Ring' },
      Ring: { $ref: '#/components/schemas/Circle' },
      'a/b': { type: 'boolean' },
      Place: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
} as const

const CASES: [OpenApiSchema, unknown][] = [
  [{ type: 'string', example: 'x', default: 'y', enum: ['z'] }, 'x'],
  [{ type: 'string', default: 'y', enum: ['z'] }, 'y'],
  [{ type: 'string', enum: ['z'] }, 'z'],
  [{ type: 'string', minLength: 6 }, 'textxx'],
  [{ type: 'string', maxLength: 2 }, 'te'],
  [{ type: 'string', format: 'date' }, '2030-01-31'],
  [{ type: 'integer' }, 1],
  [{ type: 'integer', minimum: 5, exclusiveMinimum: true }, 6],
  [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
  [{ type: 'number', maximum: 0.5 }, 0.5],
  [{ type: 'boolean' }, true],
  [{ type: 'array' }, []],
  [{ type: 'array', items: { type: 'integer' } }, [1]],
  [{}, {}],
  [{ type: 'object', properties: { id: { type: 'integer', readOnly: true } } }, {}],
  [{ oneOf: [{ type: 'boolean' }, { type: 'string' }] }, true],
  [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } } },
        { type: 'object', properties: { b: { type: 'boolean' } } },
      ],
    },
    { a: 1, b: true },
  ],
  [{ allOf: [{ type: 'string' }] }, 'text'],
  [{ $ref: '#/components/schemas/Tree' }, { name: 'text', left: undefined, all: [] }],
  [
    {
      type: 'object',
      properties: {
        from: { $ref: '#/components/schemas/Place' },
        to: { $ref: '#/components/schemas/Place' },
        stops: { type: 'array', items: { $ref: '#/components/schemas/Place' } },
      },
    },
    { from: { city: 'text' }, to: { city: 'text' }, stops: [{ city: 'text' }] },
  ],
  [{ $ref: '#/components/schemas/a~1b' }, true],
  [{ $ref: '#/components/schemas/Circle' }, undefined],
  [{ $ref: '#/components/schemas/Missing' }, undefined],
  [{ $ref: '#/components/schemas/constructor' }, undefined],
]

describe('sampleValue', () => {
  it.each(CASES)('of %j is %j', (schema, expected) => {
    expect(sampleValue(schema, document)).toEqual(expected)
  })

  it('ends if many schemas refer to each other', () => {
    const names = Array.from({ length: 12 }, (_, i) => `E${i}`)
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    )
    const schemas = Object.fromEntries(
      names.map((name) => [name, { type: 'object' as const, properties }]),
    )
    const sample = sampleValue(properties['E0'] ?? {}, { ...document, components: { schemas } })
    expect(JSON.stringify(sample).length).toBeLessThan(10_000)
  })
})
