import { setTimeout } from 'node:timers/promises'
import { redisCache, redisIdempotency, redisLimits, redisSessions } from 'blazon/redis'
import { createClient } from 'redis'
import { describeCacheStore } from '../../conformance/cache-store.js'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'
import { describeRateLimitStore } from '../../conformance/rate-limit-store.js'
import { describeSessionStore } from '../../conformance/session-store.js'
import { describeWithRedis, ownPrefix, url } from './server.js'
import { testContext } from './support.js'

/** Deletes everything under a prefix. */
async function sweep(prefix: string): Promise<void> {
  const redis = await createClient({ url }).connect()
  for await (const keys of redis.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
    if (keys.length > 0) await redis.unlink(keys)
  }
  redis.destroy()
}

interface Opened {
  open?(
    context: ReturnType<typeof testContext>['context'] & { get: () => never; usesTenants: boolean },
  ): unknown
  close?(): unknown
}

/** Opens a store, and returns what closes it and deletes its keys. */
async function opened(store: Opened, prefix: string): Promise<() => Promise<void>> {
  const get = () => {
    throw new Error('unused')
  }
  await store.open?.({ ...testContext().context, get, usesTenants: false })
  return async () => {
    await store.close?.()
    await sweep(prefix)
  }
}

describeWithRedis('Redis', () => {
  describeCacheStore('redisCache()', async () => {
    const prefix = ownPrefix()
    const store = redisCache({ url, prefix, timeout: '10s' })
    const end = await opened(store, prefix)
    return { store, pass: (ms) => setTimeout(ms), end }
  })

  describeRateLimitStore('redisLimits()', async () => {
    // The counts expire with their windows.
    const store = redisLimits({ url, prefix: ownPrefix(), timeout: '10s' })
    await store.open?.(testContext().context)
    return { store, pass: (ms) => setTimeout(ms) }
  })

  describeIdempotencyStore('redisIdempotency()', async () => {
    const prefix = ownPrefix()
    const store = redisIdempotency({ url, prefix, timeout: '10s' })
    const end = await opened(store, prefix)
    return { store, request: (work) => work(), end }
  })

  describeSessionStore('redisSessions()', async () => {
    const prefix = ownPrefix()
    const store = redisSessions({ url, prefix, timeout: '10s' })
    const end = await opened(store, prefix)
    return { store, end }
  })
})
