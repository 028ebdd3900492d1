import { createHash } from 'node:crypto'
import {
  type MaybePromise,
  memoryRateLimit,
  type RateLimitCount,
  type RateLimitResult,
  type RateLimitStore,
  type StoreContext,
} from '../../index.js'
import { isUnknownScript } from './describe-failure.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'
import { linkOf } from './shared-links.js'

/** Options of `redisLimits`. */
export interface RedisLimitsOptions extends RedisOptions {
  /** Who counts while Redis does not answer. Default: `memoryRateLimit()`, this process by itself. */
  readonly insurance?: RateLimitStore
}

/**
 * Counts a request and says how long its window still lasts, in milliseconds. The first one begins the window; a count that
 * would stand for ever, because somebody has taken its end away, is given one.
 */
const COUNT = `local used = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {used, left}`

/** By which a server knows it that has run it: neither side then handles the whole text each time. */
const DIGEST = createHash('sha1').update(COUNT).digest('hex')

/**
 * Counts requests in Redis, exactly, for all processes together. Where Redis does not answer in time, `insurance` counts
 * instead: nobody is refused because Redis is away, and nobody is let through without limit. Needs the package `redis`.
 *
 * @throws ConfigError when an option is wrong; at the start of the application, when `redis` is not installed.
 * @example
 * new App({ rateLimit: { limit: 100, window: '1m', store: redisLimits({ url: 'redis://limits.example' }) } })
 */
export function redisLimits(options: RedisLimitsOptions = {}): RateLimitStore {
  checkRedisOptions('redisLimits()', options)
  const insurance = options.insurance ?? memoryRateLimit()
  return new RedisLimits(linkOf(options), new Keys(prefixOf(options)), insurance)
}

class RedisLimits implements RateLimitStore {
  readonly #link: Link
  readonly #keys: Keys
  readonly #insurance: RateLimitStore
  #isOpen = false

  constructor(link: Link, keys: Keys, insurance: RateLimitStore) {
    this.#link = link
    this.#keys = keys
    this.#insurance = insurance
  }

  async open(context: StoreContext): Promise<void> {
    this.#isOpen = true
    await this.#insurance.open?.(context)
    await this.#link.open(context)
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#link.close()
    await this.#insurance.close?.()
  }

  consume(count: RateLimitCount): MaybePromise<RateLimitResult> {
    if (!this.#link.isAvailable) return this.#insurance.consume(count)
    return this.#count(count, ['EVALSHA', DIGEST], (error) =>
      // Nothing has run there. From now on it is known, until the server is started again.
      isUnknownScript(error)
        ? this.#count(count, ['EVAL', COUNT], () => this.#insurance.consume(count))
        : this.#insurance.consume(count),
    )
  }

  #count(
    count: RateLimitCount,
    script: readonly [command: string, script: string],
    fail: (error: unknown) => MaybePromise<RateLimitResult>,
  ): Promise<RateLimitResult> {
    const name = this.#keys.limit(count.key)
    const windowMs = String(Math.max(1, Math.round(count.windowMs)))
    return this.#link.ask(({ sendScript }) => sendScript(...script, '1', name, windowMs), {
      read: (reply) => resultOf(count, reply as readonly number[]),
      fail,
    })
  }
}

/** @throws TypeError for what the script never gives. */
function resultOf({ limit }: RateLimitCount, reply: readonly number[]): RateLimitResult {
  const [used, resetMs] = reply
  if (typeof used !== 'number' || typeof resetMs !== 'number') throw new TypeError('No count.')
  return { isAllowed: used <= limit, remaining: Math.max(0, limit - used), resetMs }
}
