/**
 * Stores that several processes share, in Redis: caches, rate limits, sessions, and records of idempotent writes.
 *
 * @module blazon/redis
 */
export type { RedisClient, RedisCluster } from './driver.js'
export { redisCache } from './redis-cache.js'
export { redisIdempotency } from './redis-idempotency.js'
export { type RedisLimitsOptions, redisLimits } from './redis-limits.js'
export type { RedisClusterOptions, RedisOptions } from './redis-options.js'
export { redisSessions } from './redis-sessions.js'
