/**
 * Caches, rate limits, sessions and records of writes in Redis, which several processes share.
 *
 * @module blazon/redis
 */
export type { RedisClient, RedisCluster } from './driver.js'
export { redisCache } from './redis-cache.js'
export { redisIdempotency } from './redis-idempotency.js'
export { type RedisLimitsOptions, redisLimits } from './redis-limits.js'
export type { RedisClusterOptions, RedisOptions } from './redis-options.js'
export { redisSessions } from './redis-sessions.js'
