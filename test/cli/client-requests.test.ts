import { beforeAll, describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import type { OpenApiDocument, OpenApiOperation } from '../../src/contracts/openapi.js'
import { type AnyClient, type AnyClientOptions, importClient } from './import-client.js'

const text = { type: 'string' } as const
const list = { type: 'array', items: text } as const
const object = { type: 'object', properties: { a: text, b: list } } as const
const json = { 'application/json': { schema: object } }
const ok = { '200': { description: 'OK', content: json } }

/** One operation for each part that a request may have. */
const operations: Record<string, Partial<OpenApiOperation>> = {
  query: {
    parameters: [
      { name: 'each', in: 'query', schema: list },
      { name: 'joined', in: 'query', explode: false, schema: list },
      { name: 'deep', in: 'query', style: 'deepObject', explode: true, schema: object },
      { name: 'flat', in: 'query', schema: object },
      { name: 'a&b', in: 'query', schema: text },
    ],
  },
  json: { requestBody: { content: json } },
  form: { requestBody: { content: { 'multipart/form-data': { schema: object } } } },
  fields: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: object } } } },
  bytes: { requestBody: { content: { 'application/octet-stream': { schema: {} } } } },
  headers: { parameters: [{ name: 'X-Count', in: 'header', schema: { type: 'integer' } }] },
  locked: { security: [{ BearerAuth: [] }] },
  moved: { responses: { '302': { description: 'Elsewhere' } } },
  file: {
    responses: { '200': { description: 'A file', content: { 'application/pdf': { schema: {} } } } },
  },
  csv: {
    responses: { '200': { description: 'A table', content: { 'text/csv': { schema: text } } } },
  },
  nothing: { responses: { '204': { description: 'Nothing' } } },
  range: { responses: { '2XX': { description: 'OK', content: json } } },
}

const document = {
  openapi: '3.0.3',
  info: { title: 'All', version: '1' },
  servers: [],
  tags: [],
  components: {},
  paths: {
    ...Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [
        `/${name}`,
        { post: { tags: ['t'], operationId: name, responses: ok, ...operation } },
      ]),
    ),
    '/in/{id}/of/{group}': {
      get: {
        tags: ['t'],
        operationId: 'path',
        parameters: ['id', 'group'].map((name) => ({
          name,
          in: 'path',
          required: true,
          schema: text,
        })),
        responses: ok,
      },
    },
  },
} as unknown as OpenApiDocument

let createClient: (options: AnyClientOptions) => AnyClient

beforeAll(async () => {
  const module = await importClient('requests', emitClient(document))
  createClient = module.createClient
})

const answer = (body: unknown, status = 200) => Response.json(body, { status })

/** Calls an operation; returns the request that was sent, and the result. */
async function call(
  name: string,
  input: object,
  { response = answer({}), ...options }: Partial<AnyClientOptions> & { response?: Response } = {},
) {
  let sent: { url: string; init: RequestInit } | undefined
  const fetch = async (url: string, init: RequestInit) => {
    sent = { url, init }
    return response
  }
  const client = createClient({ baseUrl: 'http://host/v1/', ...options, fetch })
  const result = await client['t']?.[name]?.(input)
  const { url, init } = sent as NonNullable<typeof sent>
  return { url, init, headers: new Headers(init.headers), result }
}

describe('a path parameter', () => {
  it('is encoded, including slashes', async () => {
    const { url, init } = await call('path', { params: { id: 'a/b?#é', group: '100%' } })
    expect(url).toBe('http://host/v1/in/a%2Fb%3F%23%C3%A9/of/100%25')
    expect(init.method).toBe('GET')
  })

  it.each(['', '.', '..', undefined])('is rejected if its value is %j', async (id) => {
    await expect(call('path', { params: { id, group: 'x' } })).rejects.toThrow(TypeError)
  })
})

describe('the query of a request', () => {
  it.each([
    [{ each: ['a', 'b c'] }, '?each=a&each=b%20c'],
    [{ joined: ['a', 'b,c'] }, '?joined=a,b%2Cc'],
    [{ deep: { a: 'x', b: ['y', 'z'] } }, '?deep%5Ba%5D=x&deep%5Bb%5D=y&deep%5Bb%5D=z'],
    [{ flat: { a: 'x', b: undefined } }, '?a=x'],
    [{ 'a&b': '=&' }, '?a%26b=%3D%26'],
    [{ each: [], joined: undefined, 'a&b': null }, ''],
    [{ 'a&b': new Date(0) }, '?a%26b=1970-01-01T00%3A00%3A00.000Z'],
  ])('is encoded from %j as %s', async (query, expected) => {
    const { url } = await call('query', { query })
    expect(url).toBe(`http://host/v1/query${expected}`)
  })
})

