import { beforeAll, describe, expect, it } from 'vitest'
import { emitClient } from '../../src/cli/client/emit-client.js'
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '../../src/contracts/openapi.js'
import { type AnyClient, type AnyClientOptions, importClient } from './import-client.js'

const text: OpenApiSchema = { type: 'string' }
const content = (schema: OpenApiSchema, type = 'application/json') => ({ [type]: { schema } })
const envelope = (kinds: string[]): OpenApiSchema => ({
  type: 'object',
  properties: { statusCode: { type: 'string', enum: kinds }, message: text, data: text },
})
const respond = (status: string, schema: OpenApiSchema, type?: string) => ({
  [status]: { description: '', content: content(schema, type) },
})
const failure: OpenApiSchema = { type: 'object', properties: { problem: text } }

const OPERATIONS: Record<string, Partial<OpenApiOperation>> = {
  enveloped: { responses: respond('200', envelope(['success'])) },
  twoKinds: { responses: respond('200', envelope(['success', 'fail'])) },
  range: { responses: respond('2XX', text) },
  exact: {
    responses: {
      ...respond('2XX', envelope(['success'])),
      ...respond('201', text),
      ...respond('default', failure),
    },
  },
  named: { responses: { ...respond('2XX', text), '204': { description: '' } } },
  events: { responses: respond('200', text, 'text/event-stream; charset=utf-8') },
  plain: { responses: respond('200', text, 'text/plain') },
  csv: { responses: respond('200', text, 'text/csv') },
  file: { responses: respond('200', text, 'application/pdf') },
  own: {
    responses: {
      ...respond('200', text),
      ...respond('400', failure),
      ...respond('500', failure),
    },
  },
  query: {
    parameters: [
      { name: 'joined', in: 'query', explode: false, schema: { type: 'object' } },
      { name: 'deep', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
      { name: 'flat', in: 'query', schema: { type: 'object' } },
    ],
  },
  merge: { requestBody: { content: content({}, 'application/merge-patch+json') } },
  form: { requestBody: { content: content({}, 'multipart/form-data') } },
  fields: { requestBody: { content: content({}, 'application/x-www-form-urlencoded') } },
  open: { security: [{}] },
  locked: { security: [{}, { BearerAuth: [] }] },
  inherited: {},
  public: { security: [] },
}

const document: OpenApiDocument = {
  openapi: '3.0.3',
  info: { title: 'Edges */ of */ a client', version: '1' },
  servers: [],
  tags: [],
  security: [{ BearerAuth: [] }],
  components: {},
  paths: {
    ...Object.fromEntries(
      Object.entries(OPERATIONS).map(([name, operation]) => [
        `/${name}`,
        { post: { tags: ['t'], operationId: name, responses: respond('200', text), ...operation } },
      ]),
    ),
    '/head': {
      head: { tags: ['t'], operationId: 'head', responses: respond('200', text) },
    },
    '/lists/{ids}': {
      get: {
        tags: ['t'],
        operationId: 'lists',
        parameters: [{ name: 'ids', in: 'path', required: true, schema: text }],
        responses: respond('200', text),
      },
    },
  } as unknown as OpenApiDocument['paths'],
}

const written = emitClient(document)
let createClient: (options: AnyClientOptions) => AnyClient

beforeAll(async () => {
  createClient = (await importClient('edges', written)).createClient
})

const json = (body: unknown, status = 200) => Response.json(body, { status })

async function call(
  name: string,
  input?: object,
  { response = json(''), ...options }: Partial<AnyClientOptions> & { response?: Response } = {},
) {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return response
  }
  const client = createClient({ baseUrl: 'http://host', ...options, fetch })
  const result = await client['t']?.[name]?.(input)
  const [{ url, init } = { url: '', init: {} }] = sent
  return { url, init, headers: new Headers(init.headers), result }
}

