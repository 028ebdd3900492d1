import { beforeAll, describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import type { OpenApiDocument } from '../../src/contracts/openapi.js'
import { type AnyClient, type AnyClientOptions, importClient } from './import-client.js'

const ok = { '200': { description: 'OK', content: { 'application/json': { schema: {} } } } }
const operation = (operationId: string, isLocked: boolean) => ({
  tags: ['t'],
  operationId,
  responses: ok,
  requestBody: { content: { 'application/json': { schema: {} } } },
  ...(isLocked && { security: [{ BearerAuth: [] }] }),
})

const document = {
  openapi: '3.0.3',
  info: { title: 'Token', version: '1' },
  servers: [],
  tags: [],
  components: {},
  paths: {
    '/locked': { post: operation('locked', true) },
    '/open': { post: operation('open', false) },
    '/either': { post: { ...operation('either', false), security: [{ BearerAuth: [] }, {}] } },
  },
} as unknown as OpenApiDocument

let createClient: (options: AnyClientOptions) => AnyClient
beforeAll(async () => {
  const module = await importClient('token', emitClient(document))
  createClient = module.createClient
})

/** The headers that were sent. */
async function sent(name: string, options: object, input: object = {}): Promise<Headers> {
  let headers = new Headers()
  const fetch = async (_url: string, init: RequestInit) => {
    headers = new Headers(init.headers)
    return Response.json({})
  }
  await createClient({ baseUrl: 'http://host', ...options, fetch })['t']?.[name]?.(input)
  return headers
}

const call = { headers: { Authorization: 'Basic call' } }
const lower = { headers: { authorization: 'Basic call' } }
const client = { headers: { Authorization: 'Basic client' } }

describe('the authorization of a call', () => {
  it.each<[string, object, object, string | null]>([
    ['the token', { token: 't' }, {}, 'Bearer t'],
    ['the token that a function returns', { token: async () => 't' }, {}, 'Bearer t'],
    ['the header of the call instead of the token', { token: 't' }, call, 'Basic call'],
    ['the header of the call in lower case', { token: 't' }, lower, 'Basic call'],
    ['the token instead of the header of the client', { token: 't', ...client }, {}, 'Bearer t'],
    [
      'the header of the call instead of the token and of the header of the client',
      { token: 't', ...client },
      lower,
      'Basic call',
    ],
    ['the header of the client without a token', client, {}, 'Basic client'],
    [
      'the header of the client if the token function returns undefined',
      { token: () => undefined, ...client },
      {},
      'Basic client',
    ],
    ['absent without a token or a header', {}, {}, null],
  ])('is %s', async (_, options, input, expected) => {
    expect((await sent('locked', options, input)).get('authorization')).toBe(expected)
  })

  it('contains no token if the operation has no security', async () => {
    expect((await sent('open', { token: 't' })).get('authorization')).toBeNull()
    expect((await sent('open', { token: 't' }, call)).get('authorization')).toBe('Basic call')
  })

  it('contains the token, if there is one, for an operation with optional security', async () => {
    expect((await sent('either', { token: 't' })).get('authorization')).toBe('Bearer t')
    expect((await sent('either', {})).get('authorization')).toBeNull()
  })

  it('contains a new result of the token function for each call', async () => {
    let count = 0
    const options = { token: () => `t${++count}` }
    const seen = []
    for (let i = 0; i < 3; i++) seen.push((await sent('locked', options)).get('authorization'))
    expect(seen).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3'])
  })
})

describe('baseUrl', () => {
  it.each(['http://host/v1', 'http://host/v1/', 'http://host/v1///'])(
    'is joined with the path: %s',
    async (baseUrl) => {
      let asked = ''
      const fetch = async (url: string) => {
        asked = url
        return Response.json({})
      }
      await createClient({ baseUrl, fetch })['t']?.['open']?.({})
      expect(asked).toBe('http://host/v1/open')
    },
  )
})

describe('headers other than Authorization', () => {
  it('set in a call override headers of the client, whatever their letter case', async () => {
    const options = { headers: { 'X-A': 'client', 'x-b': 'client', 'Content-Type': 'text/plain' } }
    const headers = await sent('open', options, { headers: { 'x-a': 'call', 'X-C': 'call' } })
    expect(['x-a', 'x-b', 'x-c'].map((name) => headers.get(name))).toEqual([
      'call',
      'client',
      'call',
    ])
    const typed = await sent('open', options, { body: { a: 1 } })
    expect(typed.get('content-type')).toBe('text/plain')
    const plain = await sent('open', {}, { body: { a: 1 } })
    expect(plain.get('content-type')).toBe('application/json')
  })
})

it('a client with several credentials renames a component that is named Credential', () => {
  const apiKey = (name: string) => ({ type: 'apiKey', in: 'header', name })
  const client = emitClient({
    ...document,
    components: {
      schemas: { Credential: { type: 'string' } },
      securitySchemes: { First: apiKey('x-first'), Second: apiKey('x-second') },
    },
    paths: {
      '/keys': { post: { ...operation('keys', false), security: [{ First: [], Second: [] }] } },
    },
  } as unknown as OpenApiDocument)
  expect(client.match(/^export type Credential =/gm)).toHaveLength(1)
})
