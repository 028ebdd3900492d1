import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-node'
import {
  App,
  type AppOptions,
  Auth,
  BadRequestError,
  Body,
  Cache,
  Can,
  ConfigError,
  Controller,
  Get,
  getTraceContext,
  type Interceptor,
  Params,
  Post,
  RateLimit,
  type Request,
  type Response,
  Sse,
  secret,
  Tenant,
  Use,
} from 'blazon'
import { otel } from 'blazon/otel'
import express from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { rawExchange } from '../wire/raw-exchange.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

let tracing: Tracing
let entered: ReturnType<typeof gate>
let released: ReturnType<typeof gate>
let cleanups: (() => unknown)[]

beforeEach(() => {
  entered = gate()
  released = gate()
  cleanups = []
})

afterEach(async () => {
  released.open()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  tracing?.reset()
})

const twice: Interceptor = {
  async intercept(_, next) {
    await next()
    return next()
  },
}

@Controller('letters')
class LettersController {
  @Get() list() {
    return tracing.work('query', () => [])
  }

  @Get('slow') async slow() {
    entered.open()
    await released.opened
    return tracing.work('late', () => 'slow')
  }

  @Get('broken') broken() {
    throw new TypeError('no ink')
  }

  @Get('refused') refused() {
    throw new BadRequestError('no stamp')
  }

  @Get('stream') stream() {
    return Readable.from(['a', 'b'])
  }

  @Sse(z.number()) @Get('ticks') async *ticks() {
    yield tracing.work('first', () => 1)
    yield 2
  }

  @Cache({ ttl: 60 }) @Get('cached') cached() {
    return 'cached'
  }

  @RateLimit({ limit: 1, window: '1m' }) @Get('rare') rare() {
    return 'rare'
  }

  @Use(async (_req: Request, _res: Response, next: () => void) => {
    await turns(1)
    tracing.work('used', next)
  })
  @Get('used')
  used() {
    return 'used'
  }

  @Tenant()
  @Auth()
  @Can('write')
  @Body(z.object({ text: z.string() }))
  @Post('write')
  async write() {
    await turns(2)
    return tracing.work('insert', () => 'written')
  }

  @Get('background') background() {
    void turns(20).then(() => tracing.work('background', () => entered.open()))
    return 'started'
  }

  @Params(z.object({ token: secret(z.string()) })) @Get('reset/:token') reset(req: Request) {
    throw new RangeError(`The token ${req.params['token']} is not known`)
  }

  @Get(':id') one(req: Request) {
    return { id: req.params['id'] }
  }
}

const guard = {
  async canActivate(req: Request) {
    await turns(1)
    return tracing.work('find user', () => {
      req.user = { id: 'u1' }
      return req.headers.authorization === 'Bearer good'
    })
  },
}

async function serve(options: AppOptions = {}): Promise<{ app: App; port: number }> {
  const app = new App({
    controllers: [LettersController],
    plugins: [otel()],
    auth: { guard, can: () => true },
    tenant: { authorize: async () => tracing.work('find membership', () => true) },
    logger: false,
    etag: true,
    ...options,
  })
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  cleanups.push(() => app.close())
  return { app, port }
}

