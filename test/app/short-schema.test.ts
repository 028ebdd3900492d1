import { describe, expect, it } from 'vitest'
import { shortSchema } from '../../src/app/explain/short-schema.js'
import type { OpenApiSchema } from '../../src/contracts/openapi-3-0.js'

const written = (schema: OpenApiSchema) => shortSchema({ schema, definitions: [], losses: [] })

describe('a schema in one line shows ranges and defaults', () => {
  it.each<[OpenApiSchema, string]>([
    [{ type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'integer (1 to 100) = 20'],
    [{ type: 'integer', minimum: 0 }, 'integer (at least 0)'],
    [
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1 },
      'number (above 0, at most 1)',
    ],
    [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 5 }, 'integer (at most 5)'],
    [
      { type: 'string', minLength: 1, maxLength: 9, default: '' },
      'string (1 to 9 characters) = ""',
    ],
    [{ type: 'string', format: 'email', maxLength: 254 }, 'string (email, at most 254 characters)'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 3 }, 'string[] (at most 3 items)'],
    [
      { type: 'array', items: { type: 'string', maxLength: 3 } },
      '(string (at most 3 characters))[]',
    ],
    [{ type: 'boolean', nullable: true, default: null }, 'boolean | null = null'],
    [
      { type: 'object', properties: { limit: { type: 'integer', default: 20 } } },
      '{ limit?: integer = 20 }',
    ],
  ])('%j', (schema, text) => {
    expect(written(schema)).toBe(text)
  })
})