describe('the body of a client request', () => {
  it('is sent as JSON', async () => {
    const { init, headers } = await call('json', { body: { a: 'x' } })
    expect(init.body).toBe('{"a":"x"}')
    expect(headers.get('Content-Type')).toBe('application/json')
  })

  it('is sent as a form with files', async () => {
    const { init, headers } = await call('form', {
      body: { a: new Blob(['x']), b: ['y', 'z'], c: 1 },
    })
    const form = init.body as FormData
    expect(form.getAll('b')).toEqual(['y', 'z'])
    expect(form.get('c')).toBe('1')
    expect(await (form.get('a') as File).text()).toBe('x')
    expect(headers.has('Content-Type')).toBe(false)
    const own = new FormData()
    expect((await call('form', { body: own })).init.body).toBe(own)
  })

  it('is sent as form fields', async () => {
    const { init, headers } = await call('fields', { body: { a: 'x y', b: ['1', '2'] } })
    expect(init.body).toBe('a=x%20y&b=1&b=2')
    expect(headers.get('Content-Type')).toBe('application/x-www-form-urlencoded')
  })

  it('is sent unchanged if its media type is neither JSON nor a form', async () => {
    const bytes = new Uint8Array([1])
    expect((await call('bytes', { body: bytes })).init.body).toBe(bytes)
  })

  it('is absent if the call passes none', async () => {
    const { init, headers } = await call('json', {})
    expect(init.body).toBeUndefined()
    expect(headers.has('Content-Type')).toBe(false)
  })
})

describe('the headers of a client request', () => {
  it('set in a call override headers set in the client', async () => {
    const options = { headers: { 'X-A': 'client', 'X-B': 'client' } }
    const { headers } = await call('headers', { headers: { 'X-Count': 3, 'x-b': 'call' } }, options)
    expect(headers.get('X-A')).toBe('client')
    expect(headers.get('X-B')).toBe('call')
    expect(headers.get('X-Count')).toBe('3')
    expect(headers.get('Accept')).toBe('application/json, */*;q=0.5')
  })

  it('contain the token only for operations with security', async () => {
    const options = { token: async () => 's3cret' }
    expect((await call('locked', {}, options)).headers.get('Authorization')).toBe('Bearer s3cret')
    expect((await call('json', {}, options)).headers.has('Authorization')).toBe(false)
    expect((await call('locked', {}, { token: 'x' })).headers.get('Authorization')).toBe('Bearer x')
  })
})

describe('a response to a client request', () => {
  it.each([
    ['moved', new Response(null, { status: 302 }), { ok: true, status: 302, data: undefined }],
    ['nothing', new Response(null, { status: 204 }), { ok: true, status: 204, data: undefined }],
    [
      'csv',
      new Response('a,b', { headers: { 'Content-Type': 'text/csv' } }),
      { ok: true, data: 'a,b' },
    ],
    ['range', answer({ a: 'x' }, 202), { ok: true, status: 202, data: { a: 'x' } }],
    [
      'json',
      answer({ statusCode: 'error', status: 409, message: 'Taken' }, 409),
      { ok: false, status: 409, error: { message: 'Taken' } },
    ],
  ])('is read by its status and media type: %s', async (name, response, expected) => {
    expect((await call(name, {}, { response })).result).toMatchObject(expected)
  })

  it('is returned as a Blob if it is a file', async () => {
    const response = new Response('%PDF', { headers: { 'Content-Type': 'application/pdf' } })
    const { result } = await call('file', {}, { response })
    expect(await result.data.text()).toBe('%PDF')
  })

  it('has the documented status even if a browser hides the status of a redirect', async () => {
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    })
    const { result } = await call('moved', {}, { response: hidden })
    expect(result).toMatchObject({ ok: true, status: 302, data: undefined })
  })

  it('is not followed if it is a redirect', async () => {
    const response = new Response(null, { status: 302 })
    expect((await call('moved', {}, { response })).init.redirect).toBe('manual')
    expect((await call('json', {})).init.redirect).toBeUndefined()
  })

  it.each([
    ['of a status that is not documented', answer({}, 201)],
    ['of a proxy', new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['of a proxy in a different JSON format', answer({ error: 'no upstream' }, 502)],
    ['without the JSON that the document declares', new Response('<h1>Hello</h1>')],
    ['with broken JSON', new Response('{', { headers: { 'Content-Type': 'application/json' } })],
  ])('%s causes an UnexpectedResponseError', async (_, response) => {
    const body = await response.clone().text()
    await expect(call('json', {}, { response })).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      status: response.status,
      body,
    })
  })
})
