import { Cache, Controller, Get, type Middleware, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import compression from 'compression'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defer, settle } from './support.js'

let calls = 0
let wait: Promise<unknown> | undefined
/** Sets headers in the handler. */
let during: (res: Response) => void = () => undefined

@Controller()
class GreetingController {
  @Cache({ ttl: 60 })
  @Get('plain')
  plain(req: Request, res: Response) {
    return this.#greet(req, res)
  }

  @Cache({ ttl: 60, key: (req) => `greeting ${req.acceptsLanguages('en', 'de')}` })
  @Get('keyed')
  keyed(req: Request, res: Response) {
    return this.#greet(req, res)
  }

  @Cache({ ttl: 10, staleWhileRevalidate: 20 })
  @Get('stale')
  stale(req: Request, res: Response) {
    return this.#greet(req, res)
  }

  async #greet(req: Request, res: Response) {
    calls++
    const { language } = req as Request & { language?: string }
    during(res)
    await wait
    return language ?? req.acceptsLanguages('en', 'de')
  }
}

let app: TestApp
beforeEach(() => {
  calls = 0
  wait = undefined
  during = () => undefined
})
afterEach(() => app.close())

const start = async (middleware: Middleware, options: object = {}) => {
  const controllers = [GreetingController]
  app = await TestApp.create({
    controllers,
    contract: 'off',
    middlewares: [middleware],
    ...options,
  })
  await app.clock.advance(0)
}

const ask = async (language: string, path = '/plain', method: 'get' | 'head' = 'get') => {
  const { headers, body } = await app.request()[method](path).set('Accept-Language', language)
  return `${headers['x-cache']} ${body.data}`
}

/** Calls `set` right before the head is written, as `on-headers` does. */
function withHead(res: Response, set: () => void): void {
  const { writeHead } = res
  res.writeHead = function writeHeadLate(this: Response, ...args: unknown[]) {
    res.writeHead = writeHead
    set()
    return writeHead.apply(this, args as never)
  } as typeof writeHead
}

const early =
  (set: (res: Response) => void): Middleware =>
  (req, res, next) => {
    Object.assign(req, { language: req.acceptsLanguages('en', 'de') })
    set(res)
    next()
  }
const late = (set: (res: Response) => void) => early((res) => withHead(res, () => set(res)))
const inHandler = (set: (res: Response) => void) => {
  during = set
  return early(() => undefined)
}
const PLACES = [
  ['a middleware', early],
  ['a function that runs before the head is written', late],
  ['a handler', inHandler],
] as const

describe.each(PLACES)('a Vary header set by %s', (_, at) => {
  it.each<[string, string | string[]]>([
    ['a header name', 'Accept-Language'],
    ['a header name in another case', 'aCCept-languagE'],
    ['a header name in a list', 'Origin,accept-language , Accept-Encoding'],
    ['a header name in several lines', ['Origin', 'Accept-Language']],
    ['*', '*'],
    ['* in a list', 'Origin, *'],
    ['a credential header', 'Cookie'],
  ])('prevents caching if it contains %s', async (__, vary) => {
    await start(at((res) => void res.setHeader('Vary', vary)))
    expect(await ask('en')).toBe('MISS en')
    expect(await ask('de')).toBe('MISS de')
    expect(await ask('en')).toBe('MISS en')
    expect(calls).toBe(3)
  })

  it('allows caching if the key depends on the same header', async () => {
    await start(at((res) => void res.vary('Accept-Language')))
    const answers = []
    for (const language of ['en', 'de', 'en', 'de']) answers.push(await ask(language, '/keyed'))
    expect(answers).toEqual(['MISS en', 'MISS de', 'HIT en', 'HIT de'])
    const { headers } = await app.request().get('/keyed').set('Accept-Language', 'en')
    expect(headers['vary']).toBe('Accept-Language')
  })

  it('causes one warning with the name of the header', async () => {
    await start(at((res) => void res.vary('Accept-Language')))
    for (const language of ['en', 'de']) await ask(language)
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toContain("'Accept-Language'")
  })

  it('prevents waiting requests from sharing the response', async () => {
    await start(at((res) => void res.vary('Accept-Language')))
    const made = defer()
    wait = made.promise
    const asked = ['en', 'de', 'en', 'de'].map((language) => ask(language))
    await settle()
    made.resolve()
    const answers = await Promise.all(asked)
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(['en', 'de', 'en', 'de'])
    expect(calls).toBe(4)
  })
})

