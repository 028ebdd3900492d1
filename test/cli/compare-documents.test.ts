import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
} from '../../src/contracts/openapi.js'
import { hostileDocument } from './hostile-document.js'
import { documentOfShop } from './shop.js'

type Schemas = Readonly<Record<string, OpenApiSchema>>

function documentOf(operation: Partial<OpenApiOperation>, schemas: Schemas = {}): OpenApiDocument {
  return {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    servers: [],
    tags: [],
    paths: { '/x': { post: { responses: {}, ...operation } } },
    components: { schemas },
  }
}

const content = (schema: OpenApiSchema) => ({ 'application/json': { schema } })

const requestOf = (schema: OpenApiSchema, schemas?: Schemas) =>
  documentOf({ requestBody: { content: content(schema) } }, schemas)

const responseOf = (schema: OpenApiSchema, schemas?: Schemas) =>
  documentOf({ responses: { '200': { description: '', content: content(schema) } } }, schemas)

/** `breaking rule @ location` of each change. */
function changes(base: OpenApiDocument, current: OpenApiDocument): string[] {
  return compareDocuments(base, current).map(
    ({ rule, isBreaking, location }) => `${isBreaking ? 'breaking' : 'ok'} ${rule} @ ${location}`,
  )
}

describe('compareDocuments', () => {
  it('finds no change if only the order of keys and the descriptions differ', () => {
    const [first, second] = [documentOfShop(), documentOfShop()]
    const schemas = Object.entries(second.components.schemas ?? {}).reverse()
    const current = {
      ...second,
      info: { ...second.info, description: 'New' },
      components: { ...second.components, schemas: Object.fromEntries(schemas) },
    }
    expect(changes(first, current)).toEqual([])
    expect(changes(hostileDocument, structuredClone(hostileDocument))).toEqual([])
  })

  it('identifies operations by method and path, ignoring parameter names', () => {
    const base = documentOfShop()
    const { '/items/{id}': one, ...rest } = base.paths
    const renamed = { ...base, paths: { ...rest, '/items/{key}': one ?? {} } }
    expect(changes(base, renamed)).toEqual([])
    const gone = { ...base, paths: rest }
    expect(compareDocuments(base, gone)).toMatchObject([
      { operation: 'GET /items/{id}', rule: 'operation-removed', isBreaking: true },
      { operation: 'DELETE /items/{id}', rule: 'operation-removed', isBreaking: true },
    ])
    expect(changes(gone, base)).toEqual(['ok operation-added @ ', 'ok operation-added @ '])
  })
})

const text: OpenApiSchema = { type: 'string' }
const bearer = [{ BearerAuth: [] }]
const query = (facts: object) => ({
  parameters: [{ name: 'q', in: 'query', schema: text, ...facts } as const],
})

