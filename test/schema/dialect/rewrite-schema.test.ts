import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../../src/contracts/openapi.js'
import { keepDocument, lowerDocument } from '../../../src/schema/dialect/rewrite-schema.js'

const old = { type: 'string', nullable: true }
const later = { type: ['string', 'null'] }

/** A document with a schema in each place that can contain one, and values that only look like schemas. */
const documentWith = (schema: object, openapi: string) =>
  ({
    openapi,
    info: { title: 'A', version: '1' },
    'x-own': { schema: old },
    paths: {
      '/a': {
        get: {
          parameters: [{ name: 'a', in: 'query', schema, example: { schema: old } }],
          responses: {
            200: {
              description: 'A',
              headers: { schema: { schema }, example: { schema } },
              content: {
                'a/b': {
                  schema,
                  'x-item-schema': schema,
                  examples: { a: { value: { schema: old } } },
                },
              },
            },
          },
        },
        'x-oai-additionalOperations': {
          QUERY: { requestBody: { content: { 'a/b': { schema } } }, responses: {} },
        },
      },
    },
    components: { schemas: { schema, A: { type: 'object', properties: { schema } } } },
  }) as unknown as OpenApiDocument

describe('the conversion of a whole document', () => {
  it('changes every schema, but no examples, extensions and names', () => {
    const before = documentWith(old, '3.1.2')
    const text = JSON.stringify(before)
    expect(keepDocument(before)).toEqual(documentWith(later, '3.1.2'))
    expect(JSON.stringify(before)).toBe(text)
  })

  it('can be reversed, only once for each document, and does not change OpenAPI 3.0', () => {
    const newer = documentWith(later, '3.1.2')
    expect(lowerDocument(newer)).toEqual(documentWith(old, '3.1.2'))
    expect(lowerDocument(newer)).toBe(lowerDocument(newer))
    const oldest = documentWith(old, '3.0.3')
    expect(lowerDocument(oldest)).toBe(oldest)
  })
})