describe('a Vary header for CORS or compression', () => {
  it.each([
    'Origin',
    'Accept-Encoding',
    'Access-Control-Request-Method',
    'access-control-request-headers',
  ])('allows caching if a middleware adds it: %s', async (name) => {
    await start(early((res) => void res.vary(name)))
    expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'HIT en'])
    await app.close()
    await start(late((res) => void res.vary(name)))
    expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'HIT en'])
  })

  it('prevents caching if the handler sets it', async () => {
    await start(inHandler((res) => void res.vary('Origin')))
    expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'MISS en'])
  })

  it('is set for each request, in addition to a header that is in the key', async () => {
    const zip = compression({ threshold: 0 })
    const middlewares = [early((res) => void res.vary('Accept-Language')), zip]
    await start(middlewares[0] as Middleware, { middlewares })
    for (const state of ['MISS', 'HIT']) {
      const { headers, body } = await app
        .request()
        .get('/keyed')
        .set({ 'Accept-Language': 'de', 'Accept-Encoding': 'gzip' })
      expect([headers['x-cache'], body.data]).toEqual([state, 'de'])
      expect(headers['vary']).toBe('Accept-Language, Accept-Encoding')
    }
  })
})

it('the Vary header of a handler is added to the Vary header that a middleware sets per request', async () => {
  during = (res) => void res.vary('Accept-Language')
  await start(
    early((res) => {
      if (res.req.headers.origin !== undefined) res.vary('Origin')
    }),
  )
  const get = () => app.request().get('/keyed').set('Accept-Language', 'de')
  const responses = [await get(), await get().set('Origin', 'https://a.example'), await get()]
  expect(responses.map(({ headers }) => `${headers['x-cache']} ${headers['vary']}`)).toEqual([
    'MISS Accept-Language',
    'HIT Origin, Accept-Language',
    'HIT Accept-Language',
  ])
})

it('a response is not cached if the handler replaces the Vary header of a middleware', async () => {
  during = (res) => void res.set('Vary', 'Accept-Encoding')
  await start(early((res) => void res.vary('Accept-Language')))
  expect([await ask('en'), await ask('de')]).toEqual(['MISS en', 'MISS de'])
})

describe.each(PLACES)('a response with headers set by %s', (_, at) => {
  it.each<[string, string | string[]]>([
    ['Cache-Control', 'private'],
    ['cache-control', 'max-age=5,  PRIVATE'],
    ['Cache-Control', 'private="x, y"'],
    ['Cache-Control', 'No-Store'],
    ['Cache-Control', ['public', 'no-store']],
    ['Cache-Control', 'no-cache="set-cookie"'],
    ['Cache-Control', 'ext="a\\", b", no-store'],
    ['Cache-Control', 'ext="open, no-store'],
    ['Cache-Control', 'max-age=0'],
    ['Cache-Control', 'public,MAX-AGE = "0"'],
    ['Cache-Control', 's-maxage=0, max-age=60'],
    ['Cache-Control', ['max-age=60', 'max-age=0']],
    ['Cache-Control', 'max-age=soon'],
    ['Cache-Control', 'max-age=-1'],
    ['Cache-Control', 'max-age'],
    ['Expires', '0'],
    ['Expires', '2100'],
    ['Expires', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['Pragma', 'No-Cache'],
    ['Set-Cookie', 'a=b'],
  ])('is not cached with %s: %s', async (name, value) => {
    await start(at((res) => void res.setHeader(name, value)))
    expect([await ask('en'), await ask('de')]).toEqual(['MISS en', 'MISS de'])
  })

  it.each<[string, string]>([
    ['Cache-Control', 'public, max-age=60'],
    ['Cache-Control', 'max-age=0, s-maxage=60'],
    ['Cache-Control', 'ext="private, no-store, max-age=0"'],
    ['Cache-Control', 'x-private, no-storeys, my-max-age=0'],
    ['Cache-Control', ''],
    ['Expires', 'Fri, 01 Jan 2100 00:00:00 GMT'],
  ])('is cached with %s: %s', async (name, value) => {
    await start(at((res) => void res.setHeader(name, value)))
    expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'HIT en'])
  })
})

