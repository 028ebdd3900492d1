import { setTimeout } from 'node:timers/promises'
import { redisCache, redisLimits } from 'blazon/redis'
import { describeCacheStore } from '../../conformance/cache-store.js'
import { describeRateLimitStore } from '../../conformance/rate-limit-store.js'
import { opened } from './opened.js'
import { describeWithRedis, ownPrefix, url } from './server.js'
import { testContext } from './support.js'

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
})
