import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { Controller, Get, type Interceptor, type Request, type Response } from 'blazon'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { send, tracedApps } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing, work } from './tracing.js'

const twice: Interceptor = {
  async intercept(_, next) {
    await next()
    return next()
  },
}

const tracing = new Tracing()
const { serve } = tracedApps()
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

describe.skipIf(!isSupported)('a traced application', () => {
  it('has a span for each request with method and route in its name, and child spans', async () => {
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

  it('has spans for the code inside of each step below the span of the step', async () => {
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

  it('shows which step has refused a request, and no error for a client error', async () => {
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

  it('has spans for the cache and for a rate limit', async () => {
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

  it('has a span for each run of a handler', async () => {
    const { port } = await serve({ interceptors: [twice] })
    await send(port, 'GET /letters/7')
    expect(await tracing.trees()).toEqual([
      { name: 'GET /letters/:id', children: [{ name: 'handler' }, { name: 'handler' }] },
    ])
  })

  it('has the spans of middlewares below the span of the request or of the step', async () => {
    const { port } = await serve({
      middlewares: [
        (_req: Request, _res: Response, next: () => void) => {
          work('first', () => {})
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

  it('records a server error with its message and its type', async () => {
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
    ['a string', 'out of ink', '500', 'string', 'out of ink'],
    ['undefined', undefined, '500', 'undefined', 'undefined'],
    ['an object', { message: 'plain' }, '500', 'object', 'plain'],
    ['an error with its own name', named('no word: 7'), '500', 'no word: 7', 'named'],
    [
      'an error with a long name',
      named('x'.repeat(100)),
      'x'.repeat(100),
      'x'.repeat(100),
      'named',
    ],
    ['an error with a longer name', named('x'.repeat(101)), '500', 'x'.repeat(101), 'named'],
  ])('records a thrown value: %s', async (_, thrown, type, exception, message) => {
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

  it('shows no value that a schema marks as secret', async () => {
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

  it('shows no header, query or body in any attribute', async () => {
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

  it('uses the protocol that a trusted proxy reports', async () => {
    const { port } = await serve({ trustProxy: true })
    await send(port, 'GET /letters\nX-Forwarded-Proto: https')
    await tracing.trees()
    expect(tracing.one('GET /letters').attributes['url.scheme']).toBe('https')
  })
})

function named(name: string): Error {
  const error = new Error('named')
  error.name = name
  return error
}
