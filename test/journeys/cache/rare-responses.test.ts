import { Readable } from 'node:stream'
import {
  type AppOptions,
  Cache,
  CacheManager,
  type CacheStore,
  Controller,
  Get,
  memoryCache,
  type NextFunction,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defer, settle } from './support.js'

let calls = 0
let handle: (req: Request, res: Response) => unknown
let key: (req: Request) => string

@Controller()
class AnswersController {
  @Cache({ ttl: 10, staleWhileRevalidate: 20 })
  @Get('answer')
  answer(req: Request, res: Response) {
    calls++
    return handle(req, res)
  }

  @Cache({ ttl: 60, key: (req) => key(req) })
  @Get('keyed')
  keyed() {
    return ++calls
  }
}

let app: TestApp
beforeEach(() => {
  calls = 0
  handle = () => calls
})
afterEach(() => app.close())

async function start(options: AppOptions = {}) {
  app = await TestApp.create({ controllers: [AnswersController], contract: 'off', ...options })
  await app.clock.advance(0)
}

const get = (path = '/answer', headers: Record<string, string> = {}) =>
  app.request().get(path).set(headers)
const stateOf = async (path?: string, headers?: Record<string, string>) =>
  (await get(path, headers)).headers['x-cache']
const states = async () => [await stateOf(), await stateOf()]

/** A store in memory, some of whose methods are replaced. */
function storeWith(methods: (inner: CacheStore) => Partial<CacheStore>): CacheStore {
  const inner = memoryCache()
  return {
    open: (context) => inner.open?.(context),
    get: (name) => inner.get(name),
    set: (name, entry, ttlMs) => inner.set(name, entry, ttlMs),
    delete: (name) => inner.delete(name),
    clear: (prefix) => inner.clear(prefix),
    versions: (tags) => inner.versions(tags),
    invalidate: (tags) => inner.invalidate(tags),
    ...methods(inner),
  }
}

describe('the warnings of a route with @Cache', () => {
  it('are at most 20, and name the route', async () => {
    await start()
    handle = (_, res) => {
      for (let n = 0; n < 25; n++) res.set(`X-Own-${n}`, '1')
      return 1
    }
    await get()
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(20)
    expect(warnings[0]?.facts).toMatchObject({ route: 'AnswersController.answer' })
  })

  it('do not report headers of a single exchange, or the header Vary: *', async () => {
    await start()
    handle = (_, res) =>
      res
        .set({
          'Server-Timing': 'db;dur=5',
          'X-Correlation-Id': 'c1',
          'X-RateLimit-Limit': '5',
          'Retry-After': '1',
          Traceparent: '00-1',
        })
        .json(1)
    expect(await states()).toEqual(['MISS', 'HIT'])
    await app.clock.advance(60)
    handle = (_, res) => res.set('Vary', '*').json(1)
    expect(await states()).toEqual(['MISS', 'MISS'])
    expect(app.logs).toEqual([])
  })
})

describe('a cached response', () => {
  it('keeps every header that describes the body', async () => {
    await start()
    const headers = {
      'content-disposition': 'attachment; filename="a.txt"',
      'content-language': 'de',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    }
    handle = (_, res) => res.set(headers).json(1)
    await get()
    const hit = await get()
    expect(hit.headers).toMatchObject({ 'x-cache': 'HIT', ...headers })
  })

  it('is stored with the content coding `identity`, which changes nothing', async () => {
    await start()
    handle = (_, res) => res.set('Content-Encoding', 'identity').json(1)
    expect(await states()).toEqual(['MISS', 'HIT'])
  })

  it('has the bytes of the encoding that end() received', async () => {
    await start()
    handle = (_, res) => res.type('application/octet-stream').end('é', 'latin1')
    for (const state of ['MISS', 'HIT']) {
      const { headers, body } = await get()
      expect([headers['x-cache'], [...body]]).toEqual([state, [0xe9]])
    }
  })

  it('is sent to a waiting request as it was when the handler sent it', async () => {
    await start()
    const gate = defer()
    handle = async (_, res) => {
      await gate.promise
      const bytes = Buffer.from([1, 2, 3])
      res.type('application/octet-stream').end(bytes)
      bytes.fill(7)
    }
    const answers = Promise.all([get().then(), get().then()])
    await settle()
    gate.resolve()
    const hit = (await answers).find(({ headers }) => headers['x-cache'] === 'HIT')
    expect([...(hit?.body ?? [])]).toEqual([1, 2, 3])
  })

  it('has the age 0 if the clock has been set back', async () => {
    await start()
    app.clock.set('2030-01-01T00:00:05Z')
    await get()
    app.clock.set('2030-01-01T00:00:00Z')
    const { headers } = await get()
    expect([headers['x-cache'], headers['age']]).toEqual(['HIT', '0'])
  })
})

