import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  ConflictError,
  Controller,
  Envelope,
  type EnvelopeFormat,
  type ErrorOptions,
  type ErrorRequestHandler,
  Get,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { partsOf, rawExchange } from './raw-exchange.js'
import { base, controllers, errors, seen, ThingsController, withId } from './things-app.js'

let app: TestApp
const open: { close(): Promise<void> }[] = []
beforeEach(() => {
  seen.length = 0
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
})

async function start(options: Partial<AppOptions> = {}) {
  app = await TestApp.create({ ...base, contract: 'throw', ...options })
  open.push(app)
}

async function listening(options: Partial<AppOptions> = {}) {
  const served = new App({ ...base, logger: false, ...options })
  open.push(served)
  const { port }: AddressInfo = await served.listen(0, '127.0.0.1')
  return port
}

const body = (status: number, code: string, message: string, fields: unknown[] = []) => ({
  error: { status, code, message, fields, requestId: 'r-1' },
})

describe('a custom error format', () => {
  it('is used for every error response, with the headers of the error, and matches the document', async () => {
    await start({ rateLimit: { policies: [] } })
    const missing = await app.request().get('/nowhere')
    expect(missing.body).toEqual(body(404, 'NOT_FOUND', 'Cannot GET /nowhere'))
    const method = await app.request().delete('/things')
    expect(method.body).toEqual(body(405, 'METHOD_NOT_ALLOWED', 'DELETE is not allowed here'))
    expect(method.headers['allow']).toBe('GET, HEAD, POST, OPTIONS')
    const taken = await app.request().get('/things/conflict')
    expect(taken.body).toEqual(body(409, 'TAKEN', 'It is taken'))
    expect(taken.headers['x-by']).toBe('bob')
    const broken = await app.request().get('/things/bug')
    expect(broken.body).toEqual(body(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'))
    const stranger = await app.request().get('/things/mine')
    expect(stranger.body).toEqual(body(401, 'UNAUTHORIZED', expect.any(String) as never))
    expect(stranger.headers['www-authenticate']).toBe('Bearer')
    await app.request().get('/things/rare')
    const limited = await app.request().get('/things/rare')
    expect(limited.body).toMatchObject({ error: { status: 429 } })
    expect(limited.headers['retry-after']).toBe('60')
    const post = () => app.request().post('/things')
    const type = await post().type('text').send('x')
    expect(type.body).toMatchObject({ error: { status: 415 } })
    const large = await post().send({ name: 'x'.repeat(200_000), size: 1 })
    expect(large.body).toMatchObject({ error: { status: 413 } })
    const json = await post().type('json').send('{')
    expect(json.body).toMatchObject({ error: { status: 400, code: 'MALFORMED_JSON' } })
    expect((await app.request().get('/things/cached')).body).toMatchObject({
      error: { status: 409 },
    })
    expect((await app.request().head('/things/conflict')).status).toBe(409)
    expect(app.contractReport()).toEqual([])
  })

  it('receives the request and frozen data, but not the error', async () => {
    await start({}).then(() => app.request().get('/things/bug'))
    const [[failure, req] = []] = seen
    expect(failure).toEqual({
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Internal Server Error',
      requestId: 'r-1',
    })
    expect(Object.isFrozen(failure)).toBe(true)
    expect(req?.path).toBe('/things/bug')
  })

  it('is used for invalid input, with the status from the option', async () => {
    await start()
    const { status, body: sent } = await app.request().post('/things').send({ size: 1 })
    const message = expect.any(String) as never
    expect(status).toBe(422)
    expect(sent).toEqual(
      body(422, 'VALIDATION_FAILED', 'Validation failed', [{ in: 'body', path: 'name', message }]),
    )
    expect(Object.isFrozen(seen[0]?.[0].errors?.[0])).toBe(true)
    expect(app.contractReport()).toEqual([])
  })

  it('is used whatever the Accept header is', async () => {
    await start()
    const asked = app.request().get('/nowhere').set('Accept', 'application/problem+json')
    expect((await asked).headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('is used for the handler timeout', async () => {
    await start({ timeouts: { handler: '10ms' } })
    const { body: sent } = await app.request().get('/things/slow')
    expect(sent).toMatchObject({ error: { status: 503, code: 'HANDLER_TIMEOUT' } })
  })

  it('is used for requests that are refused before routing or by the Node.js parser', async () => {
    const port = await listening({ limits: { headers: 20 } })
    const lines = Array.from({ length: 30 }, (_, i) => `X-${i}: 1`).join('\r\n')
    const many = await rawExchange(
      port,
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n\r\n`,
    )
    expect(partsOf(many).body).toMatchObject({ error: { status: 431 } })
    const host = await rawExchange(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(partsOf(host).body).toMatchObject({ error: { status: 400, code: 'BAD_REQUEST' } })
    const excess = `/things?${'a=1&'.repeat(1100)}`
    const query = `GET ${excess} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    expect(partsOf(await rawExchange(port, query)).body).toMatchObject({
      error: { code: 'TOO_MANY_PARAMETERS' },
    })
    seen.length = 0
    const { head, body: sent } = partsOf(await rawExchange(port, 'NONSENSE\r\n\r\n'))
    expect(sent).toEqual({
      error: { status: 400, code: 'BAD_REQUEST', message: 'Bad Request', fields: [] },
    })
    expect(head).toContain('HTTP/1.1 400 Bad Request')
    expect(seen.map(([, req]) => req)).toEqual([undefined])
  })
})

describe('the document of an application with a custom error format', () => {
  it('contains the schema and media type of the format, and a 422 in addition to the 400', async () => {
    await start({ errors: { ...errors, mediaType: 'application/vnd.things+json' } })
    const { components, paths } = app.document
    expect(Object.keys(components.schemas ?? {})).toEqual(['ApiError'])
    expect(components.responses?.['BadRequest']).toEqual({
      description: 'The request is malformed.',
      content: {
        'application/vnd.things+json': { schema: { $ref: '#/components/schemas/ApiError' } },
      },
    })
    expect(components.responses?.['UnprocessableEntity']?.description).toBe(
      'The request does not match its schema.',
    )
    expect(Object.keys(paths['/things']?.post?.responses ?? {})).toContain('422')
    expect(Object.keys(paths['/things']?.get?.responses ?? {})).not.toContain('422')
    const { headers } = await app.request().get('/things/conflict')
    expect(headers['content-type']).toBe('application/vnd.things+json')
  })

  it('is not shared by applications that differ only in the format', async () => {
    const text = (options: Partial<AppOptions>) =>
      JSON.stringify(new App({ controllers, ...options }).document)
    const other = { ...errors, schema: z.object({ other: z.string() }) }
    const all = [{}, { errors }, { errors: other }, { errors: 'problem' }] as const
    const status = { errors: { status: { validation: 422 } } }
    const texts = [...all, status].map(text)
    expect(new Set(texts).size).toBe(texts.length)
    expect(text({})).toBe(texts[0])
  })
})

describe("the option errors: 'problem'", () => {
  it.each(['application/json', '*/*', 'application/problem+json'])(
    'sends problem details to a client that accepts %s',
    async (accept) => {
      await start({ errors: 'problem' })
      const { headers, text } = await app.request().get('/things/conflict').set('Accept', accept)
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
      expect(JSON.parse(text)).toMatchObject({ title: 'Conflict', status: 409, code: 'TAKEN' })
    },
  )

  it('makes problem details the only error format, in the document and for parser errors', async () => {
    await start({ errors: 'problem' })
    const { components } = app.document
    expect(Object.keys(components.schemas ?? {})).toEqual(['FieldError', 'ProblemDetails'])
    for (const { content } of Object.values(components.responses ?? {})) {
      const types = Object.keys(content ?? {}).filter((type) => type !== 'application/json')
      expect(types.every((type) => type === 'application/problem+json')).toBe(true)
    }
    const port = await listening({ errors: 'problem' })
    const { head, body: sent } = partsOf(await rawExchange(port, 'NONSENSE\r\n\r\n'))
    expect(head).toContain('Content-Type: application/problem+json')
    expect(sent).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Bad Request',
      code: 'BAD_REQUEST',
    })
  })

  it('can be combined with a validation status', async () => {
    await start({ errors: { format: 'problem', status: { validation: 422 } } })
    const { status, headers } = await app.request().post('/things').send({})
    expect([status, headers['content-type']]).toEqual([
      422,
      'application/problem+json; charset=utf-8',
    ])
    expect(app.contractReport()).toEqual([])
  })
})

const plain: EnvelopeFormat = {
  success: (data) => ({ plain: data }),
  schema: (data) => ({ type: 'object', properties: { plain: data } }),
  error: {
    format: ({ code }) => ({ plainError: code }),
    schema: z.object({ plainError: z.string() }),
  },
}

@Envelope(plain)
@Controller('plain')
class PlainController {
  @Get('fails') fails() {
    throw new ConflictError()
  }

  @Auth() @Get('closed') closed() {}

  @Envelope(false) @Get('app') ofApp() {
    throw new ConflictError()
  }
}

describe('the error format of @Envelope', () => {
  it("is used for the decorated routes, while other requests use the application's format", async () => {
    await start({ controllers: [PlainController, ThingsController] })
    expect((await app.request().get('/plain/fails')).body).toEqual({ plainError: 'CONFLICT' })
    expect((await app.request().get('/plain/closed')).body).toEqual({ plainError: 'UNAUTHORIZED' })
    expect((await app.request().get('/plain/app')).body).toMatchObject({ error: { status: 409 } })
    expect((await app.request().get('/nowhere')).body).toMatchObject({ error: { status: 404 } })
    expect(app.contractReport().filter(({ kind }) => kind !== 'status')).toEqual([])
    const { components, paths } = app.document
    expect(paths['/plain/closed']?.get?.responses['401']).toEqual({
      $ref: '#/components/responses/Unauthorized_2',
    })
    expect(components.responses?.['Unauthorized_2']?.content).toEqual({
      'application/json': {
        schema: {
          type: 'object',
          properties: { plainError: { type: 'string' } },
          required: ['plainError'],
        },
      },
    })
    expect(components.responses?.['Unauthorized']).toBeDefined()
  })

  it('is used for the whole application if it is in the `envelope` option', async () => {
    await start({ envelope: plain, errors: { status: { validation: 422 } } })
    expect((await app.request().get('/nowhere')).body).toEqual({ plainError: 'NOT_FOUND' })
    const { status, body: sent } = await app.request().post('/things').send({})
    expect([status, sent]).toEqual([422, { plainError: 'VALIDATION_FAILED' }])
    expect(app.contractReport()).toEqual([])
  })
})
it('an error format that calls req.next(), even through res.format(), is replaced by the default', async () => {
  const formats: Exclude<ErrorOptions['format'], 'problem' | undefined>[] = [
    (_, req) => {
      req?.next?.(new Error('of the format'))
      return { mine: true }
    },
    (_, req) => {
      req?.res?.format({ 'image/png': () => {} })
      return { mine: true }
    },
  ]
  for (const format of formats) {
    app = await TestApp.create({ ...base, contract: 'off', errors: { ...errors, format } })
    open.push(app)
    const { status, body: sent } = await app
      .request()
      .get('/things/conflict')
      .set('accept', 'text/html')
    expect([status, sent]).toEqual([409, expect.objectContaining({ code: 'TAKEN' })])
    const lines = app.logs.filter(({ level }) => level === 'error')
    const err = expect.objectContaining({
      message: expect.stringContaining('called `req.next`'),
    })
    expect(lines).toEqual([expect.objectContaining({ facts: expect.objectContaining({ err }) })])
  }
})

it('an error format does not change req.next for error middlewares and Express', async () => {
  let before: unknown
  let after: unknown
  const remember: ErrorRequestHandler = (error, req, res, next) => {
    before = req.next
    res.on('finish', () => {
      after = req.next
    })
    next(error)
  }
  await start({ middlewares: [withId, remember] })
  await app.request().get('/things/conflict').expect(409)
  expect(typeof before).toBe('function')
  expect(after).toBe(before)
})
