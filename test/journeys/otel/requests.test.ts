import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
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
