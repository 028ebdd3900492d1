import {
  BaseController,
  Cache,
  CacheManager,
  Controller,
  type Duration,
  Get,
  RateLimit,
} from 'blazon'
import { redisCache, redisLimits } from 'blazon/redis'
import { TestApp } from 'blazon/testing'
import { createClient } from 'redis'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Gate } from '../../integrations/gate.js'
import { describeWithServer, Server } from '../../integrations/redis/server.js'
import { until } from '../../integrations/until.js'

/** A deadline that no other timer uses, so that the started deadlines can be counted. */
const TIMEOUT = 83

let calls = 0
/** The price that the handler returns from now on. */
let price = 1

@Controller('prices')
class PricesController extends BaseController {
  @Cache({ ttl: 3600, key: () => 'price', tags: ['prices'] })
  @RateLimit({ limit: 1_000_000, window: '1h' })
  @Get()
  price() {
    return { price, call: ++calls }
  }

  @RateLimit({ limit: 3, window: '1h' })
  @Get('few')
  few() {
    return {}
  }
}

let app: TestApp
let server: Server

beforeEach(async () => {
  price = 1
})

afterEach(async () => {
  vi.restoreAllMocks()
  await app.close()
  await server[Symbol.asyncDispose]()
})

async function start({ url = server.url, timeout = `${TIMEOUT}ms` } = {}): Promise<void> {
  const options = { url, timeout }
  app = await TestApp.create({
    controllers: [PricesController],
    cache: { store: redisCache(options) },
    rateLimit: { limit: 1_000_000, window: '1h', store: redisLimits(options) },
  })
}

const get = () => app.request().get('/prices')

/** Sends requests until a response comes from Redis, and checks each. `advance` moves the clock before each request. */
async function untilCached({ advance }: { advance?: Duration } = {}): Promise<void> {
  await until(async () => {
    if (advance !== undefined) await app.clock.advance(advance)
    const { status, body, headers } = await get()
    expect([status, body.data.price]).toEqual([200, price])
    return headers['x-cache'] === 'HIT'
  })
}

describeWithServer('an application with Redis', () => {
  it('starts without Redis, and uses Redis as soon as it is available', async () => {
    server = await Server.absent()
    await start()
    for (let i = 0; i < 5; i++) expect((await get()).status).toBe(200)
    await server.start()
    await untilCached()
  })

  it('shares cached values, invalidations and rate limits with a second application', async () => {
    server = await Server.start()
    await start({ timeout: '10s' })
    await untilCached()
    const before = calls
    const first = app
    await start({ timeout: '10s' })
    try {
      await untilCached()
      expect(calls).toBe(before)
      for (const one of [first, app]) {
        price++
        await one.get(CacheManager).invalidateTags(['prices'])
        for (const each of [first, app]) {
          const { body } = await each.request().get('/prices')
          expect(body.data.price).toBe(price)
        }
      }
      const statuses = []
      for (const one of [first, app, first, app]) {
        statuses.push((await one.request().get('/prices/few')).status)
      }
      expect(statuses).toEqual([200, 200, 200, 429])
    } finally {
      await first.close()
    }
  })

  it('responds with 200 and a current value while Redis is killed and restarted', async () => {
    server = await Server.start()
    await start()
    await untilCached()
    let [isOver, responses] = [false, 0]
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, body } = await get()
        expect([status, body.data.price]).toEqual([200, 1])
        responses++
      }
    })
    const more = async () => {
      const goal = responses + 50
      await until(() => responses > goal)
    }
    await more()
    await server.kill()
    await more()
    await server.start()
    await more()
    isOver = true
    await Promise.all(load)
    await untilCached()
  })

  it('waits for a single deadline while Redis is paused, and sends no invalidated value', async () => {
    server = await Server.start()
    await start()
    await untilCached()
    server.pause()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const deadlines = () => timers.mock.calls.filter(([, ms]) => ms === TIMEOUT).length
    for (let i = 0; i < 10; i++) expect((await get()).status).toBe(200)
    expect(deadlines()).toBe(1)
    price = 2
    await CacheManager.getInstance().invalidateTags(['prices'])
    expect((await get()).body.data.price).toBe(2)
    expect(deadlines()).toBe(1)
    server.resume()
    await untilCached()
  })

  it('responds with 200 while Redis is slow, and stops waiting for Redis', async () => {
    server = await Server.start()
    await using gate = await Gate.before(server.port)
    await start({ url: `redis://127.0.0.1:${gate.port}` })
    await untilCached()
    gate.hold()
    const responses = await Promise.all(Array.from({ length: 6 }, get))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    const timers = vi.spyOn(globalThis, 'setTimeout')
    for (let i = 0; i < 5; i++) expect((await get()).body.data.price).toBe(1)
    expect(timers.mock.calls.filter(([, ms]) => ms === TIMEOUT)).toEqual([])
    gate.release()
    // A late reply schedules another retry on this clock, so the clock must move until Redis is used again.
    await untilCached({ advance: '10s' })
  })

  it('responds with 200 while Redis is full, and sends no invalidated value', async () => {
    server = await Server.start('--maxmemory-policy', 'noeviction')
    await start()
    await untilCached()
    const redis = await createClient({ url: server.url }).connect()
    await redis.configSet('maxmemory', '1')
    await untilCached()
    price = 2
    await CacheManager.getInstance().invalidateTags(['prices'])
    for (let i = 0; i < 3; i++) {
      const { status, body, headers } = await get()
      expect([status, body.data.price, headers['x-cache']]).toEqual([200, 2, 'MISS'])
    }
    await redis.configSet('maxmemory', '0')
    await untilCached()
    redis.destroy()
  })
})