describe('operations', () => {
  it.each<[string, Partial<OpenApiOperation>, Partial<OpenApiOperation>, string[]]>([
    ['a new parameter', {}, query({}), ['ok parameter-added @ query parameter q']],
    [
      'a new required parameter',
      {},
      query({ required: true }),
      ['breaking required-parameter-added @ query parameter q'],
    ],
    [
      'a parameter that becomes required',
      query({}),
      query({ required: true }),
      ['breaking input-required @ query parameter q'],
    ],
    [
      'a parameter that becomes optional',
      query({ required: true }),
      query({ required: false }),
      ['ok input-optional @ query parameter q'],
    ],
    ['a removed parameter', query({}), {}, ['breaking parameter-removed @ query parameter q']],
    [
      'a parameter with a different style',
      query({ schema: { type: 'array', items: text } }),
      query({ schema: { type: 'array', items: text }, explode: false }),
      ['breaking parameter-style-changed @ query parameter q'],
    ],
    ['a style that equals the default', query({}), query({ style: 'form', explode: true }), []],
    [
      'a style that equals the default of a cookie',
      query({ in: 'cookie' }),
      query({ in: 'cookie', style: 'form' }),
      [],
    ],
    [
      'a style that equals the default of a header',
      query({ in: 'header' }),
      query({ in: 'header', style: 'simple' }),
      [],
    ],
    [
      'a narrowed parameter',
      query({}),
      query({ schema: { type: 'string', enum: ['a'] } }),
      ['breaking enum-narrowed @ query parameter q'],
    ],
    ['a new body', {}, { requestBody: { content: content(text) } }, ['ok body-added @ body']],
    [
      'a new required body',
      {},
      { requestBody: { content: content(text), required: true } },
      ['breaking required-body-added @ body'],
    ],
    ['a removed body', { requestBody: { content: {} } }, {}, ['breaking body-removed @ body']],
    [
      'a different content type',
      { requestBody: { content: content(text) } },
      { requestBody: { content: { 'text/plain': { schema: text } } } },
      ['breaking content-type-removed @ body', 'ok content-type-added @ body'],
    ],
    [
      'a removed status',
      { responses: { '200': { description: '' }, '404': { description: '' } } },
      { responses: { '200': { description: '' } } },
      ['breaking response-removed @ response 404'],
    ],
    [
      'a status that is replaced by its range',
      { responses: { '200': { description: '' } } },
      { responses: { '2XX': { description: '' } } },
      ['ok response-added @ response 2XX'],
    ],
    [
      'a removed header',
      { responses: { '200': { description: '', headers: { ETag: { schema: text } } } } },
      { responses: { '200': { description: '' } } },
      ['breaking header-removed @ response 200'],
    ],
    ['added security', {}, { security: bearer }, ['breaking security-added @ security']],
    ['removed security', { security: bearer }, {}, ['ok security-loosened @ security']],
    [
      'an alternative security scheme',
      { security: bearer },
      { security: [...bearer, { Key: [] }] },
      ['ok security-loosened @ security'],
    ],
    [
      'security that becomes optional',
      { security: bearer },
      { security: [...bearer, {}] },
      ['ok security-loosened @ security'],
    ],
    [
      'optional security that becomes required',
      { security: [...bearer, {}] },
      { security: bearer },
      ['breaking security-added @ security'],
    ],
    [
      'an additional security scheme',
      { security: bearer },
      { security: [{ BearerAuth: [], Key: [] }] },
      ['breaking security-added @ security'],
    ],
    [
      'a different operation id',
      { operationId: 'a' },
      { operationId: 'b', deprecated: true },
      ['ok operation-id-changed @ ', 'ok operation-deprecated @ '],
    ],
  ])('are compared, including %s', (_, base, current, expected) => {
    expect(changes(documentOf(base), documentOf(current))).toEqual(expected)
  })

  it('inherit the security of their document if they have none', () => {
    const none = documentOf({})
    const closed = { ...none, security: bearer }
    const open = { ...documentOf({ security: [] }), security: bearer }
    expect(changes(none, closed)).toEqual(['breaking security-added @ security'])
    expect(changes(open, closed)).toEqual(['breaking security-added @ security'])
    expect(changes(closed, none)).toEqual(['ok security-loosened @ security'])
    expect(changes(closed, open)).toEqual(['ok security-loosened @ security'])
    expect(changes(closed, documentOf({ security: bearer }))).toEqual([])
    expect(changes(documentOf({ security: bearer }), closed)).toEqual([])
    expect(changes(none, open)).toEqual([])
  })

  it('use the shared responses of their document', () => {
    const shared = (response: OpenApiResponse): OpenApiDocument => ({
      ...documentOf({ responses: { '404': { $ref: '#/components/responses/NotFound' } } }),
      components: { responses: { NotFound: response } },
    })
    const first: OpenApiResponse = {
      description: '',
      headers: { ETag: { schema: text } },
      content: content(text),
    }
    const second: OpenApiResponse = { description: '', content: content({ type: 'integer' }) }
    expect(changes(shared(first), shared(first))).toEqual([])
    expect(changes(shared(first), shared(second))).toEqual([
      'breaking header-removed @ response 404',
      'breaking type-changed @ response 404',
    ])
    const own = documentOf({ responses: { '404': second } })
    expect(changes(own, shared(first))).toEqual(['breaking type-changed @ response 404'])
  })
})

const fields = (properties: Schemas, required: string[] = []): OpenApiSchema => ({
  type: 'object',
  properties,
  required,
})

/** The change, its rule, and the direction in which it breaks clients: the request or the response. */
const RULES: [
  string,
  OpenApiSchema,
  OpenApiSchema,
  string,
  'request' | 'response' | 'both' | 'none',
][] = [
  ['a different type', text, { type: 'integer' }, 'type-changed', 'both'],
  [
    'an integer that becomes a number',
    { type: 'integer' },
    { type: 'number' },
    'type-widened',
    'response',
  ],
  [
    'a number that becomes an integer',
    { type: 'number' },
    { type: 'integer' },
    'type-narrowed',
    'request',
  ],
  ['an added type', {}, text, 'type-narrowed', 'request'],
  ['a removed type', text, {}, 'type-widened', 'response'],
  ['added null', text, { type: 'string', nullable: true }, 'null-added', 'response'],
  ['removed null', { type: 'string', nullable: true }, text, 'null-removed', 'request'],
  ['a removed enum value', { enum: ['a', 'b'] }, { enum: ['a'] }, 'enum-narrowed', 'request'],
  ['an added enum value', { enum: ['a'] }, { enum: ['a', 'b'] }, 'enum-widened', 'response'],
  ['an added field', fields({}), fields({ a: text }), 'property-added', 'none'],
  ['a removed field', fields({ a: text }), fields({}), 'property-removed', 'both'],
  [
    'a field that becomes required',
    fields({ a: text }),
    fields({ a: text }, ['a']),
    'property-required',
    'request',
  ],
  [
    'a field that becomes optional',
    fields({ a: text }, ['a']),
    fields({ a: text }),
    'property-optional',
    'response',
  ],
  [
    'an object that begins to refuse unknown fields',
    fields({}),
    { ...fields({}), additionalProperties: false },
    'object-closed',
    'request',
  ],
  [
    'a field that becomes restricted to an audience',
    fields({ a: text }),
    fields({ a: { ...text, 'x-visible-to': ['pay'] } }),
    'visibility-narrowed',
    'both',
  ],
  [
    'a field whose audience needs other abilities',
    fields({ a: { ...text, 'x-visible-to': ['pay'] } }),
    fields({ a: { ...text, 'x-visible-to': ['hr', 'pay'] } }),
    'visibility-narrowed',
    'both',
  ],
  [
    'a field whose audience needs fewer abilities',
    fields({ a: { ...text, 'x-visible-to': ['hr', 'pay'] } }),
    fields({ a: { ...text, 'x-visible-to': ['pay'] } }),
    'visibility-widened',
    'none',
  ],
  ['an added lower bound', text, { type: 'string', minLength: 1 }, 'bound-tightened', 'request'],
  [
    'a lowered upper bound',
    { type: 'integer', maximum: 10 },
    { type: 'integer', maximum: 9 },
    'bound-tightened',
    'request',
  ],
  [
    'a bound that becomes exclusive',
    { type: 'number', minimum: 0 },
    { type: 'number', minimum: 0, exclusiveMinimum: true },
    'bound-tightened',
    'request',
  ],
  ['a removed bound', { type: 'array', maxItems: 3 }, { type: 'array' }, 'bound-loosened', 'none'],
  [
    'a different pattern',
    { type: 'string', pattern: 'a' },
    { type: 'string', pattern: 'b' },
    'bound-tightened',
    'request',
  ],
  [
    'a removed alternative',
    { anyOf: [text, { type: 'integer' }] },
    { anyOf: [text] },
    'choice-removed',
    'request',
  ],
  [
    'an added alternative',
    { oneOf: [text] },
    { oneOf: [{ type: 'integer' }, text] },
    'choice-added',
    'response',
  ],
]

