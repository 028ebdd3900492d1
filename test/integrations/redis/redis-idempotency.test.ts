import { redisIdempotency } from 'blazon/redis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis, ownPrefix, url } from './server.js'
import { testContext } from './support.js'

const MINUTE = 60_000

describeWithRedis('an idempotency record in Redis', () => {
  const prefix = ownPrefix()
  const store = redisIdempotency({ url, prefix, timeout: '10s' })
  const redis = createClient({ url })
  const { context, logged } = testContext()
  const name = (key: string) => `${prefix}idempotency:${key}`
  const left = (key: string) => redis.pTTL(name(key))

  beforeAll(async () => {
    await redis.connect()
    const get = () => {
      throw new Error('unused')
    }
    await store.open?.({ ...context, get, usesTenants: false })
  })

  afterAll(async () => {
    await store.close?.()
    await redis.del(['kept', 'lost', 'freed'].map(name))
    redis.destroy()
  })

  async function claim(key: string) {
    const claimed = await store.claim(key, 10 * MINUTE)
    if (claimed.state !== 'claimed') throw new Error(claimed.state)
    return claimed
  }

  it('is claimed for two minutes, and is kept for the time of the route', async () => {
    logged.length = 0
    const { keep } = await claim('kept')
    expect(await store.claim('kept', MINUTE)).toEqual({ state: 'running' })
    const lease = await left('kept')
    expect([lease > MINUTE, lease <= 2 * MINUTE]).toEqual([true, true])
    await keep('{"a":1}')
    const kept = await left('kept')
    expect([kept > 9 * MINUTE, kept <= 10 * MINUTE]).toEqual([true, true])
    expect(await store.claim('kept', MINUTE)).toEqual({ state: 'kept', record: '{"a":1}' })
    expect(logged).toEqual([])
  })

  it('does not replace the claim of a later request, which is logged', async () => {
    logged.length = 0
    const late = await claim('lost')
    await redis.del(name('lost'))
    const next = await claim('lost')
    await late.keep('{"late":1}')
    await late.free()
    expect(await store.claim('lost', MINUTE)).toEqual({ state: 'running' })
    await next.keep('{"next":1}')
    expect(await store.claim('lost', MINUTE)).toEqual({ state: 'kept', record: '{"next":1}' })
    expect(logged.map(({ level }) => level)).toEqual(['warn'])
  })

  it('can be claimed at once after its claim was freed', async () => {
    const { free } = await claim('freed')
    await free()
    expect(await left('freed')).toBe(-2)
    await claim('freed')
  })
})