describe('a response is not cached if', () => {
  it('an empty stream is its body', async () => {
    await start()
    handle = (_, res) => Readable.from([]).pipe(res)
    expect(await states()).toEqual(['MISS', 'MISS'])
  })

  it('an error middleware sends it with the status 200', async () => {
    const recover = (_error: unknown, _req: Request, res: Response, _next: NextFunction) =>
      void res.status(200).json('sorry')
    await start({ middlewares: [recover] })
    handle = () => Promise.reject(new Error('down'))
    expect((await get()).body).toBe('sorry')
    expect(await stateOf()).toBe('MISS')
    expect(calls).toBe(2)
  })
})

describe('a cache store', () => {
  it('that is still writing a response does not cause another call of the handler', async () => {
    const written = defer()
    const store = storeWith((inner) => ({
      async set(name, entry, ttlMs) {
        await written.promise
        await inner.set(name, entry, ttlMs)
      },
    }))
    await start({ cache: { store } })
    expect(await states()).toEqual(['MISS', 'HIT'])
    written.resolve()
    await settle()
    expect([await stateOf(), calls]).toEqual(['HIT', 1])
  })

  it('that keeps entries for too long causes no stale response after its period', async () => {
    const store = storeWith((inner) => ({
      set: (name, entry) => inner.set(name, entry, 3_600_000),
    }))
    await start({ cache: { store } })
    expect(await stateOf()).toBe('MISS')
    await app.clock.advance('9999ms')
    expect(await stateOf()).toBe('HIT')
    await app.clock.advance('20001ms')
    expect(await stateOf()).toBe('MISS')
  })

  it('is not called after the application has closed', async () => {
    const called: string[] = []
    const store = storeWith(() => ({ get: (name) => void called.push(name) }))
    await start({ cache: { store } })
    const cache = app.get(CacheManager)
    await app.close()
    expect(await cache.get('a')).toBeUndefined()
    expect(called).toEqual([])
  })

  it('has not failed if its result arrives in the moment in which the time limit passes', async () => {
    let wait: (() => Promise<void>) | undefined
    const store = storeWith((inner) => ({
      async open(context) {
        await inner.open?.(context)
        wait = () => new Promise((resolve) => void context.clock.setTimeout(resolve, 100))
      },
      async get(name) {
        // The limit of the call begins before this timer.
        await null
        await wait?.()
        return inner.get(name)
      },
    }))
    await start({ cache: { store } })
    const answer = stateOf()
    await settle()
    await app.clock.advance('100ms')
    await app.clock.advance('1ms')
    expect(await answer).toBe('MISS')
    expect(app.logs).toEqual([])
  })
})

describe('a key with the credentials of a request', () => {
  it('uses the cache if the credential is in a header of auth.credentials', async () => {
    const guard = { canActivate: () => true }
    await start({ auth: { guard, credentials: ['X-Session'] } })
    key = (req) => `session ${req.get('x-session')}`
    const ask = () => stateOf('/keyed', { 'X-Session': 'a' })
    expect([await ask(), await ask()]).toEqual(['MISS', 'HIT'])
    key = () => 'the same for all'
    expect(await ask()).toBe('BYPASS')
  })

  it.each(['session', 'signedCookies'])('uses the cache if it depends on req.%s', async (field) => {
    const read = (req: Request, _res: Response, next: NextFunction) => {
      Object.assign(req, { [field]: { id: req.headers.cookie } })
      next()
    }
    await start({ middlewares: [read] })
    key = (req) => `of ${(req as unknown as Record<string, { id?: string }>)[field]?.id}`
    const ask = () => stateOf('/keyed', { Cookie: 'sid=1' })
    expect([await ask(), await ask()]).toEqual(['MISS', 'HIT'])
  })
})

it('a header in auth.credentials prevents the use of a default key', async () => {
  const guard = { canActivate: () => true }
  await start({ auth: { guard, credentials: ['X-Session'] } })
  expect(await stateOf('/answer', { 'X-Session': 'a' })).toBe('BYPASS')
  expect(await states()).toEqual(['MISS', 'HIT'])
})

it('a listener still sees the user that the handler has set', async () => {
  const seen: unknown[] = []
  const listen = (req: Request, res: Response, next: NextFunction) => {
    res.on('finish', () => seen.push(req.user))
    next()
  }
  await start({ middlewares: [listen] })
  handle = (req) => {
    req.user = { id: 'alice' }
    return 1
  }
  await get()
  expect(seen).toEqual([{ id: 'alice' }])
})