it('Cache-Control has priority over Expires and Pragma', async () => {
  const headers = { 'Cache-Control': 'max-age=60', Expires: '0', Pragma: 'no-cache' }
  await start(early((res) => void res.set(headers)))
  expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'HIT en'])
})

describe('a response with its own max-age', () => {
  it.each<[string, number]>([
    ['max-age=5', 5],
    ['max-age=50, s-maxage=5', 5],
    ['max-age=5, s-maxage=20', 20],
    ['max-age=3600', 60],
  ])('is fresh for its own time, but not longer than `ttl`: %s', async (header, seconds) => {
    await start(late((res) => void res.set('Cache-Control', header)))
    await ask('en')
    await app.clock.advance(seconds - 1)
    expect(await ask('en')).toBe('HIT en')
    await app.clock.advance(1)
    expect(await ask('en')).toBe('MISS en')
  })

  it('is not stored if max-age is 0', async () => {
    await start(late((res) => void res.set('Cache-Control', 'max-age=0')))
    expect([await ask('en'), await ask('en', '/plain', 'head')]).toEqual([
      'MISS en',
      'MISS undefined',
    ])
    expect(await ask('en')).toBe('MISS en')
  })
})

describe('a stale response', () => {
  it('is sent after the max-age of the response', async () => {
    await start(early((res) => void res.set('Cache-Control', 'max-age=5')))
    await ask('en', '/stale')
    await app.clock.advance(6)
    expect(await ask('en', '/stale')).toBe('STALE en')
  })

  it.each(['must-revalidate', 'Proxy-Revalidate'])(
    'is not sent if Cache-Control contains %s',
    async (word) => {
      await start(early((res) => void res.set('Cache-Control', `max-age=5, ${word}`)))
      await ask('en', '/stale')
      await app.clock.advance(4)
      expect(await ask('en', '/stale')).toBe('HIT en')
      await app.clock.advance(2)
      expect(await ask('en', '/stale')).toBe('MISS en')
    },
  )

  it.each([
    ['by a middleware', early],
    ['right before the head is written', late],
  ] as const)(
    'is not replaced by a refreshed response whose Vary header is set %s',
    async (_, at) => {
      let header: [string, string] = ['X-Own', 'yes']
      await start(at((res) => void res.setHeader(...header)))
      expect(await ask('en', '/stale')).toBe('MISS en')
      await app.clock.advance(12)
      header = ['Vary', 'Accept-Language']
      expect(await ask('de', '/stale')).toBe('STALE en')
      await settle()
      expect(calls).toBe(2)
      header = ['X-Own', 'yes']
      expect((await ask('en', '/stale')).split(' ')[1]).toBe('en')
    },
  )
})

it('the cache decides after the head is written, even if a middleware delays end()', async () => {
  const slow: Middleware = (_req, res, next) => {
    const { end } = res
    res.end = function endLater(this: Response, ...args: unknown[]) {
      setImmediate(() => {
        res.setHeader('Set-Cookie', 'a=b')
        end.apply(res, args as never)
      })
      return this
    } as typeof end
    next()
  }
  await start(slow)
  expect([await ask('en'), await ask('en')]).toEqual(['MISS en', 'MISS en'])
})

it('the cache reads headers that are passed to writeHead()', async () => {
  const wrap: Middleware = (_req, res, next) => {
    const { writeHead } = res
    res.writeHead = function withOwn(this: Response, status: number) {
      return writeHead.call(this, status, { 'Cache-Control': 'private' })
    } as typeof writeHead
    next()
  }
  during = (res) => void res.end('bare')
  await start(wrap, { cache: { headers: false } })
  for (let asked = 0; asked < 2; asked++) await app.request().get('/plain')
  expect(calls).toBe(2)
})
