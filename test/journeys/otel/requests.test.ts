import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  Auth,
  Controller,
  Cookies,
  Get,
  Params,
  Query,
  RateLimit,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { otel } from 'blazon/otel'
import type { EndedRequest } from 'blazon/plugin'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'
import { rawExchange } from '../wire/raw-exchange.js'
import { gates, Plain, send, tracedApps } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const tracing = new Tracing()
const { serve } = tracedApps()
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

const servers = () => tracing.ofKind(SpanKind.SERVER)

describe.skipIf(!isSupported)('a traced application', () => {
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
    ['a client error', 'GET /letters/refused', 'GET /letters/refused', 400],
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

  it('names the span of an unknown method according to the OpenTelemetry conventions', async () => {
    const { port } = await serve()
    await send(port, 'PROPFIND /letters')
    await tracing.trees()
    expect(tracing.one('HTTP').attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    })
  })

  it('has a span for a 304 response', async () => {
    const { port } = await serve()
    const tag = /ETag: (\S+)/i.exec(await send(port, 'GET /letters'))?.[1]
    await tracing.trees()
    tracing.reset()
    await send(port, `GET /letters\nIf-None-Match: ${tag}`)
    await tracing.trees()
    expect(tracing.one('GET /letters').attributes['http.response.status_code']).toBe(304)
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
    gates.released.open()
    await until(() => tracing.spans.some(({ name }) => name === 'late'))
    expect(tracing.one('late').parentSpanContext?.spanId).toBe(span.spanContext().spanId)
    expect(servers()).toHaveLength(1)
  })

  it('has one span without status and error for a request whose client disconnects', async () => {
    const { port } = await serve()
    const client = request({ port, host: '127.0.0.1', path: '/letters/slow' })
    client.on('error', () => {}).end()
    await gates.entered.opened
    client.destroy()
    await until(() => servers().length > 0)
    const [span] = servers()
    expect(span?.attributes).not.toHaveProperty('http.response.status_code')
    expect(span?.status.code).toBe(SpanStatusCode.UNSET)
    gates.released.open()
    await until(() => tracing.spans.some(({ name }) => name === 'late'))
    expect(servers()).toHaveLength(1)
  })

  it('ends the span of a stream together with the stream', async () => {
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

  it.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, 'HTTP'],
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

  it('has a span for a WebSocket unless it is ignored, with the times of the connection', async () => {
    const ends: EndedRequest[] = []
    const attributes = (ended: EndedRequest) => {
      ends.push(ended)
      return undefined
    }
    const ignore = (req: Request) => req.url === '/quiet'
    const { app, port } = await serve({ plugins: [otel({ attributes, ignore })] })
    app.server.on('upgrade', (_req, socket) => {
      const begun = Date.now()
      const end = () => {
        // The clock shows a later time at the end than at the beginning.
        if (Date.now() <= begun + 1) return void setImmediate(end)
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
      }
      socket.on('error', () => {})
      end()
    })
    for (const path of ['/quiet', '/chat']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`
      expect(await rawExchange(port, head)).toContain(' 101 ')
    }
    await until(() => servers().length > 0)
    await turns()
    expect(servers().map((span) => span.attributes['url.path'])).toEqual(['/chat'])
    const [ended] = ends
    const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6
    const { startedAt = 0, durationMs = 0 } = ended ?? {}
    expect(ms(servers()[0]?.startTime as [number, number])).toBeCloseTo(startedAt, 2)
    expect(ms(servers()[0]?.endTime as [number, number])).toBeCloseTo(startedAt + durationMs, 2)
  })

  it('has the status as the error type if no error was logged', async () => {
    @Controller()
    class FailingController {
      @Get() get(_req: Request, res: Response) {
        res.status(502).json({})
      }
    }
    const { port } = await serve({ controllers: [FailingController] })
    await send(port, 'GET /')
    await tracing.trees()
    const { attributes, status } = tracing.one('GET /')
    expect([attributes['error.type'], status.code]).toEqual(['502', SpanStatusCode.ERROR])
  })

  it('has the beginning of a long path, and the target of OPTIONS *', async () => {
    const { port } = await serve()
    await send(port, `GET /${'x'.repeat(600)}?q=1`)
    await send(port, 'OPTIONS *')
    await tracing.trees(2)
    expect(servers().map((span) => span.attributes['url.path'])).toEqual([
      `/${'x'.repeat(511)}`,
      '*',
    ])
  })

  it('has one span for all parts of a validation, and for the checks of a tenant', async () => {
    @Controller('parts')
    class PartsController {
      @Tenant()
      @Auth()
      @RateLimit({ limit: 9, window: '1m', by: 'user' })
      @Params(z.object({ id: z.string() }))
      @Query(z.object({ q: z.string().optional() }))
      @Cookies(z.object({ c: z.string().optional() }))
      @Get(':id')
      get() {
        return 'x'
      }
    }
    const { port } = await serve({ controllers: [PartsController] })
    const lines = ['Authorization: Bearer good', 'X-Tenant-Id: acme', 'Cookie: c=1']
    expect(await send(port, `GET /parts/1?q=1\n${lines.join('\n')}`)).toContain(' 200 ')
    const [tree] = await tracing.trees()
    expect(tree?.children?.map(({ name }) => name)).toEqual([
      'guard',
      'tenant',
      'limit',
      'validation',
      'handler',
    ])
  })

  it('has one span for a WebSocket, which ends with the connection', async () => {
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
})
