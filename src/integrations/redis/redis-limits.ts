import type { RateLimiterRedis } from 'rate-limiter-flexible'
import type { StoreContext } from '../../contracts/cache.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import { memoryRateLimit } from '../../features/rate-limit/memory-rate-limit.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'
import { linkOf } from './shared-links.js'

/** Options of `redisLimits`. */
export interface RedisLimitsOptions extends RedisOptions {
  /** Who counts while Redis does not answer. Default: `memoryRateLimit()`, this process by itself. */
  readonly insurance?: RateLimitStore
}

/** Most pairs of a limit and a window for which a limiter is kept. */
const MOST_LIMITERS = 100

/**
 * The library counts windows in whole seconds. It hands its `duration` to the script as it is, and takes what is left of
 * the window from the script in milliseconds: so `duration` is in milliseconds here, and `PX` says so to Redis.
 */
const SCRIPT = `redis.call('SET', KEYS[1], 0, 'PX', ARGV[2], 'NX')
local consumed = redis.call('INCRBY', KEYS[1], ARGV[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  ttl = tonumber(ARGV[2])
end
return {consumed, ttl}`

/** What the library calls of a client. */
interface Scripting {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

type NewLimiter = (limit: number, windowMs: number) => RateLimiterRedis

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
  readonly #limiters = new Map<string, RateLimiterRedis>()
  #make: NewLimiter | undefined
  #isOpen = false

  constructor(link: Link, keys: Keys, insurance: RateLimitStore) {
    this.#link = link
    this.#keys = keys
    this.#insurance = insurance
  }

  async open(context: StoreContext): Promise<void> {
    this.#make ??= await loadLimiter(this.#link)
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

  async consume(count: RateLimitCount): Promise<RateLimitResult> {
    if (!this.#link.isAvailable) return this.#insurance.consume(count)
    try {
      const left = await this.#limiterOf(count).consume(this.#keys.limit(count.key))
      return resultOf(left, true)
    } catch (reason) {
      // What is no error is a refusal.
      if (reason instanceof Error) return this.#insurance.consume(count)
      return resultOf(reason as Left, false)
    }
  }

  #limiterOf({ limit, windowMs }: RateLimitCount): RateLimiterRedis {
    const name = `${limit}/${windowMs}`
    const known = this.#limiters.get(name)
    if (known !== undefined) return known
    const limiter = (this.#make as NewLimiter)(limit, Math.max(1, Math.round(windowMs)))
    // It keeps nothing of its own, so it can be made again.
    if (this.#limiters.size >= MOST_LIMITERS) this.#limiters.clear()
    this.#limiters.set(name, limiter)
    return limiter
  }
}

/** What the library says in both its answers. */
interface Left {
  readonly remainingPoints: number
  readonly msBeforeNext: number
}

function resultOf({ remainingPoints, msBeforeNext }: Left, isAllowed: boolean): RateLimitResult {
  return { isAllowed, remaining: remainingPoints, resetMs: msBeforeNext }
}

/** Loads the library, which brings limiters for twenty databases, only for who uses it. */
async function loadLimiter(link: Link): Promise<NewLimiter> {
  const { RateLimiterRedis: Limiter } = await import('rate-limiter-flexible')
  const storeClient: Scripting = {
    eval: (script, { keys, arguments: args }) =>
      link.run(({ evaluate }) => evaluate(script, keys[0] as string, args)),
  }
  return (points, duration) =>
    new Limiter({
      storeClient,
      useRedisPackage: true,
      points,
      duration,
      keyPrefix: '',
      customIncrTtlLuaScript: SCRIPT,
    })
}
