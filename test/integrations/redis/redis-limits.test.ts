import { redisLimits } from 'blazon/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis, describeWithServer, ownPrefix, Server, url } from './server.js'
import { testContext } from './support.js'

const MINUTE = 60_000
const prefix = ownPrefix()

describeWithRedis('rate limits in Redis', () => {
  const limits = redisLimits({ url, prefix, timeout: '10s' })
  const redis = createClient({ url })

  beforeAll(async () => {
    await redis.connect()
    await limits.open?.(testContext().context)
  })

  afterAll(async () => {
    await limits.close?.()
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) {
      if (keys.length > 0) await redis.del(keys)
    }
    redis.destroy()
  })

  it('allow exactly as many requests as the limit', async () => {
    const count = { key: 'exact', limit: 3, windowMs: MINUTE }
    const results = []
    for (let i = 0; i < 5; i++) results.push(await limits.consume(count))
    expect(results.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false, false])
    expect(results.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    for (const { resetMs } of results) {
      expect(resetMs).toBeGreaterThan(0)
      expect(resetMs).toBeLessThanOrEqual(MINUTE)
    }
  })

  it('count each key separately', async () => {
    const one = { limit: 1, windowMs: MINUTE }
    const long = 'x'.repeat(2000)
    for (const key of ['a', 'a:b', 'a:b:c', '', '\u0000', long, `${long}y`]) {
      expect(await limits.consume({ ...one, key }), key).toMatchObject({ isAllowed: true })
      expect(await limits.consume({ ...one, key }), key).toMatchObject({ isAllowed: false })
    }
  })

  it('start a window with its first request, and delete the count at its end', async () => {
    await limits.consume({ key: 'window', limit: 5, windowMs: 90_500 })
    const ttl = await redis.pTTL(`${prefix}limit:window`)
    expect(ttl).toBeGreaterThan(60_000)
    expect(ttl).toBeLessThanOrEqual(90_500)
    // A count without an expiry gets a new one.
    await redis.persist(`${prefix}limit:window`)
    await limits.consume({ key: 'window', limit: 5, windowMs: 90_500 })
    expect(await redis.pTTL(`${prefix}limit:window`)).toBeGreaterThan(0)
  })

  it('allow exactly the limit among 100 concurrent requests', async () => {
    const count = { key: 'many', limit: 17, windowMs: MINUTE }
    const results = await Promise.all(Array.from({ length: 100 }, () => limits.consume(count)))
    expect(results.filter(({ isAllowed }) => isAllowed).length).toBe(17)
  })

  it('treat an invalid count as a failure of Redis, and use the fallback', async () => {
    await redis.hSet(`${prefix}limit:hash`, 'a', '1')
    const count = { key: 'hash', limit: 1, windowMs: MINUTE }
    expect(await limits.consume(count)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await limits.consume(count)).toMatchObject({ isAllowed: false })
  })
})

it.each([
  ['returns null', async () => null],
  ['returns a reply of another type', async () => 'OK'],
  ['rejects without an Error', () => Promise.reject('no')],
])('rate limits use the fallback if the client %s', async (_, sendCommand) => {
  const client = {
    isOpen: true,
    isReady: true,
    on: () => client,
    off: () => client,
    listeners: () => [],
    connect: async () => client,
    destroy: () => {},
    withTypeMapping: () => client,
    sendCommand,
  }
  const limits = redisLimits({ client })
  await limits.open?.(testContext().context)
  const count = { key: 'ip', limit: 1, windowMs: MINUTE }
  expect(await limits.consume(count)).toMatchObject({ isAllowed: true, remaining: 0 })
  expect(await limits.consume(count)).toMatchObject({ isAllowed: false })
  await limits.close?.()
})

describeWithServer('rate limits without Redis', () => {
  it('are counted in the same process, with one count for each window', async () => {
    await using server = await Server.absent()
    const limits = redisLimits({ url: server.url })
    const { context, clock } = testContext()
    await limits.open?.(context)
    await clock.advance(1)
    const count = { key: 'ip', limit: 2, windowMs: MINUTE }
    const first = { isAllowed: true, remaining: 1, resetMs: MINUTE }
    expect(await limits.consume(count)).toEqual(first)
    await clock.advance('20s')
    expect(await limits.consume(count)).toMatchObject({ remaining: 0, resetMs: 40_000 })
    expect(await limits.consume(count)).toMatchObject({ isAllowed: false, resetMs: 40_000 })
    expect(await limits.consume({ ...count, key: 'other' })).toMatchObject({ isAllowed: true })
    await clock.advance('40s')
    expect(await limits.consume(count)).toEqual(first)
    await limits.close?.()
  })

  it('are counted by the fallback of the options, which is opened and closed', async () => {
    await using server = await Server.absent()
    const calls: string[] = []
    const fallback = {
      open: () => void calls.push('open'),
      close: () => void calls.push('close'),
      consume: () => ({ isAllowed: true, remaining: 7, resetMs: 1 }),
    }
    const limits = redisLimits({ url: server.url, fallback })
    await limits.open?.(testContext().context)
    const count = { key: 'ip', limit: 1, windowMs: MINUTE }
    expect(await limits.consume(count)).toEqual({ isAllowed: true, remaining: 7, resetMs: 1 })
    await limits.close?.()
    expect(calls).toEqual(['open', 'close'])
  })
})
