import type { OpenApiDocument } from 'blazon'
import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'

/** A document whose one operation takes and returns a schema. */
function documentOf(schema: object, { openapi = '3.1.2', extra = {} } = {}): OpenApiDocument {
  return {
    openapi,
    info: { title: 'API', version: '1.0.0' },
    tags: [],
    components: { schemas: { Body: schema, ...extra } },
    paths: {
      '/bodies': {
        post: {
          operationId: 'send',
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } },
          },
          responses: { '200': { description: 'Sent' } },
        },
      },
    },
  } as unknown as OpenApiDocument
}

const rulesOf = (before: object, after: object, options = {}) =>
  compareDocuments(documentOf(before, options), documentOf(after, options)).map(
    ({ rule, isBreaking, location }) => `${rule} ${isBreaking} ${location}`,
  )

const LIST = { type: 'array', items: { type: 'string' } }
const BODY = 'schema-unjudged true requestBody › content › application/json'

describe('keywords that OpenAPI 3.0 does not have', () => {
  it.each([
    ['contains', { const: 'a' }, { const: 'b' }],
    ['prefixItems', [{ type: 'string' }], [{ type: 'number' }]],
    ['if', { const: ['a'] }, { const: ['b'] }],
    ['unevaluatedItems', false, true],
    ['minContains', 1, 2],
    ['propertyNames', { pattern: 'a' }, { pattern: 'b' }],
    ['patternProperties', { '^a': { type: 'string' } }, { '^a': { type: 'number' } }],
    ['dependentSchemas', { a: { required: ['b'] } }, { a: { required: ['c'] } }],
    ['dependentRequired', { a: ['b'] }, { a: ['c'] }],
  ])('are reported if they change: %s', (keyword, before, after) => {
    const schema = (value: unknown) => ({ ...LIST, [keyword]: value })
    expect(rulesOf(schema(before), schema(after))).toContain(BODY)
    expect(rulesOf(LIST, schema(after))).toContain(BODY)
    expect(rulesOf(schema(before), LIST)).toContain(BODY)
    expect(rulesOf(schema(before), schema(before))).toEqual([])
  })

  it('are found behind fields, references and lists', () => {
    const deep = (value: string) => ({
      type: 'object',
      properties: {
        list: { allOf: [{ $ref: '#/components/schemas/Inner' }] },
        contains: { type: 'string', const: value },
      },
    })
    const options = (value: string) => ({
      extra: {
        Inner: { ...LIST, contains: { $ref: '#/components/schemas/Text' } },
        Text: { const: value },
      },
    })
    const changes = compareDocuments(
      documentOf(deep('a'), options('a')),
      documentOf(deep('a'), options('b')),
    )
    expect(changes.map(({ rule, location }) => `${rule} ${location}`)).toEqual([
      'schema-unjudged requestBody › content › application/json › list › allOf › 0',
    ])
  })

  it('are compared in finite time in recursive schemas, ignoring descriptions and order', () => {
    const tree = (contains: object) => ({
      type: 'array',
      items: { $ref: '#/components/schemas/Body' },
      contains,
    })
    const self = { $ref: '#/components/schemas/Body' }
    expect(rulesOf(tree(self), tree(self))).toEqual([])
    const [a, b] = [
      { type: 'string', minLength: 1 },
      { minLength: 1, title: 'T', type: 'string' },
    ]
    expect(rulesOf(tree(a), tree(b))).toEqual([])
  })

  it('are not compared with a 3.0 document', () => {
    const older = documentOf(LIST, { openapi: '3.0.3' })
    expect(compareDocuments(older, documentOf({ ...LIST, contains: { const: 'a' } }))).toEqual([])
  })
})