describe('the URL of a client request', () => {
  it.each(['http://host/v1', 'http://host/v1/', 'http://host/v1///'])(
    'has one slash after the base %s',
    async (baseUrl) => {
      expect((await call('plain', {}, { baseUrl })).url).toBe('http://host/v1/plain')
    },
  )

  it.each([
    [{ joined: { a: 'x y', b: 1, c: undefined } }, '?joined=a,x%20y,b,1'],
    [{ deep: { a: { b: 1 }, c: null } }, '?deep%5Ba%5D=%7B%22b%22%3A1%7D'],
    [{ flat: { a: ['x', 'y'], b: false } }, '?a=x&a=y&b=false'],
    [{ flat: {} }, ''],
    [{ flat: { a: ['x', null] } }, '?a=x'],
    [{ joined: ['x', null, 1] }, '?joined=x,1'],
    [{ joined: [null] }, ''],
  ])('contains the query %j in encoded form', async (query, expected) => {
    expect((await call('query', { query })).url).toBe(`http://host/query${expected}`)
  })

  it('contains commas between the items of a list in the path', async () => {
    expect((await call('lists', { params: { ids: ['a/b', null, 2] } })).url).toBe(
      'http://host/lists/a%2Fb,2',
    )
    for (const ids of [[], [null]]) {
      await expect(call('lists', { params: { ids } })).rejects.toThrow(
        'The path parameter ids is missing or empty.',
      )
    }
  })
})

describe('a client request', () => {
  it('passes on the signal, and omits headers that are null or undefined', async () => {
    const { signal } = new AbortController()
    const headers = { 'X-A': undefined, 'X-B': null, 'X-C': 0, 'X-D': false }
    const { init, headers: sent } = await call('plain', { signal, headers })
    expect(init.signal).toBe(signal)
    expect([...sent.keys()].sort()).toEqual(['accept', 'x-c', 'x-d'])
    expect([sent.get('X-C'), sent.get('X-D')]).toEqual(['0', 'false'])
    expect((await call('plain')).init.signal).toBeUndefined()
  })

  it('contains the token for a secured operation, unless the call passes its own Authorization header', async () => {
    const token = 'secret'
    for (const name of ['locked', 'inherited']) {
      expect((await call(name, {}, { token })).headers.get('Authorization')).toBe('Bearer secret')
    }
    for (const name of ['open', 'public']) {
      expect((await call(name, {}, { token })).headers.has('Authorization')).toBe(false)
    }
    const headers = { authorization: 'Basic own' }
    expect((await call('locked', { headers }, { token })).headers.get('Authorization')).toBe(
      'Basic own',
    )
    const none = async () => undefined
    expect((await call('locked', {}, { token: none })).headers.has('Authorization')).toBe(false)
  })

  it('has the Content-Type that the call passes, or otherwise the media type in the document', async () => {
    const body = { a: 1 }
    const { headers, init } = await call('merge', { body })
    expect(headers.get('Content-Type')).toBe('application/merge-patch+json')
    expect(init.body).toBe('{"a":1}')
    for (const type of ['application/json; charset=utf-8', 'Application/Problem+JSON;v=1']) {
      const sent = await call('merge', { body, contentType: type })
      expect([sent.init.body, sent.headers.get('Content-Type')]).toEqual(['{"a":1}', type])
    }
    const form = 'application/x-www-form-urlencoded; charset=utf-8'
    expect((await call('merge', { body, contentType: form })).init.body).toBe('a=1')
    const multipart = await call('merge', { body, contentType: 'multipart/form-data; boundary=x' })
    expect(multipart.init.body).toBeInstanceOf(FormData)
    const own = { 'content-type': 'application/json-patch+json' }
    expect((await call('merge', { body, headers: own })).headers.get('Content-Type')).toBe(
      own['content-type'],
    )
  })

  it('contains dates and objects as strings in a form, and omits null fields', async () => {
    const body = { at: new Date(0), of: { a: 1 }, none: null, no: false, list: ['x', null] }
    const form = (await call('form', { body })).init.body as FormData
    expect([...form]).toEqual([
      ['at', '1970-01-01T00:00:00.000Z'],
      ['of', '{"a":1}'],
      ['no', 'false'],
      ['list', 'x'],
    ])
    const list = { a: ['x', null, undefined, 0], none: [null] }
    expect((await call('fields', { body: list })).init.body).toBe('a=x&a=0')
    const fields = new URLSearchParams({ a: 'x' })
    expect((await call('fields', { body: fields })).init.body).toBe(fields)
  })
})

