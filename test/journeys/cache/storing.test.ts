import { Cache, Controller, Get, NotFoundError, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import compression from 'compression'
import cors from 'cors'
import session from 'express-session'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let calls = 0
let handle: (req: Request, res: Response) => unknown = () => undefined

@Controller()
class AnswersController {
  @Cache({ ttl: 60 })
  @Get('answer')
  answer(req: Request, res: Response) {
    calls++
    return handle(req, res)
  }

  @Cache({ ttl: 60, key: (req) => `greeting ${req.acceptsLanguages('en', 'de')}` })
  @Get('greeting')
  greet(req: Request, res: Response) {
    calls++
    res.vary('Accept-Language')
    return { language: req.acceptsLanguages('en', 'de') }
  }

  @Cache({ ttl: 60, headers: ['X-Frame-Options'] })
  @Get('framed')
  framed(req: Request, res: Response) {
    return handle(req, res)
  }

  @Cache({ ttl: 60, headers: ['X-Total-Count'] })
  @Get('list')
  list(_req: Request, res: Response) {
    calls++
    res.set({ 'X-Total-Count': '3', Link: '</list?page=2>; rel="next"' })
    return [calls]
  }
}

let app: TestApp
beforeEach(() => {
  calls = 0
})
afterEach(() => app.close())

const start = async (options: object = {}) => {
  app = await TestApp.create({ controllers: [AnswersController], contract: 'off', ...options })
  await app.clock.advance(0)
}

/** Sends two requests. Returns true if the second response came from the cache. */
async function isKept(run: typeof handle, path = '/answer'): Promise<boolean> {
  handle = run
  await app.request().get(path)
  const { headers } = await app.request().get(path)
  expect(calls).toBe(headers['x-cache'] === 'HIT' ? 1 : 2)
  return headers['x-cache'] === 'HIT'
}

describe('a response of a cached route', () => {
  beforeEach(() => start())

  it.each<[string, typeof handle]>([
    ['a cookie', (_, res) => res.cookie('a', 'b').json(1)],
    ['a cookie in the head', (_, res) => res.writeHead(200, { 'Set-Cookie': 'a=b' }).end('x')],
    ['a head that is an array', (_, res) => res.writeHead(200, ['X-Own', 'yes'] as never).end('x')],
    ['Cache-Control: private', (_, res) => res.set('Cache-Control', 'private').json(1)],
    ['Cache-Control: PRIVATE', (_, res) => res.set('Cache-Control', 'max-age=5,  PRIVATE').json(1)],
    ['Cache-Control: private="x"', (_, res) => res.set('Cache-Control', 'private="x, y"').json(1)],
    ['Cache-Control: no-store', (_, res) => res.set('Cache-Control', 'no-store').json(1)],
    ['Cache-Control: no-cache', (_, res) => res.set('Cache-Control', 'public, no-cache').json(1)],
    ['the header Vary: *', (_, res) => res.set('Vary', '  * ').json(1)],
    ['Vary for a header that is not in the key', (_, res) => res.vary('Accept-Language').json(1)],
    ['Vary for credentials', (_, res) => res.vary('Authorization').json(1)],
    ['the status 201', (_, res) => res.status(201).json(1)],
    ['the status 204', (_, res) => res.status(204).end()],
    ['the status 206', (_, res) => res.status(206).end('part')],
    ['the status 404', (_, res) => res.status(404).json(1)],
    ['a thrown HttpError', () => Promise.reject(new NotFoundError())],
    ['an unexpected error', () => Promise.reject(new Error('down'))],
    [
      'a streamed body',
      (_, res) => {
        res.write('a')
        res.end('b')
      },
    ],
    ['a file as its body', (_, res) => res.sendFile(new URL(import.meta.url).pathname)],
    ['an encoded body', (_, res) => res.set('Content-Encoding', 'br').end('x')],
    ['a body of more than 1 MiB', (_, res) => res.end(Buffer.alloc(1024 * 1024 + 1))],
    ['a text of more than 1 MiB', (_, res) => res.end('é'.repeat(512 * 1024 + 1))],
  ])('is not cached with %s', async (_, run) => {
    expect(await isKept(run)).toBe(false)
  })

  it('is cached if its body has exactly 1 MiB', async () => {
    expect(await isKept((_, res) => res.end(Buffer.alloc(1024 * 1024)))).toBe(true)
  })
})

describe('the headers of a cached response', () => {
  it('include headers that describe the body, and headers declared in @Cache', async () => {
    await start()
    await app.request().get('/list')
    const { headers } = await app.request().get('/list')
    expect(headers['x-cache']).toBe('HIT')
    expect(headers['x-total-count']).toBe('3')
    expect(headers['link']).toBe('</list?page=2>; rel="next"')
  })

  it('exclude headers of a single exchange, and cause one warning for each unknown header', async () => {
    await start()
    const run: typeof handle = (_, res) =>
      res
        .set({
          'X-Request-Id': 'r1',
          'RateLimit-Remaining': '7',
          'Access-Control-Allow-Origin': 'https://a.example',
          'Content-Security-Policy': "script-src 'nonce-1'",
          'X-Pages': '2',
        })
        .json(1)
    expect(await isKept(run)).toBe(true)
    const { headers } = await app.request().get('/answer')
    for (const name of ['x-request-id', 'ratelimit-remaining', 'access-control-allow-origin']) {
      expect(headers).not.toHaveProperty(name)
    }
    expect(headers).not.toHaveProperty('content-security-policy')
    await app.clock.advance(61)
    await app.request().get('/answer')
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings.map(({ message }) => /'(.*?)'/.exec(message)?.[1]).sort()).toEqual([
      'content-security-policy',
      'x-pages',
    ])
  })

  it('include Vary if the key depends on the header that Vary names', async () => {
    await start()
    for (const language of ['en', 'de', 'en', 'de']) {
      const { headers, body } = await app
        .request()
        .get('/greeting')
        .set('Accept-Language', language)
      expect(headers['vary']).toBe('Accept-Language')
      expect(body.data).toEqual({ language })
    }
    expect(calls).toBe(2)
  })
})

