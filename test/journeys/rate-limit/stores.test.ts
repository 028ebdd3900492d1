import { Controller, Get, RateLimit, type RateLimitStore } from 'blazon'
import type { RateLimitCount } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { appsOfTest, statuses } from './support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @RateLimit({ name: 'a:b %', limit: 7, window: '2m' })
  @Get('own')
  own() {
    return []
  }
}

/** A store that records its calls, and allows the first request for each key. */
function notingStore(answer: (count: RateLimitCount) => unknown = allowOnce()) {
  const calls: string[] = []
  const counts: RateLimitCount[] = []
  const store = {
    open: () => void calls.push('open'),
    close: async () => void calls.push('close'),
    consume(count: RateLimitCount) {
      counts.push(count)
      return answer(count)
    },
  } as RateLimitStore
  return { store, calls, counts }
}

function allowOnce() {
  const seen = new Set<string>()
  return ({ key, limit }: RateLimitCount) => {
    const isAllowed = !seen.has(key)
    seen.add(key)
    return { isAllowed, remaining: isAllowed ? limit - 1 : 0, resetMs: 1500 }
  }
}

describe('a rate limit store', () => {
  const apps = appsOfTest()
  const options = { controllers: [ItemsController] }

  it('is opened once, called for each request, and closed', async () => {
    const { store, calls, counts } = notingStore()
    const app = await apps.inProcess({
      ...options,
      rateLimit: { store },
    })
    expect(await statuses(app, '/items', '/items', '/items/nowhere')).toEqual([200, 429, 429])
    expect(counts[0]).toEqual({ key: 'default:i:127.0.0.1', limit: 100, windowMs: 60_000 })
    await app.close()
    expect(calls).toEqual(['open', 'close'])
  })

  it('is not opened if no route has a limit', async () => {
    @Controller('free')
    class FreeController {
      @Get()
      list() {
        return []
      }
    }
    const { store, calls } = notingStore()
    const app = await apps.inProcess({
      controllers: [FreeController],
      rateLimit: { store, policies: [] },
    })
    expect(await statuses(app, '/free')).toEqual([200])
    await app.close()
    expect(calls).toEqual([])
  })

  it('prevents the start of the application if it cannot be opened', async () => {
    const store = {
      consume: notingStore().store.consume,
      open: () => Promise.reject(new Error('no key')),
    }
    await expect(apps.inProcess({ ...options, rateLimit: { store } })).rejects.toThrow('no key')
  })

  it('can be asynchronous', async () => {
    const allow = allowOnce()
    const { store } = notingStore(async (count) => {
      await new Promise((resolve) => setImmediate(resolve))
      return allow(count)
    })
    const app = await apps.inProcess({ ...options, rateLimit: { store } })
    const first = await app.request().get('/items')
    expect([first.status, first.headers['ratelimit']]).toEqual([200, '"default";r=99;t=2'])
    const second = await app.request().get('/items')
    expect([second.status, second.headers['retry-after']]).toEqual([429, '2'])
    expect(await statuses(app, '/nowhere')).toEqual([429])
  })

  it('receives keys with encoded names, so that different keys are never equal', async () => {
    const { store, counts } = notingStore()
    const app = await apps.inProcess({ ...options, rateLimit: { store } })
    await statuses(app, '/items/own')
    expect(counts).toEqual([{ key: 'a%3Ab%20%25:i:127.0.0.1', limit: 7, windowMs: 120_000 }])
  })

  it('can return negative numbers, which are sent as 0', async () => {
    const { store } = notingStore(() => ({ isAllowed: false, remaining: -3, resetMs: -1500 }))
    const app = await apps.inProcess({ ...options, rateLimit: { store } })
    const { status, headers } = await app.request().get('/items')
    expect([status, headers['ratelimit'], headers['retry-after']]).toEqual([
      429,
      '"default";r=0;t=0',
      '0',
    ])
  })

  it('can be slower than a middleware that responds to the same request', async () => {
    const { store } = notingStore(async (count) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { isAllowed: true, remaining: count.limit, resetMs: 1 }
    })
    const app = await apps.inProcess({
      ...options,
      contract: 'off',
      rateLimit: { store },
      middlewares: [
        (_req, res, next) => {
          next()
          res.status(202).end()
        },
      ],
    })
    const answers = [
      await app.request().get('/items'),
      await app.request().get('/nowhere'),
      await app.request().post('/items'),
      await app.request().options('/items'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('delays a request by at most 5 seconds if it never settles', async () => {
    const { store, counts } = notingStore(() => new Promise(() => {}))
    const app = await apps.inProcess({ ...options, rateLimit: { limit: 2, window: '1m', store } })
    const answers = ['/items', '/nowhere', '/items'].map((path) =>
      app
        .request()
        .get(path)
        .then(({ status }) => status),
    )
    while (counts.length < 3) await new Promise(setImmediate)
    await app.clock.advance('5s')
    expect((await Promise.all(answers)).sort()).toEqual([200, 404, 429])
  })

  it.each([
    ['throws', () => raise()],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['returns undefined', () => undefined],
    ['returns an object without the fields', () => ({ allowed: true })],
    ['returns NaN', () => ({ isAllowed: true, remaining: Number.NaN, resetMs: 1 })],
    ['resolves to null', async () => null],
  ])(
    'is replaced by counting in memory if it %s, which is logged once a minute',
    async (_, answer) => {
      const { store } = notingStore(answer)
      const app = await apps.inProcess({ ...options, rateLimit: { limit: 2, window: '1m', store } })
      expect(await statuses(app, '/items', '/items', '/items')).toEqual([200, 200, 429])
      const failures = () => app.logs.filter(({ message }) => message.includes('store failed'))
      expect(failures()).toHaveLength(1)
      await app.clock.advance('61s')
      expect(await statuses(app, '/items')).toEqual([200])
      expect(failures()).toHaveLength(2)
    },
  )
})

function raise(): never {
  throw new Error('down')
}
