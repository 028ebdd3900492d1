import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type RequestHandler,
  type Response,
} from 'blazon'
import cookieParser from 'cookie-parser'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ADAPTERS, type Asked, cookiesOf, EVENTS, headerOf } from './events.js'

const kindOf = (body: unknown) => (Buffer.isBuffer(body) ? 'buffer' : typeof body)
const aborted: boolean[] = []

@Controller('orders')
class OrdersController {
  @Get()
  list(req: Request) {
    const { query, ip, cookies, protocol, hostname } = req
    return { query, ip, cookies, protocol, hostname, body: kindOf(req.body) }
  }

  @Post()
  @Body(z.object({ sku: z.string(), amount: z.coerce.number().default(1) }))
  create(req: Request, res: Response) {
    res.status(201).json({ order: req.body })
  }

  @Post('optional')
  @Body(z.object({}).optional())
  optional(req: Request) {
    return { body: kindOf(req.body), length: kindOf(req.headers['content-length']) }
  }

  @Post('anything')
  anything(req: Request) {
    return { body: kindOf(req.body), is: String(req.body) }
  }

  @Post('bytes')
  @Body(z.instanceof(Buffer))
  bytes(req: Request) {
    return { text: req.body.toString() }
  }

  @Post('read')
  async read(req: Request) {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    return { text: Buffer.concat(chunks).toString() }
  }

  @Get('cookies')
  cookies(_req: Request, res: Response) {
    res.cookie('a', '1').cookie('b', '2')
    return 'set'
  }

  @Get('head')
  head(_req: Request, res: Response) {
    res.setHeader('X-Two', 'set')
    res.writeHead(202, 'Fine', ['X-One', '1', 'X-One', '2', 'X-Two', 'over']).end('accepted')
  }

  @Get('head-without-reason')
  headWithoutReason(_req: Request, res: Response) {
    res.writeHead(202, undefined, { 'X-One': '1' }).end('accepted')
  }

  @Get('stream')
  stream(_req: Request, res: Response) {
    Readable.from(['one,', Buffer.from('two,'), 'three']).pipe(res.type('text/plain'))
  }

  @Get('signal')
  signal(req: Request) {
    req.signal.addEventListener('abort', () => aborted.push(true))
    return 'listened'
  }
}

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (body: Asked['body'], headers: Record<string, string> = json, path = '/orders') => ({
  method: 'POST',
  path,
  headers,
  ...(body === undefined ? {} : { body }),
})

const running: App[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()))
})

function appOf(options: AppOptions = {}): App {
  const controllers = defineControllers(OrdersController)
  const app = new App({ controllers, logger: false, timeouts: { close: '20s' }, ...options })
  running.push(app)
  return app
}

const KINDS = Object.keys(ADAPTERS).flatMap((adapter) =>
  Object.keys(EVENTS).map((event) => [adapter, event] as const),
)