describe('schemas', () => {
  it.each(RULES)('are compared, including %s', (_, base, current, rule, breaks) => {
    const outcomes = (changed: string[]) => changed.map((change) => change.split(' @')[0])
    const mark = (side: string) => (breaks === side || breaks === 'both' ? 'breaking' : 'ok')
    expect({
      request: outcomes(changes(requestOf(base), requestOf(current))),
      response: outcomes(changes(responseOf(base), responseOf(current))),
    }).toEqual({
      request: [`${mark('request')} ${rule}`],
      response: [`${mark('response')} ${rule}`],
    })
  })

  it('are compared through references, arrays and allOf, with a location for each change', () => {
    const schema = (leaf: OpenApiSchema): [OpenApiSchema, Schemas] => [
      {
        allOf: [fields({ data: { type: 'array', items: { $ref: '#/components/schemas/Node' } } })],
      },
      { Node: fields({ name: leaf, next: { $ref: '#/components/schemas/Node' } }) },
    ]
    expect(
      changes(responseOf(...schema(text)), responseOf(...schema({ type: 'integer' }))),
    ).toEqual(['breaking type-changed @ response 200 › data[].name'])
  })

  it('with a new required field break requests but not responses', () => {
    const [base, current] = [fields({}), fields({ a: text }, ['a'])]
    expect(changes(requestOf(base), requestOf(current))).toEqual([
      'breaking required-property-added @ body › a',
    ])
    expect(changes(responseOf(base), responseOf(current))).toEqual([
      'ok property-added @ response 200 › a',
    ])
  })

  it('can have circular references', () => {
    const names = Array.from({ length: 20 }, (_, i) => `S${i}`)
    const links = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
    )
    const schemas = (leaf: OpenApiSchema) =>
      Object.fromEntries(names.map((name) => [name, fields({ ...links, leaf })]))
    const ref = { $ref: '#/components/schemas/S0' }
    const changed = changes(responseOf(ref, schemas(text)), responseOf(ref, schemas({})))
    expect(changed).toHaveLength(names.length)
    expect(changed[0]).toMatch(/^breaking type-widened @ response 200 › /)
  })

  it('with circular references are compared at each place where they are used', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const schemas = (leaf: OpenApiSchema) => ({
      A: fields({ b: ref('B'), leaf }),
      B: fields({ a: ref('A') }),
    })
    const body = (name: string) => ({ '200': { description: '', content: content(ref(name)) } })
    const documentWith = (leaf: OpenApiSchema): OpenApiDocument => ({
      ...documentOf({}, schemas(leaf)),
      paths: { '/a': { get: { responses: body('A') } }, '/b': { get: { responses: body('B') } } },
    })
    expect(changes(documentWith(text), documentWith({ type: 'integer' }))).toEqual([
      'breaking type-changed @ response 200 › leaf',
      'breaking type-changed @ response 200 › a.leaf',
    ])
  })

  it('can be inlined without a change', () => {
    const named = responseOf({ $ref: '#/components/schemas/A' }, { A: fields({ a: text }) })
    expect(changes(named, responseOf(fields({ a: text })))).toEqual([])
    const twins = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
    expect(changes(responseOf({ $ref: '#/components/schemas/A' }, twins), named)).toHaveLength(2)
  })

  it('can have fields with the names of Object.prototype members', () => {
    const base = requestOf(fields({ constructor: text, title: text }))
    expect(changes(base, requestOf(fields({ title: text })))).toEqual([
      'breaking property-removed @ body › constructor',
    ])
  })
})
