import { App, type AppOptions, Controller, Get, Version } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkResponse, documentedStatus } from '../../src/app/contract/check-response.js'
import {
  type DocumentedOperation,
  documentedByRoute,
  operationFinder,
} from '../../src/app/contract/documented-by-route.js'
import { type Exchange, isJson } from '../../src/app/contract/exchange.js'
import { describeApp } from '../../src/app/describe.js'
import { listDocuments } from '../../src/app/documents.js'
import { resolveSettings } from '../../src/app/settings/resolve-settings.js'

/** Compiles schemas that accept every value. */
const compile = () => () => []

/** An operation with these responses. */
function operationWith(responses: object, components: object = {}): DocumentedOperation {
  const errors = {
    types: ['application/json', 'application/problem+json'],
    isOwn: false,
    validationStatus: 400,
    find: () => () => [],
  }
  return {
    ...({ document: { components }, operation: { responses } } as never as DocumentedOperation),
    ...{ operationId: 'list', name: 'GET /things', handler: 'Things.list' },
    ...{ headers: {}, route: null, hasEnvelope: false, errors },
  }
}

/** The kinds and places of the differences between a response and an operation. */
function found(documented: DocumentedOperation, given: Partial<Exchange> & { status: number }) {
  const exchange = { method: 'GET', url: '/things', headers: {}, body: null, ...given }
  const key = documentedStatus(documented, given.status)
  return checkResponse(exchange, { documented, key, compile }).map(({ kind, path }) =>
    path === '' ? kind : `${kind} ${path}`,
  )
}

const json = { 'content-type': 'application/json' }
const content = (...types: string[]) => ({
  description: '',
  content: Object.fromEntries(types.map((type) => [type, { schema: {} }])),
})

describe('the documented response for a status', () => {
  const all = { 200: {}, '4XX': {}, 404: {}, default: {} }

  it.each([
    [all, 200, '200'],
    [all, 404, '404'],
    [all, 400, '4XX'],
    [all, 499, '4XX'],
    [all, 500, 'default'],
    [{ '2XX': {} }, 299, '2XX'],
    [{ '2XX': {} }, 300, undefined],
  ])('of %j is the nearest one for %d: %s', (responses, status, key) => {
    expect(documentedStatus(operationWith(responses), status)).toBe(key)
  })
})

describe('the comparison of a response with its document', () => {
  it.each([204, 205, 304])('expects no body for the status %d', (status) => {
    expect(found(operationWith({ [status]: content('application/json') }), { status })).toEqual([])
  })

  it.each<[object, number, string[]]>([
    [{ 201: {} }, 200, ['status']],
    [{ 201: {} }, 302, ['status']],
    [{ 201: {} }, 404, ['status']],
    [{ 201: {} }, 304, []],
    [{ 201: {} }, 408, []],
    [{ 201: {} }, 431, []],
    [{ '2XX': {} }, 302, []],
    [{ '2XX': {} }, 404, []],
  ])(
    'of an operation with %j and a response with the status %d reports %j',
    (responses, status, kinds) => {
      const documented = operationWith(responses)
      expect(found(documented, { status, headers: json, body: '{}' })).toEqual(kinds)
    },
  )

  it.each([
    ['application/json', 'application/json; charset=utf-8', []],
    ['application/json; charset=utf-8', 'Application/JSON', []],
    ['text/*', 'text/csv', []],
    ['*/*', 'image/png', []],
    ['text/*', 'image/png', ['content-type']],
    ['text/csv', '', ['content-type']],
  ])('of a response documented as %s accepts the media type %s: %j', (documented, type, kinds) => {
    const headers = type === '' ? {} : { 'content-type': type }
    const operation = operationWith({ 200: content(documented) })
    expect(found(operation, { status: 200, headers, body: '{}' })).toEqual(kinds)
  })

  it('reports missing headers that are required, also behind a reference, in any case', () => {
    const headers = {
      'X-Own': { required: true, schema: {} },
      'X-Shared': { $ref: '#/components/headers/Shared' },
      'X-Optional': { $ref: '#/components/headers/Optional' },
      'X-Loose': { schema: {} },
    }
    const components = { headers: { Shared: { required: true }, Optional: { required: false } } }
    const documented = operationWith({ 200: { description: '', headers } }, components)
    expect(found(documented, { status: 200 })).toEqual(['header X-Own', 'header X-Shared'])
    const sent = { 'x-own': '1', 'x-shared': '2' }
    expect(found(documented, { status: 200, headers: sent })).toEqual([])
  })

  it('uses the schema of the exact media type, before that of a range and that of all types', () => {
    const schemas = ['*/*', 'application/*', 'application/json']
    const used: unknown[] = []
    for (let count = schemas.length; count > 0; count--) {
      const entries = schemas.slice(0, count).map((type) => [type, { schema: { title: type } }])
      const response = { description: '', content: Object.fromEntries(entries) }
      const compile = ({ title }: { title?: string }) => {
        used.push(title)
        return () => []
      }
      const documented = operationWith({ 200: response })
      const exchange = { method: 'GET', url: '/', status: 200, headers: json, body: '1' }
      checkResponse(exchange, { documented, key: '200', compile })
    }
    expect(used).toEqual([...schemas].reverse())
  })

  it('accepts an error in another format of the application, and a redirect without a body', () => {
    const documented = operationWith({
      404: content('application/json'),
      302: content('text/plain'),
    })
    const problem = { 'content-type': 'application/problem+json' }
    expect(found(documented, { status: 404, headers: problem, body: '{}' })).toEqual([])
    expect(found(documented, { status: 302, headers: { location: '/' } })).toEqual([])
    expect(found(documented, { status: 302 })).toEqual(['content-type'])
  })
})