describe.each(KINDS)('a function created by %s, with events of %s', (adapter, event) => {
  /** A serverless function that returns the result for the platform, and its parsed JSON. */
  function functionOf(listener: App['handler']) {
    const call = ADAPTERS[adapter]?.(listener)
    return async (asked: Asked) => {
      const answer = await call?.(EVENTS[event]?.(asked) ?? {}, {})
      if (answer === undefined) throw new Error('No such adapter')
      const isJson = String(headerOf(answer, 'content-type')).startsWith('application/json')
      return { ...answer, answer, json: isJson ? JSON.parse(answer.body) : undefined }
    }
  }
  const start = (options: AppOptions = {}) => functionOf(appOf(options).handler)

  it('parses and validates JSON on its first call and later', async () => {
    const ask = start()
    for (const sku of ['a', 'b']) {
      const { statusCode, json } = await ask(post(JSON.stringify({ sku, amount: '2' })))
      expect([statusCode, json]).toEqual([201, { order: { sku, amount: 2 } }])
    }
    const wrong = await ask(post('{"sku":1}'))
    expect([wrong.statusCode, wrong.json.code]).toEqual([400, 'VALIDATION_FAILED'])
  })

  it('parses a base64 body, and decompresses it', async () => {
    const ask = start()
    const bytes = Buffer.from('{"sku":"é"}')
    expect((await ask(post(bytes))).json).toEqual({ order: { sku: 'é', amount: 1 } })
    const zipped = await ask(post(gzipSync(bytes), { ...json, 'content-encoding': 'gzip' }))
    expect(zipped.json).toEqual({ order: { sku: 'é', amount: 1 } })
  })

  it('refuses the same bodies as a server', async () => {
    const ask = start({ limits: { body: 30, depth: 2 } })
    const codes: unknown[] = []
    const bodies = [
      '{"sku":',
      '{"sku":"a","__proto__":{}}',
      '{"sku":[[[]]]}',
      `{"sku":"${'x'.repeat(30)}"}`,
    ]
    for (const body of bodies) codes.push((await ask(post(body))).json.code)
    codes.push((await ask(post('sku=a', form))).json.code)
    codes.push(
      (await ask(post(gzipSync(Buffer.alloc(9)), { ...json, 'content-encoding': 'zz' }))).json.code,
    )
    expect(codes).toEqual([
      'MALFORMED_JSON',
      'MALFORMED_JSON',
      'MALFORMED_JSON',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'UNSUPPORTED_MEDIA_TYPE',
    ])
  })

  it('leaves req.body undefined if the event has no body', async () => {
    const ask = start()
    expect((await ask({ path: '/orders' })).json.data.body).toBe('undefined')
    const { json } = await ask(post(undefined, {}, '/orders/optional'))
    expect(json.data.body).toBe('undefined')
    expect((await ask(post(undefined, {}))).json.code).toBe('VALIDATION_FAILED')
  })

  it.each([
    ['at once', []],
    ['after an asynchronous middleware', [(_req, _res, next) => setImmediate(next)]],
  ] as [string, RequestHandler[]][])(
    'parses a form with express.urlencoded(), %s',
    async (_, before) => {
      const ask = start({ middlewares: [...before, express.urlencoded()] })
      for (let i = 0; i < 2; i++) {
        const { json } = await ask(post('sku=a&amount=3', form))
        expect(json).toEqual({ order: { sku: 'a', amount: 3 } })
      }
    },
  )

  it('leaves an unparsed body in the request stream, as a server does', async () => {
    const text = { 'content-type': 'text/plain' }
    const ask = start()
    const left = await ask(post('words', text, '/orders/anything'))
    expect(left.json.data.body).toBe('undefined')
    expect((await ask(post('words', text, '/orders/read'))).json.data.text).toBe('words')
    const parsed = await ask(post('{"a":1}', json, '/orders/anything'))
    expect(parsed.json.data.body).toBe('object')
  })

  it('passes bytes of express.raw() to a schema', async () => {
    const ask = start({ middlewares: [express.raw({ type: 'application/octet-stream' })] })
    const octets = { 'content-type': 'application/octet-stream' }
    const { json } = await ask(post(Buffer.from('bytes'), octets, '/orders/bytes'))
    expect(json.data).toEqual({ text: 'bytes' })
  })

  it('uses the body that a parser of the host has set', async () => {
    const app = appOf()
    const host = express().use(express.json(), express.raw({ type: 'text/plain' }), app.handler)
    host.post('/host', (req, res) => void res.json({ body: kindOf(req.body) }))
    const ask = functionOf(host as never)
    expect((await ask(post('{"sku":"a"}'))).json).toEqual({ order: { sku: 'a', amount: 1 } })
    const raw = await ask(post('bytes', { 'content-type': 'text/plain' }, '/orders/anything'))
    expect(raw.json.data).toEqual({ body: 'buffer', is: 'bytes' })
    expect((await ask(post('a=1', form, '/host'))).json).toEqual({ body: 'buffer' })
  })

  it('provides the query, the client address and the cookies of the event', async () => {
    const ask = start({ middlewares: [cookieParser()] })
    const { json } = await ask({ path: '/orders', query: 'a=1&a=2', cookies: ['c=1', 'd=2'] })
    expect(json.data).toEqual({
      query: { a: ['1', '2'] },
      ip: '9.9.9.9',
      cookies: { c: '1', d: '2' },
      protocol: 'https',
      hostname: 'shop.example',
      body: 'undefined',
    })
  })

  it('returns all headers and all cookies', async () => {
    const ask = start({ rateLimit: { limit: 1, window: '1h' } })
    const { answer } = await ask({ path: '/orders/cookies' })
    const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'
    expect(cookiesOf(answer)).toEqual([`a=1; ${attributes}`, `b=2; ${attributes}`])
    expect(headerOf(answer, 'ratelimit-policy')).toMatch(/^"/)
    const refused = (await ask({ path: '/orders' })).answer
    expect(refused.statusCode).toBe(429)
    for (const name of ['content-type', 'content-length', 'x-frame-options', 'retry-after']) {
      expect([name, headerOf(refused, name)]).toEqual([name, expect.anything()])
    }
    const plain = (await start()({ path: '/orders' })).answer
    expect(headerOf(plain, 'content-type')).toBe('application/json; charset=utf-8')
    expect(Number(headerOf(plain, 'content-length'))).toBe(Buffer.byteLength(plain.body))
  })

  it('returns the headers of writeHead', async () => {
    const { answer } = await start()({ path: '/orders/head' })
    expect([answer.statusCode, answer.body]).toEqual([202, 'accepted'])
    expect(headerOf(answer, 'x-one')).toMatch(/^1/)
    expect(headerOf(answer, 'x-two')).toBe('over')
    expect(headerOf(answer, 'x-frame-options')).toBe('SAMEORIGIN')
    const { answer: plain } = await start()({ path: '/orders/head-without-reason' })
    expect([plain.statusCode, headerOf(plain, 'x-one')]).toEqual([202, '1'])
  })

  it('returns a streamed body', async () => {
    const { answer } = await start()({ path: '/orders/stream' })
    expect([answer.statusCode, answer.body]).toEqual([200, 'one,two,three'])
    expect(headerOf(answer, 'content-type')).toBe('text/plain; charset=utf-8')
  })

  it('does not abort the signal of a request after its response, and closes immediately', async () => {
    aborted.length = 0
    const app = appOf({ timeouts: { close: '1h' } })
    await functionOf(app.handler)({ path: '/orders/signal' })
    await app.close()
    expect(aborted).toEqual([])
  })
})
