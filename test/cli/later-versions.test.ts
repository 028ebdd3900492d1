import { describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import type { OpenApiDocument, OpenApiSchema } from '../../src/contracts/openapi.js'

const documentOf = (
  openapi: OpenApiDocument['openapi'],
  schema: OpenApiSchema,
): OpenApiDocument => ({
  openapi,
  info: { title: 'T', version: '1' },
  servers: [],
  tags: [],
  paths: {
    '/x': {
      post: {
        operationId: 'x',
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '204': { description: '' } },
      },
    },
  },
  components: { schemas: { Named: { type: 'object', properties: { a: { type: 'string' } } } } },
})

const rules = (older: OpenApiDocument, newer: OpenApiDocument) =>
  compareDocuments(older, newer).map(
    ({ rule, isBreaking }) => `${isBreaking ? 'breaking' : 'ok'} ${rule}`,
  )

const NAMED = { $ref: '#/components/schemas/Named' }

describe('openapi diff between documents of different OpenAPI versions', () => {
  const same: [string, OpenApiSchema, OpenApiSchema][] = [
    ['null', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'null beside a reference',
      { anyOf: [NAMED, { type: 'string', nullable: true, enum: [null] }] },
      { anyOf: [NAMED, { type: 'null' }] },
    ],
    ['a constant', { type: 'string', enum: ['a'] }, { const: 'a' }],
    [
      'a nullable enum',
      { type: 'string', nullable: true, enum: ['a', null] },
      { enum: ['a', null] },
    ],
    [
      'an exclusive bound',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    ['bytes', { type: 'string', format: 'byte' }, { type: 'string', contentEncoding: 'base64' }],
    [
      'a tuple',
      { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      {
        type: 'array',
        prefixItems: [{ type: 'number' }, { type: 'number' }],
        items: false,
        minItems: 2,
      },
    ],
  ]
  it.each(same)('finds no change if the only difference is the form of %s', (_, older, newer) => {
    for (const version of ['3.1.2', '3.2.0'] as const) {
      expect(rules(documentOf('3.0.3', older), documentOf(version, newer))).toEqual([])
      expect(rules(documentOf(version, newer), documentOf('3.0.3', older))).toEqual([])
    }
  })

  it('finds real changes', () => {
    const older = documentOf('3.0.3', { type: 'string', nullable: true })
    expect(rules(older, documentOf('3.1.2', { type: 'string' }))).toEqual(['breaking null-removed'])
    const bound = documentOf('3.2.0', { type: ['string', 'null'], maxLength: 3 })
    expect(rules(older, bound)).toEqual(['breaking bound-tightened'])
    const union = documentOf('3.1.2', { anyOf: [NAMED, { type: 'null' }] })
    expect(rules(union, documentOf('3.1.2', NAMED))).toEqual(['breaking null-removed'])
    const values = (...all: unknown[]) =>
      documentOf('3.1.2', { anyOf: all.map((value) => ({ const: value })) })
    expect(rules(values('a', 'b'), values('a'))).toEqual(['breaking enum-narrowed'])
  })
})

describe('the client for an OpenAPI 3.1 document', () => {
  const bodyOf = (schema: OpenApiSchema) =>
    /body: ([^;]*);/.exec(emitClient(documentOf('3.1.2', schema)))?.[1]

  const text: OpenApiSchema = { type: 'string' }
  const number: OpenApiSchema = { type: ['number', 'null'] }
  const types: [string, OpenApiSchema, string][] = [
    ['several types', { type: ['string', 'number'] }, 'string | number'],
    ['null', { type: ['string', 'null'] }, 'string | null'],
    ['a constant', { const: 'a' }, '"a"'],
    [
      'a tuple',
      { type: 'array', prefixItems: [text, number], items: false, minItems: 2 },
      '[string, number | null]',
    ],
    [
      'a tuple with optional items',
      { type: 'array', prefixItems: [text, number], items: false, minItems: 1 },
      '[string, (number | null)?]',
    ],
    [
      'an open tuple',
      { type: 'array', prefixItems: [text], minItems: 1 },
      '[string, ...unknown[]]',
    ],
    ['a reference', { ...NAMED }, 'Named'],
  ]
  it.each(types)('has a type for %s', (_, schema, type) => {
    expect(bodyOf(schema)).toBe(type)
  })
})
