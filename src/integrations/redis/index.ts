/**
 * Caches, rate limits and sessions in Redis, which several processes share.
 *
 * @module blazon/redis
 */
export type { RedisClient, RedisCluster } from './driver.js'
export { redisCache } from './redis-cache.js'
export { type RedisLimitsOptions, redisLimits } from './redis-limits.js'
export type { RedisClusterOptions, RedisOptions } from './redis-options.js'
export { redisSessions } from './redis-sessions.js'