describe('a client result', () => {
  const bodiless = (status: number) => new Response(null, { status })

  it('contains the data of an envelope and the whole body', async () => {
    const body = { statusCode: 'success', status: 200, message: 'OK', data: 'x' }
    const { result } = await call('enveloped', {}, { response: json(body) })
    expect(result).toMatchObject({ ok: true, status: 200, data: 'x', body })
    const { data, ...rest } = body
    const empty = await call('enveloped', {}, { response: json(rest) })
    expect(empty.result).toMatchObject({ ok: true, data: undefined, body: rest })
  })

  it('contains the whole body as data if the envelope may describe an error', async () => {
    const body = { statusCode: 'fail', message: 'no', data: 'x' }
    const { result } = await call('twoKinds', {}, { response: json(body) })
    expect(result).toMatchObject({ ok: true, data: body, body })
  })

  it.each([204, 205])(
    'contains no data for the status %d, even if the document describes 2XX',
    async (status) => {
      for (const name of ['range', 'exact', 'named'].slice(0, status === 204 ? 3 : 2)) {
        const { result } = await call(name, {}, { response: bodiless(status) })
        expect(result).toMatchObject({ ok: true, status, data: undefined })
      }
    },
  )

  it('is read by the description of the exact status, then of its range, then of `default`', async () => {
    const body = { statusCode: 'success', message: 'OK', data: 'x' }
    const exact = await call('exact', {}, { response: json(body, 201) })
    expect(exact.result).toMatchObject({ ok: true, status: 201, data: body })
    const range = await call('exact', {}, { response: json(body, 202) })
    expect(range.result).toMatchObject({ ok: true, status: 202, data: 'x' })
    const other = await call('exact', {}, { response: json({ problem: 'p' }, 400) })
    expect(other.result).toMatchObject({ ok: false, status: 400, error: { problem: 'p' } })
  })

  it('is successful for HEAD, whose response has no body', async () => {
    const response = new Response(null, { headers: { 'Content-Type': 'application/json' } })
    expect((await call('head', {}, { response })).result).toMatchObject({ ok: true, status: 200 })
  })

  it('contains an event stream, a text body, or undefined for an empty body', async () => {
    const events = new Response('data: 1\n\n', { headers: { 'Content-Type': 'text/event-stream' } })
    expect((await call('events', {}, { response: events })).result.data).toBe(events.body)
    const { result } = await call('plain', {}, { response: new Response('hello') })
    expect(result.data).toBe('hello')
    const none = await call('plain', {}, { response: new Response('') })
    expect(none.result.data).toBeUndefined()
  })

  it('contains the error of an undocumented status only if the document describes an error format', async () => {
    const sent = { problem: 'teapot' }
    const { result } = await call('own', {}, { response: json(sent, 418) })
    expect(result).toMatchObject({ ok: false, status: 418, error: sent })
    await expect(call('plain', {}, { response: json(sent, 418) })).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      message: 'POST /plain responded with status 418, which its document does not list.',
    })
    const error = { statusCode: 'error', status: 299, message: 'no' }
    await expect(call('plain', {}, { response: json(error, 299) })).rejects.toThrow(/status 299/)
  })
})

