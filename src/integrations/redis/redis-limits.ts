import { createHash } from 'node:crypto'
import { memoryRateLimit, type RateLimitStore } from '../../index.js'
import {
  type MaybePromise,
  orStandIn,
  type RateLimitCount,
  type RateLimitResult,
  type StoreContext,
} from '../../plugin/index.js'
import { isUnknownScript } from './failures.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { linkOf } from './link-commands.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'

/** Options of `redisLimits`. */
export interface RedisLimitsOptions extends RedisOptions {
  /**
   * The store that counts while Redis is not available. Default: `memoryRateLimit()`, which counts only in this
   * process.
   */
  readonly fallback?: RateLimitStore
}

/**
 * Counts a request, and returns the count and the remaining time of its window in milliseconds. The first request
 * begins the window. A key that has lost its expiry gets a new expiry; otherwise, it would never be deleted.
 */
const COUNT = `local used = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {used, left}`

/**
 * The SHA-1 digest of the script. With `EVALSHA`, the server finds a script that it has run before, so the source is
 * not sent and parsed each time.
 */
const DIGEST = createHash('sha1').update(COUNT).digest('hex')

/**
 * Creates a rate limit store in Redis that counts the requests of all processes together, exactly. If Redis does not
 * reply in time, `fallback` counts instead, so the limits still apply during an outage of Redis. The store needs the
 * peer dependency `redis`.
 *
 * @param options The address of Redis, the timeout, and `fallback`. Default: `redis://127.0.0.1:6379`, `'50ms'`,
 * `memoryRateLimit()`.
 * @throws ConfigError at boot if an option is invalid or `redis` is not installed.
 * @example
 * new App({ rateLimit: { limit: 100, window: '1m', store: redisLimits({ url: 'redis://limits.example' }) } })
 */
export function redisLimits(options: RedisLimitsOptions = {}): RateLimitStore {
  return orStandIn<RateLimitStore>(
    () => {
      checkRedisOptions('redisLimits()', options)
      const fallback = options.fallback ?? memoryRateLimit()
      return new RedisLimits(linkOf(options), new Keys(prefixOf(options)), fallback)
    },
    () => redisLimits(),
    [options?.fallback],
  )
}

class RedisLimits implements RateLimitStore {
  readonly #link: Link
  readonly #keys: Keys
  readonly #fallback: RateLimitStore
  #isOpen = false

  constructor(link: Link, keys: Keys, fallback: RateLimitStore) {
    this.#link = link
    this.#keys = keys
    this.#fallback = fallback
  }

  async open(context: StoreContext): Promise<void> {
    this.#isOpen = true
    await this.#fallback.open?.(context)
    await this.#link.open(context)
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#link.close()
    await this.#fallback.close?.()
  }

  /** Checks the connection if the store is open. An application without limits never opens the store. */
  async check(): Promise<void> {
    if (this.#isOpen) await this.#link.check()
  }

  consume(count: RateLimitCount): MaybePromise<RateLimitResult> {
    if (!this.#link.isAvailable) return this.#fallback.consume(count)
    return this.#count(count, ['EVALSHA', DIGEST], (error) =>
      // The server does not have the script yet, so the request was not counted. `EVAL` also stores the script until
      // the server restarts.
      isUnknownScript(error)
        ? this.#count(count, ['EVAL', COUNT], () => this.#fallback.consume(count))
        : this.#fallback.consume(count),
    )
  }

  #count(
    count: RateLimitCount,
    script: readonly [command: string, script: string],
    fail: (error: unknown) => MaybePromise<RateLimitResult>,
  ): Promise<RateLimitResult> {
    const name = this.#keys.limit(count.key)
    const windowMs = String(Math.max(1, Math.round(count.windowMs)))
    return this.#link.call(({ sendScript }) => sendScript(...script, '1', name, windowMs), {
      read: (reply) => resultOf(count, reply as readonly number[]),
      fail,
    })
  }
}

/**
 * Converts the script's reply.
 *
 * @throws TypeError if the reply is not the pair of numbers that the script returns.
 */
function resultOf({ limit }: RateLimitCount, reply: readonly number[]): RateLimitResult {
  const [used, resetMs] = reply
  if (typeof used !== 'number' || typeof resetMs !== 'number')
    throw new TypeError('Redis returned no count.')
  return { isAllowed: used <= limit, remaining: Math.max(0, limit - used), resetMs }
}
