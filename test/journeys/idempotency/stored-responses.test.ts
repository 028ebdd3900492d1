import { AsyncLocalStorage } from 'node:async_hooks'
import {
  Controller,
  Health,
  IdempotencyStore,
  Idempotent,
  type NextFunction,
  Patch,
  type Plugin,
  Post,
  Put,
  type Request,
  type Response,
} from 'blazon'
import type { IdempotencyClaim, IdempotencyStoreContext } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryIdempotency } from '../../../src/features/idempotency/memory-idempotency.js'
import { bootWarnings } from '../../support.js'

let runs = 0
let handle: (req: Request, res: Response) => unknown

@Controller('things')
class ThingsController {
  @Idempotent()
  @Post()
  post(req: Request, res: Response) {
    runs++
    return handle(req, res)
  }

  @Idempotent()
  @Put(':id')
  put() {
    return { run: ++runs }
  }

  @Idempotent()
  @Patch(':id')
  patch() {
    return { run: ++runs }
  }
}

let app: TestApp
beforeEach(() => {
  runs = 0
  handle = () => ({ run: runs })
})
afterEach(() => app.close())

async function start(options: TestOptions = {}) {
  app = await TestApp.create({ controllers: [ThingsController], contract: 'off', ...options })
}

const send = (method: 'post' | 'put' | 'patch', path: string, body: object = {}) =>
  app.request()[method](path).set('Idempotency-Key', 'k').send(body)
const post = (body?: object) => send('post', '/things', body)

/** A store in memory, some of whose methods are replaced. */
function startWithStore(methods: Partial<IdempotencyStore>, options: TestOptions = {}) {
  const inner = memoryIdempotency()
  const store: IdempotencyStore = {
    isShared: false,
    open: (context) => inner.open?.(context),
    claim: (key, ttlMs) => inner.claim(key, ttlMs),
    ...methods,
  }
  return start({ providers: [{ token: IdempotencyStore, useValue: store }], ...options })
}

/** A claim whose methods do nothing, except for the given methods. */
const claimed = (methods: object): IdempotencyClaim => ({
  state: 'claimed',
  keep() {},
  free() {},
  ...methods,
})

describe('a stored response', () => {
  it('is kept for 24 hours', async () => {
    await start()
    await app.clock.advance(0)
    await post()
    await app.clock.advance('23h')
    expect((await post()).headers['idempotency-replayed']).toBe('true')
    await app.clock.advance('1h')
    expect((await post()).headers['idempotency-replayed']).toBeUndefined()
  })

  it('is stored up to a size of exactly 256 KiB', async () => {
    await start()
    handle = (_, res) => res.send('x'.repeat(262_144))
    await post().expect(200)
    expect((await post().expect(200)).headers['idempotency-replayed']).toBe('true')
    expect(app.logs).toEqual([])
  })

  it('is not stored if its text has more bytes, even if it has fewer characters', async () => {
    await start()
    handle = (_, res) => res.end('é'.repeat(131_073))
    await post().expect(200)
    await post().expect(409)
  })

  it('has the headers that middlewares set for the repeated request', async () => {
    let count = 0
    const number = (_req: Request, res: Response, next: NextFunction) => {
      res.set('X-Count', String(++count))
      next()
    }
    await start({ middlewares: [number] })
    handle = (_, res) => res.set('X-Own', 'yes').json({ run: runs })
    for (const expected of ['1', '2']) {
      const { headers, body } = await post()
      expect([headers['x-count'], headers['x-own'], body.run]).toEqual([expected, 'yes', 1])
    }
  })

  it('has no header that describes the first exchange', async () => {
    await start()
    const headers = { 'X-Request-Id': 'first', 'Server-Timing': 'db;dur=5', 'Keep-Alive': 'a' }
    handle = (_, res) => res.set(headers).json({})
    await post().expect(200)
    const again = await post().expect(200)
    expect(again.headers['x-request-id']).not.toBe('first')
    expect(again.headers).not.toHaveProperty('server-timing')
  })

  it('contains the body of a handler that calls writeHead() first', async () => {
    await start()
    handle = (_, res) => {
      res.writeHead(200, { 'Content-Type': 'text/plain' })
      res.end('whole')
    }
    for (let i = 0; i < 2; i++) expect((await post().expect(200)).text).toBe('whole')
    expect(runs).toBe(1)
  })

  it('is not shared by two methods with the same path', async () => {
    await start()
    expect((await send('put', '/things/1')).body.data).toEqual({ run: 1 })
    expect((await send('patch', '/things/1')).body.data).toEqual({ run: 2 })
  })

  it('is refused for another body even if the first response could not be stored', async () => {
    await start()
    handle = (_, res) => res.send('x'.repeat(300_000))
    await post({ a: 1 }).expect(200)
    const { body } = await post({ a: 2 }).expect(422)
    expect(body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('does not exist if an error middleware has responded with the status 200', async () => {
    const recover = (_error: unknown, _req: Request, res: Response, _next: NextFunction) =>
      void res.status(200).json('sorry')
    await start({ middlewares: [recover] })
    handle = () => Promise.reject(new Error('down'))
    for (let i = 0; i < 2; i++) expect((await post()).body).toBe('sorry')
    expect(runs).toBe(2)
  })
})

describe('the options of @Idempotent()', () => {
  it.each(['1s', '30d'])('can have the ttl %s', async (ttl) => {
    class Routes {
      @Idempotent({ ttl }) @Post() write() {}
    }
    Controller('things')(Routes as never, undefined as never)
    expect(await bootWarnings({ controllers: [Routes] })).toEqual([])
    await start()
  })
})

describe('the store of an application with @Idempotent()', () => {
  it('is opened with the facts of the application, checked for health, and closed', async () => {
    const seen: unknown[] = []
    const store = {
      open: ({ usesTenants }: IdempotencyStoreContext) => void seen.push(['open', usesTenants]),
      check: () => Promise.reject(new Error('no connection')),
      close: () => void seen.push('close'),
    }
    await startWithStore(store, { tenant: {}, health: true })
    expect(await app.get(Health).check()).toMatchObject({
      status: 'down',
      plugins: { idempotency: { status: 'down', reason: 'no connection' } },
    })
    expect((await app.request().get('/readyz')).status).toBe(503)
    await app.close()
    expect(seen).toEqual([['open', true], 'close'])
  })

  it('does not change the response to a failed request if it cannot release the key', async () => {
    const free = () => Promise.reject(new Error('no connection'))
    await startWithStore({ claim: () => claimed({ free }) })
    handle = (_, res) => res.status(409).json({ sold: 'out' })
    expect((await post()).body).toEqual({ sold: 'out' })
    expect(app.logs.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn An Idempotency-Key could not be released',
    ])
  })

  it('causes an error response if it cannot store the response', async () => {
    const keep = () => Promise.reject(new Error('no connection'))
    await startWithStore({ claim: () => claimed({ keep }) })
    const { status, body } = await post()
    expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })

  it('stores the response in the async context of the request', async () => {
    const context = new AsyncLocalStorage<string>()
    const kept: unknown[] = []
    const keep = () => void kept.push(context.getStore())
    const plugin: Plugin = {
      name: 'context',
      steps: () => ({
        aroundHandler: (next) => (req, res) => context.run('of the request', () => next(req, res)),
      }),
    }
    await startWithStore({ claim: () => claimed({ keep }) }, { plugins: [plugin] })
    handle = (_, res) => context.run('of other code', () => res.json({}))
    await post().expect(200)
    expect(kept).toEqual(['of the request'])
  })
})