describe('the types of a client', () => {
  it('require the input if a parameter or the body is required', () => {
    const parameter = (required: boolean) => ({ name: 'q', in: 'query', schema: text, required })
    const requestBody = (required: boolean) => ({ required, content: content(text) })
    const inputs: [string, object, boolean][] = [
      ['none', {}, false],
      ['optional', { parameters: [parameter(false)], requestBody: requestBody(false) }, false],
      ['parameter', { parameters: [parameter(false), parameter(true)] }, true],
      ['body', { requestBody: requestBody(true) }, true],
    ]
    const responses = respond('200', text)
    const paths = Object.fromEntries(
      inputs.map(([id, more]) => [`/${id}`, { post: { operationId: id, responses, ...more } }]),
    ) as unknown as OpenApiDocument['paths']
    const client = emitClient({ ...document, paths })
    for (const [id, , isRequired] of inputs) {
      expect(client).toContain(`${id}: (input${isRequired ? '' : '?'}: Input<"${id}">)`)
    }
  })

  /** The lines of an operation in the written client. */
  const typesOf = (id: string) => {
    const at = written.indexOf(`\n  ${id}: {`)
    return written.slice(at, written.indexOf('\n  };', at)).replace(/\s+/g, ' ')
  }

  it('describe no body for 204 and 205, even if the document describes 2XX with a body', () => {
    expect(typesOf('range')).toContain(
      'Success<Exclude<Status2XX, 204 | 205>, string> | Success<204 | 205, undefined>',
    )
    expect(typesOf('named')).toContain('Success<Exclude<Status2XX, 204 | 205>, string>')
    expect(typesOf('named')).toContain('Success<204 | 205, undefined>')
  })

  it('use string, an event stream or Blob, depending on the media type', () => {
    expect(typesOf('csv')).toContain('Success<200, string>')
    expect(typesOf('events')).toContain('Success<200, Response["body"]>')
    expect(typesOf('file')).toContain('Success<200, Blob>')
  })

  it('use Enveloped only for envelopes that cannot be errors', () => {
    expect(typesOf('enveloped')).toContain('Enveloped<200,')
    expect(typesOf('twoKinds')).not.toContain('Enveloped')
  })

  it('contain UndocumentedError only if the document describes no errors', () => {
    expect(typesOf('exact')).not.toContain('UndocumentedError')
    expect(typesOf('plain')).toContain('Failure<Status4XX | Status5XX, UndocumentedError>')
    expect(typesOf('own')).not.toContain('UndocumentedError')
  })

  it('cannot be broken by text in the document that ends a comment', () => {
    expect(written.split('\n')[0]).toContain('Edges *\\/ of *\\/ a client 1.')
  })

  it('support schemas with references, unions and intersections', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const types: [OpenApiSchema, string][] = [
      [ref('a~1b~1c~0d~0e'), 'a_b_c_d_e'],
      [ref('missing'), 'unknown'],
      [{ anyOf: [text, {}] }, 'unknown'],
      [{ anyOf: [text, { type: 'number' }, text] }, 'string | number'],
      [{ ...text, nullable: true }, 'string | null'],
      [{ nullable: true }, 'unknown'],
      [{ type: 'array', items: { anyOf: [text, { type: 'number' }] } }, '(string | number)[]'],
      [{ type: 'array', items: { enum: ['a|b'] } }, '"a|b"[]'],
      [
        { allOf: [{ anyOf: [text, { type: 'number' }] }, { type: 'boolean' }] },
        '(string | number) & boolean',
      ],
      [{ allOf: [{}, text] }, 'string'],
      [{ type: 'object', additionalProperties: false }, '{ [key: string]: never }'],
      [{ type: 'object', additionalProperties: text }, '{ [key: string]: string }'],
      [{ type: 'object' }, '{ [key: string]: unknown }'],
      [{ enum: ['a', 1, null, true] }, '"a" | 1 | null | true'],
      [{ enum: [] }, 'never'],
    ]
    const schemas = Object.fromEntries(types.map(([schema], index) => [`T${index}`, schema]))
    const client = emitClient({
      ...document,
      paths: {},
      components: { schemas: { ...schemas, 'a/b/c~d~e': text } },
    })
    for (const [index, [, type]] of types.entries()) {
      expect(client).toContain(`export type T${index} = ${type};\n`)
    }
  })
})