describe('a response of a cached route with middlewares', () => {
  it('is stored before compression, and compressed for each request', async () => {
    await start({ middlewares: [compression({ threshold: 0 })] })
    handle = () => ({ text: 'a'.repeat(5000) })
    const plain = () => app.request().get('/answer').set('Accept-Encoding', 'identity')
    const zipped = () => app.request().get('/answer').set('Accept-Encoding', 'gzip')
    const first = await zipped()
    expect(first.headers['x-cache']).toBe('MISS')
    const hit = await plain()
    expect([hit.headers['x-cache'], hit.body.data.text.length]).toEqual(['HIT', 5000])
    expect(hit.headers).not.toHaveProperty('content-encoding')
    const again = await zipped()
    expect(again.headers['x-cache']).toBe('HIT')
    expect(again.headers['vary']).toBe('Accept-Encoding')
    expect(again.headers['content-encoding']).toBe('gzip')
    expect(again.body).toEqual(hit.body)
  })

  it('has the CORS origin of each request, and Vary: Origin', async () => {
    const origin = ['https://a.example', 'https://b.example']
    await start({ security: { cors: { origin } } })
    handle = () => ({ ok: true })
    for (const each of [...origin, ...origin]) {
      const { headers } = await app.request().get('/answer').set('Origin', each)
      expect(headers['access-control-allow-origin']).toBe(each)
      expect(headers['vary']).toBe('Origin')
    }
    expect(calls).toBe(1)
  })

  it('does not contain the CORS origin of another request if cors is a middleware', async () => {
    await start({ middlewares: [cors({ origin: ['https://a.example'] })] })
    handle = () => ({ ok: true })
    await app.request().get('/answer').set('Origin', 'https://a.example')
    const { headers } = await app.request().get('/answer').set('Origin', 'https://b.example')
    expect(headers['x-cache']).toBe('HIT')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('is not stored if it starts a session', async () => {
    const secret = 'of the test'
    await start({ middlewares: [session({ secret, resave: false, saveUninitialized: false })] })
    const isKeptWithSession = await isKept((req) => {
      Object.assign((req as Request & { session: object }).session, { name: 'Ada' })
      return { name: 'Ada' }
    })
    expect(isKeptWithSession).toBe(false)
  })

  it('becomes a 304 for a matching ETag, except for the request that fills the cache', async () => {
    await start({ etag: true })
    handle = () => ({ ok: true })
    const first = await app.request().get('/answer')
    const etag = first.headers['etag'] as string
    expect(etag).toMatch(/^W\//)
    const again = await app.request().get('/answer').set('If-None-Match', etag)
    expect([again.status, again.text, again.headers['x-cache']]).toEqual([304, '', 'HIT'])
    expect(again.headers['etag']).toBe(etag)
    await app.clock.advance(61)
    const filling = await app.request().get('/answer').set('If-None-Match', etag)
    expect([filling.status, filling.headers['x-cache']]).toEqual([200, 'MISS'])
    expect((await app.request().get('/answer')).body).toEqual(first.body)
    expect(calls).toBe(2)
  })

  it('is stored without the headers that a middleware sets for each request', async () => {
    let count = 0
    const middleware = (_req: Request, res: Response, next: () => void) => {
      res.set('Link', `</${++count}>`)
      next()
    }
    await start({ middlewares: [middleware] })
    handle = () => ({ ok: true })
    for (const link of ['</1>', '</2>', '</3>']) {
      expect((await app.request().get('/answer')).headers['link']).toBe(link)
    }
    expect(calls).toBe(1)
  })

  it('has the same static headers on MISS and HIT', async () => {
    await start({ security: { helmet: true } })
    handle = () => ({ ok: true })
    const { 'x-cache': missed, date: _, ...headers } = (await app.request().get('/answer')).headers
    const second = await app.request().get('/answer')
    const { 'x-cache': hit, age, date: __, ...others } = second.headers
    expect([missed, hit, age]).toEqual(['MISS', 'HIT', '0'])
    expect(others).toEqual(headers)
  })

  it('has the declared header of the handler instead of the static header', async () => {
    await start({ security: { helmet: true } })
    const run: typeof handle = (_, res) => res.set('X-Frame-Options', 'DENY').json([1])
    handle = run
    for (const state of ['MISS', 'HIT']) {
      const { headers } = await app.request().get('/framed')
      expect([headers['x-cache'], headers['x-frame-options']]).toEqual([state, 'DENY'])
    }
  })

  it('has the static headers, and the headers that a middleware sets for the request', async () => {
    let count = 0
    await start({
      security: { helmet: true },
      middlewares: [
        (_req: Request, res: Response, next: () => void) => {
          res.set('X-Count', String(++count))
          next()
        },
      ],
    })
    handle = () => ({ ok: true })
    await app.request().get('/answer')
    const { headers } = await app.request().get('/answer')
    expect([headers['x-cache'], headers['x-count']]).toEqual(['HIT', '2'])
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
  })
})