describe('a media type', () => {
  it.each([
    ['application/json', true],
    ['application/vnd.api+json; charset=utf-8', true],
    ['APPLICATION/PROBLEM+JSON', true],
    ['application/json ;a=b', true],
    ['application/jsonl', false],
    ['text/plain; a=application/json', false],
    [undefined, false],
  ])('%s is JSON: %s', (type, expected) => {
    expect(isJson(type)).toBe(expected)
  })
})

/** The operations of an application, and its documents. */
function operationsOf(options: AppOptions) {
  const resolved = resolveSettings({ logger: false, ...options })
  const { express } = new App()
  const { model } = describeApp(resolved, { builtIn: [], checkForeign: null }, express)
  const { settings } = resolved
  const documents = listDocuments(model, settings, express)
  const find = operationFinder(documentedByRoute({ model, settings, documents }))
  return { documents, find }
}

@Controller('plain')
class PlainController {
  @Get() list() {}
}

@Version('1', '2')
@Controller('versioned')
class VersionedController {
  @Get() list() {}
}

describe('the documented operation of a route', () => {
  it('is that of the first document that contains the route', () => {
    const swagger = [{ path: '/none', include: () => false }, { path: '/one' }, { path: '/two' }]
    const { documents, find } = operationsOf({ controllers: [PlainController], swagger })
    expect(find(0, 'GET')?.document).toBe(documents[1]?.document)
    expect(find(0, 'HEAD')?.document).toBe(documents[1]?.document)
    expect(find(0, 'POST')).toBeUndefined()
    expect(find(1, 'GET')).toBeUndefined()
  })

  it('is that of its version, or of the first version if the route is in every version', () => {
    const { documents, find } = operationsOf({
      controllers: [VersionedController, PlainController],
      versions: { by: { header: 'X-Version' }, default: '2' },
    })
    expect(documents.map(({ version }) => version)).toEqual(['2', '1'])
    expect([0, 1, 2].map((index) => find(index, 'get')?.name)).toEqual([
      'GET /versioned (version 1)',
      'GET /versioned (version 2)',
      'GET /plain',
    ])
    expect(find(0, 'get')?.document).toBe(documents[1]?.document)
    expect(find(2, 'get')?.document).toBe(documents[0]?.document)
  })

  it.each<[string, AppOptions['errors'], readonly string[]]>([
    [
      'negotiated',
      undefined,
      ['application/json', 'application/problem+json', 'application/x+json'],
    ],
    ['problem', 'problem', ['application/problem+json']],
    [
      'own',
      { format: () => ({}), schema: z.object({}), mediaType: 'application/x+json; a=b' },
      ['application/x+json'],
    ],
  ])('has the error bodies of the format: %s', (_, errors, types) => {
    const options = { controllers: [PlainController], ...(errors !== undefined && { errors }) }
    const expected = operationsOf(options).find(0, 'GET')?.errors
    const all = ['application/json', 'application/problem+json', 'application/x+json']
    const compiles = (type: string) => expected?.find(type, () => () => []) !== undefined
    expect(all.filter(compiles)).toEqual(types)
  })
})