/** Sends one request on a connection of its own, and returns the bytes that arrive. */
function send(port: number, head: string, body = ''): Promise<string> {
  const [first, ...lines] = head.split('\n')
  const all = [`${first} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
  return rawExchange(port, `${all.join('\r\n')}\r\n\r\n${body}`)
}

const servers = () => tracing.ofKind(SpanKind.SERVER)

describe.skipIf(!isSupported)('a traced application', () => {
  beforeAll(() => {
    tracing = new Tracing()
  })
  afterAll(() => tracing.end())

  it('has a span of each request, named by method and route, with children for its parts', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters')
    expect(await tracing.trees()).toEqual([
      {
        name: 'GET /letters',
        children: [{ name: 'handler', children: [{ name: 'query' }] }],
      },
    ])
    const span = tracing.one('GET /letters')
    expect(span.kind).toBe(SpanKind.SERVER)
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/letters',
      'network.protocol.version': '1.1',
      'url.path': '/letters',
      'url.scheme': 'http',
    })
    const handler = tracing.one('handler')
    expect(handler.attributes).toEqual({ 'code.function.name': 'LettersController.list' })
    expect(handler.kind).toBe(SpanKind.INTERNAL)
  })

  it('has the spans of the code of each part below the part', async () => {
    const { port } = await serve()
    const head = [
      'POST /letters/write',
      'Authorization: Bearer good',
      'X-Tenant-Id: acme',
      'Content-Type: application/json',
      'Content-Length: 12',
    ]
    const response = await send(port, head.join('\n'), '{"text":"a"}')
    expect(response).toContain('HTTP/1.1 200')
    expect(await tracing.trees()).toEqual([
      {
        name: 'POST /letters/write',
        children: [
          { name: 'guard', children: [{ name: 'find user' }] },
          { name: 'tenant', children: [{ name: 'find membership' }] },
          { name: 'can' },
          { name: 'body' },
          { name: 'validation' },
          { name: 'handler', children: [{ name: 'insert' }] },
        ],
      },
    ])
    const [first, ...rest] = [...tracing.spans].filter(({ name }) => name !== 'POST /letters/write')
    expect(rest.every((span) => span.spanContext().traceId === first?.spanContext().traceId)).toBe(
      true,
    )
  })

  it('shows which part has refused a request, and no error for a mistake of the client', async () => {
    const { port } = await serve()
    await send(port, 'POST /letters/write\nContent-Length: 0')
    expect(await tracing.trees()).toEqual([
      {
        name: 'POST /letters/write',
        children: [{ name: 'guard', children: [{ name: 'find user' }] }],
      },
    ])
    const span = tracing.one('POST /letters/write')
    expect(span.attributes['http.response.status_code']).toBe(401)
    expect(span.attributes).not.toHaveProperty('error.type')
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.events).toEqual([])
  })

  it('shows a cache that has responded, and a limit', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/cached')
    await send(port, 'GET /letters/cached')
    await send(port, 'GET /letters/rare')
    await send(port, 'GET /letters/rare')
    expect(await tracing.trees(4)).toEqual([
      { name: 'GET /letters/cached', children: [{ name: 'cache' }, { name: 'handler' }] },
      { name: 'GET /letters/cached', children: [{ name: 'cache' }] },
      { name: 'GET /letters/rare', children: [{ name: 'limit' }, { name: 'handler' }] },
      { name: 'GET /letters/rare', children: [{ name: 'limit' }] },
    ])
  })

  it('has a span of each run of a handler', async () => {
    const { port } = await serve({ interceptors: [twice] })
    await send(port, 'GET /letters/7')
    expect(await tracing.trees()).toEqual([
      { name: 'GET /letters/:id', children: [{ name: 'handler' }, { name: 'handler' }] },
    ])
  })

  it('has spans of middlewares below the span of the request, or of the part', async () => {
    const { port } = await serve({
      middlewares: [
        (_req: Request, _res: Response, next: () => void) => {
          tracing.work('first', () => {})
          next()
        },
      ],
    })
    await send(port, 'GET /letters/used')
    expect(await tracing.trees()).toEqual([
      {
        name: 'GET /letters/used',
        children: [
          { name: 'first' },
          // The middleware calls the rest of the route inside of its own span.
          { name: 'middleware', children: [{ name: 'used' }] },
          { name: 'handler' },
        ],
      },
    ])
  })

  it.each([
    ['a path without a route', 'GET /nowhere/7?q=1', 'GET', 404],
    ['a wrong method', 'DELETE /letters', 'DELETE', 405],
    ['OPTIONS', 'OPTIONS /letters', 'OPTIONS', 200],
    ['HEAD', 'HEAD /letters/7', 'HEAD /letters/:id', 200],
    ['a method that HTTP does not define', 'PROPFIND /letters', 'HTTP', 405],
    ['a documentation page', 'GET /api-docs', 'GET', 200],
    ['a wrong host', 'GET /letters\nHost: b', 'GET', 400],
    ['an unknown expectation', 'GET /letters\nExpect: magic', 'GET', 417],
    ['a path that cannot be decoded', 'GET /letters/%E0%A4%A', 'GET', 400],
    ['a whole URL', 'GET http://a/letters/7?q=secret', 'GET /letters/:id', 200],
    ['an error of a client', 'GET /letters/refused', 'GET /letters/refused', 400],
  ])('has one span for %s', async (_, head, name, status) => {
    const { port } = await serve()
    expect(await send(port, head)).toContain(`HTTP/1.1 ${status} `)
    await tracing.trees()
    const [span, ...more] = servers()
    expect(more).toEqual([])
    expect(span?.name).toBe(name)
    expect(span?.attributes['http.response.status_code']).toBe(status)
    expect(span?.attributes['http.route']).toBe(/\/\S+$/.exec(name)?.[0])
    expect(String(span?.attributes['url.path'])).toMatch(/^\/[^?]*$/)
    expect(span?.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('names a method that HTTP does not define as the conventions do', async () => {
    const { port } = await serve()
    await send(port, 'PROPFIND /letters')
    await tracing.trees()
    expect(tracing.one('HTTP').attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    })
  })

  it('has a span for a 304', async () => {
    const { port } = await serve()
    const tag = /ETag: (\S+)/i.exec(await send(port, 'GET /letters'))?.[1]
    await tracing.trees()
    tracing.reset()
    await send(port, `GET /letters\nIf-None-Match: ${tag}`)
    await tracing.trees()
    expect(tracing.one('GET /letters').attributes['http.response.status_code']).toBe(304)
  })

  it('records an error of the server, with its message and its type', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/broken')
    await tracing.trees()
    const span = tracing.one('GET /letters/broken')
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span.attributes).toMatchObject({
      'error.type': 'TypeError',
      'http.response.status_code': 500,
    })
    expect(span.events).toHaveLength(1)
    expect(span.events[0]?.attributes).toMatchObject({
      'exception.type': 'TypeError',
      'exception.message': 'no ink',
      'exception.stacktrace': expect.stringContaining('LettersController'),
    })
  })

  it.each([
    ['a text', 'out of ink', '500', 'string', 'out of ink'],
    ['nothing', undefined, '500', 'undefined', 'undefined'],
    ['an object', { message: 'plain' }, '500', 'object', 'plain'],
    ['an error with a name of its own', named('no word: 7'), '500', 'no word: 7', 'named'],
  ])('records %s that is thrown', async (_, thrown, type, exception, message) => {
    @Controller()
    class ThrowingController {
      @Get() get() {
        throw thrown
      }
    }
    const { port } = await serve({ controllers: [ThrowingController] })
    await send(port, 'GET /')
    await tracing.trees()
    const { attributes, events } = tracing.one('GET /')
    expect(attributes['error.type']).toBe(type)
    expect(events[0]?.attributes).toMatchObject({
      'exception.type': exception,
      'exception.message': message,
    })
  })

  it('shows no value that a schema calls secret', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/reset/tok%20en-1')
    await tracing.trees()
    const span = tracing.one('GET /letters/reset/:token')
    expect(span.attributes['url.path']).toBe('/letters/reset/[secret]')
    expect(span.events[0]?.attributes?.['exception.message']).toBe(
      'The token [secret] is not known',
    )
    expect(JSON.stringify([span.attributes, span.events])).not.toContain('en-1')
  })

  it('has no header, query or body in any attribute', async () => {
    const { port } = await serve()
    const lines = [
      'POST /letters/write?canary=query-canary',
      'Authorization: Bearer good',
      'User-Agent: header-canary',
      'Cookie: c=header-canary',
      'X-Forwarded-For: 203.0.113.7',
      'X-Forwarded-Proto: https',
      'X-Tenant-Id: acme',
      'Content-Type: application/json',
      'Content-Length: 22',
    ]
    expect(await send(port, lines.join('\n'), '{"text":"body-canary"}')).toContain(' 200 ')
    await tracing.trees()
    const all = JSON.stringify(tracing.spans.map(({ name, attributes }) => [name, attributes]))
    expect(all).not.toMatch(/canary|203\.0|good|127\.0/)
    expect(tracing.one('POST /letters/write').attributes['url.scheme']).toBe('http')
  })

  it('believes the protocol of a trusted proxy', async () => {
    const { port } = await serve({ trustProxy: true })
    await send(port, 'GET /letters\nX-Forwarded-Proto: https')
    await tracing.trees()
    expect(tracing.one('GET /letters').attributes['url.scheme']).toBe('https')
  })

  it('has one span for a handler that takes too long, and ends the span of the handler', async () => {
    const { port } = await serve({ timeouts: { handler: '10ms' } })
    expect(await send(port, 'GET /letters/slow')).toContain(' 503 ')
    expect(await tracing.trees()).toEqual([
      { name: 'GET /letters/slow', children: [{ name: 'handler' }] },
    ])
    const span = tracing.one('GET /letters/slow')
    expect(span.status.code).toBe(SpanStatusCode.ERROR)
    expect(span.attributes['error.type']).toBe('timeout')
    released.open()
    await until(() => tracing.spans.some(({ name }) => name === 'late'))
    expect(tracing.one('late').parentSpanContext?.spanId).toBe(span.spanContext().spanId)
    expect(servers()).toHaveLength(1)
  })

  it('has one span for a client that leaves, without a status and without an error', async () => {
    const { port } = await serve()
    const client = request({ port, host: '127.0.0.1', path: '/letters/slow' })
    client.on('error', () => {}).end()
    await entered.opened
    client.destroy()
    await until(() => servers().length > 0)
    const [span] = servers()
    expect(span?.attributes).not.toHaveProperty('http.response.status_code')
    expect(span?.status.code).toBe(SpanStatusCode.UNSET)
    released.open()
    await until(() => tracing.spans.some(({ name }) => name === 'late'))
    expect(servers()).toHaveLength(1)
  })

  it('ends the span of a stream with the stream', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/stream')
    await send(port, 'GET /letters/ticks\nAccept: text/event-stream')
    expect(await tracing.trees(2)).toEqual([
      { name: 'GET /letters/stream', children: [{ name: 'handler' }] },
      {
        name: 'GET /letters/ticks',
        children: [{ name: 'handler', children: [{ name: 'first' }] }],
      },
    ])
  })

  it('is the parent of work that goes on after the response', async () => {
    const { port } = await serve()
    await send(port, 'GET /letters/background')
    await entered.opened
    await until(() => tracing.spans.some(({ name }) => name === 'background'))
    const work = tracing.one('background')
    const server = tracing.one('GET /letters/background')
    expect(work.spanContext().traceId).toBe(server.spanContext().traceId)
    expect(work.parentSpanContext?.spanId).toBe(server.spanContext().spanId)
  })

  it.each([
    ['bytes that are no HTTP', 'nonsense\r\n\r\n', 400, 'HTTP'],
    [
      'a broken body',
      'POST /letters/write HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
      'POST /letters/write',
    ],
  ])('has one span for %s', async (_, bytes, status, name) => {
    const { port } = await serve({ controllers: [Plain] })
    expect(await rawExchange(port, bytes)).toContain(`HTTP/1.1 ${status} `)
    await tracing.trees()
    await turns()
    expect(servers().map((span) => span.name)).toEqual([name])
    expect(servers()[0]?.attributes['http.response.status_code']).toBe(status)
  })

  it('has one span for a WebSocket, which ends with its connection', async () => {
    const { app, port } = await serve()
    const sockets = new WebSocketServer({ noServer: true })
    app.server.on('upgrade', (req, socket, rest) =>
      sockets.handleUpgrade(req, socket, rest, (client) => client.close()),
    )
    const lines = ['GET /chat?token=1 HTTP/1.1', 'Host: a', 'Connection: Upgrade']
    lines.push('Upgrade: websocket', 'Sec-WebSocket-Version: 13')
    lines.push('Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==')
    lines.push(`traceparent: 00-${TRACE}-${PARENT}-01`)
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await once(socket, 'data')
    expect(servers()).toEqual([])
    socket.destroy()
    await until(() => servers().length > 0)
    const [span] = servers()
    expect(span?.name).toBe('GET')
    expect(span?.attributes).toMatchObject({
      'http.response.status_code': 101,
      'url.path': '/chat',
    })
    expect(span?.spanContext().traceId).toBe(TRACE)
  })

  it('continues the trace of the caller, in spans, logs and outgoing calls', async () => {
    const lines: Record<string, unknown>[] = []
    const note = (facts: object) => void lines.push(facts as never)
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Get() get(req: Request) {
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({
      controllers: [CallingController],
      logs: true,
      logger: { info: note, warn: note, error: note },
    })
    await send(port, `GET /\ntraceparent: 00-${TRACE}-${PARENT}-01\ntracestate: a=b`)
    await tracing.trees()
    const span = tracing.one('GET /')
    const { traceId, spanId } = span.spanContext()
    expect(traceId).toBe(TRACE)
    expect(span.parentSpanContext?.spanId).toBe(PARENT)
    expect(outgoing).toEqual({
      traceId,
      spanId,
      parentId: PARENT,
      flags: 1,
      state: 'a=b',
      headers: { traceparent: `00-${TRACE}-${spanId}-01`, tracestate: 'a=b' },
    })
    expect(lines.find((facts) => 'ms' in facts)).toMatchObject({ trace_id: TRACE, span_id: spanId })
  })

  it('begins a trace, whose ids are in the log', async () => {
    const lines: Record<string, unknown>[] = []
    const note = (facts: object) => void lines.push(facts as never)
    const { port } = await serve({ logs: true, logger: { info: note, warn: note, error: note } })
    await send(port, 'GET /letters')
    await send(port, 'GET /letters\ntraceparent: nonsense')
    await tracing.trees(2)
    const logged = lines.filter((facts) => 'ms' in facts).map(({ span_id }) => span_id)
    expect(logged).toEqual(servers().map((span) => span.spanContext().spanId))
  })

  it('is no part of the trace of the code that has started it', async () => {
    await trace.getTracer('test').startActiveSpan('boot', async (boot) => {
      const { port } = await serve()
      await send(port, 'GET /letters')
      await until(() => servers().length > 0)
      boot.end()
    })
    expect(servers()[0]?.parentSpanContext).toBeUndefined()
  })

  it('is a child of the span of a server around it, as on AWS Lambda', async () => {
    const app = await App.create({
      controllers: [LettersController],
      plugins: [otel()],
      logger: false,
    })
    cleanups.push(() => app.close())
    const tracer = trace.getTracer('lambda')
    await tracer.startActiveSpan('function', { kind: SpanKind.SERVER }, async (span) => {
      await (await app.fetch(new globalThis.Request('http://a/letters'))).text()
      span.end()
    })
    await until(() => servers().length === 2)
    expect(tracing.one('GET /letters').parentSpanContext?.spanId).toBe(
      tracing.one('function').spanContext().spanId,
    )
  })

  it('has one span for a request that passes two traced applications', async () => {
    const inner = new App({ controllers: [LettersController], plugins: [otel()], logger: false })
    cleanups.push(() => inner.close())
    const { port } = await serve({ controllers: [], middlewares: [inner.handler] })
    await send(port, 'GET /letters')
    await send(port, 'GET /nowhere')
    expect((await tracing.trees(2)).map(({ name }) => name)).toEqual(['GET /letters', 'GET'])
    await turns()
    expect(servers()).toHaveLength(2)
  })

  it('has one span where a host tries two traced applications in turn', async () => {
    const host = express()
    const plain = { controllers: [Plain], plugins: [otel({ root: '/of/:tenant' })], logger: false }
    const apps = [new App({ plugins: [otel()], logger: false }), new App({ ...plain } as never)]
    for (const app of apps) {
      cleanups.push(() => app.close())
      host.use('/of/:tenant', app.handler)
    }
    host.use((_req, res) => res.status(204).end())
    const server = createServer(host).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    const { port } = server.address() as AddressInfo
    await send(port, 'GET /of/acme/letters/write')
    await tracing.trees()
    const span = tracing.one('GET /of/:tenant/letters/write')
    expect(span.attributes).toMatchObject({
      'http.route': '/of/:tenant/letters/write',
      'url.path': '/of/acme/letters/write',
    })
    await send(port, 'GET /of/acme/nothing')
    await turns()
    expect(servers()).toHaveLength(1)
  })

  it('has spans of two applications side by side, each with its own provider', async () => {
    const other = new Tracing()
    cleanups.push(() => other.provider.shutdown())
    const { port } = await serve()
    const { port: second } = await serve({ plugins: [otel({ tracerProvider: other.provider })] })
    await Promise.all([send(port, 'GET /letters/1'), send(second, 'GET /letters/2')])
    await until(() => servers().length > 0 && other.ofKind(SpanKind.SERVER).length > 0)
    expect(servers().map(({ attributes }) => attributes['url.path'])).toEqual(['/letters/1'])
    const theirs = other.ofKind(SpanKind.SERVER).map(({ attributes }) => attributes['url.path'])
    expect(theirs).toEqual(['/letters/2'])
  })
})

describe.skipIf(!isSupported)('the options', () => {
  beforeAll(() => {
    tracing = new Tracing()
  })
  afterAll(() => tracing.end())

  it('ignore requests, and the spans of code that runs for them', async () => {
    const { port } = await serve({
      health: true,
      plugins: [otel({ ignore: (req) => /^\/(livez|letters\/used)/.test(req.url) })],
    })
    await send(port, 'GET /livez')
    await send(port, 'GET /letters/used')
    await send(port, 'GET /letters')
    await tracing.trees()
    expect(tracing.spans.map(({ name }) => name)).toEqual(['query', 'handler', 'GET /letters'])
  })

  it('add attributes', async () => {
    const { port } = await serve({
      plugins: [
        otel({
          attributes: ({ req, cause }) => ({ 'client.address': req?.ip, 'app.cause': cause }),
        }),
      ],
    })
    await send(port, 'GET /letters')
    await until(() => servers().length > 0)
    expect(servers()[0]?.attributes).toMatchObject({
      'client.address': '127.0.0.1',
      'app.cause': 'handler',
    })
  })

  it('end a span whose attributes fail, and log why', async () => {
    const lines: { err?: Error }[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
    const attributes = () => {
      throw new Error('no attributes')
    }
    const { port } = await serve({ logger, plugins: [otel({ attributes })] })
    expect(await send(port, 'GET /letters')).toContain(' 200 ')
    await tracing.trees()
    expect(servers()).toHaveLength(1)
    expect(lines.map(({ err }) => err?.message)).toEqual(['no attributes'])
  })

  it('leave out the spans of parts', async () => {
    const { port } = await serve({ plugins: [otel({ steps: false })] })
    await send(port, 'GET /letters')
    expect(await tracing.trees()).toEqual([{ name: 'GET /letters', children: [{ name: 'query' }] }])
  })

  it.each([
    [3, /no object of options/],
    [{ roots: '/x' }, /No option has this name/],
    [{ root: 'x' }, /begins with a slash/],
    [{ root: '/x/' }, /does not end with one/],
    [{ ignore: true }, /Give a function/],
    [{ attributes: {} }, /Give a function/],
    [{ steps: 'no' }, /true or false/],
    [{ tracerProvider: {} }, /provider of an SDK/],
  ])('%o are refused', (options, remedy) => {
    expect(() => otel(options as never)).toThrow(ConfigError)
    expect(() => otel(options as never)).toThrow(remedy)
  })
})

describe.skipIf(!isSupported)('a request that is not sampled', () => {
  beforeAll(() => {
    tracing = new Tracing(new AlwaysOffSampler())
  })
  afterAll(() => tracing.end())

  it('has no spans, and its trace goes on', async () => {
    let active: unknown
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Auth() @Get() get(req: Request) {
        active = trace.getActiveSpan()?.spanContext()
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [CallingController] })
    const lines = ['Authorization: Bearer good', `traceparent: 00-${TRACE}-${PARENT}-01`]
    expect(await send(port, `GET /\n${lines.join('\n')}`)).toContain(' 200 ')
    await turns()
    expect(tracing.spans).toEqual([])
    expect(active).toMatchObject({ traceId: TRACE, traceFlags: 0 })
    expect(outgoing?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`))
    expect(outgoing?.spanId).toBe((active as { spanId: string }).spanId)
  })
})

describe('an application without an SDK', () => {
  it('responds as always, and continues traces itself', async () => {
    let outgoing: ReturnType<typeof getTraceContext>
    @Controller()
    class CallingController {
      @Get() get(req: Request) {
        outgoing = getTraceContext(req)
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [CallingController] })
    const caller = `traceparent: 00-${TRACE}-${PARENT}-01`
    expect(await send(port, `GET /\n${caller}`)).toContain(' 200 ')
    expect(outgoing).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: 1 })
  })
})

@Controller('letters')
class Plain {
  @Post('write') @Body(z.object({ text: z.string() })) write() {
    return 'written'
  }

  @Get('write') read() {
    return 'read'
  }
}

function named(name: string): Error {
  const error = new Error('named')
  error.name = name
  return error
}
