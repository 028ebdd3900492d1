import type { StoreContext } from '../../contracts/cache.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import type { Clock } from '../../di/clock.js'
import { isThenable } from '../../step/thenable.js'
import { memoryRateLimit } from './memory-rate-limit.js'

/** Milliseconds between two log lines about the same failing store. */
const LOG_INTERVAL_MS = 60_000
/**
 * Milliseconds to wait for the store. A request without a route has no deadline of its own, so the wait needs
 * one.
 */
const MAX_WAIT_MS = 5000

/**
 * Wraps a store. When the store fails, the request is counted in the memory of this process: a broken store
 * must neither refuse all requests nor allow all of them. A store that follows the contract never fails; this
 * is for a store that does not.
 */
export function withFallback(store: RateLimitStore, context: StoreContext): RateLimitStore {
  const fallbackStore = memoryRateLimit()
  fallbackStore.open?.(context)
  const { clock, logger } = context
  let nextLogAt = 0
  const instead = (count: RateLimitCount, err: unknown) => {
    if (clock.monotonic() >= nextLogAt) {
      nextLogAt = clock.monotonic() + LOG_INTERVAL_MS
      logger.error({ err }, 'The rate limit store failed; requests are counted in this process')
    }
    return fallbackStore.consume(count)
  }
  const read = (result: unknown, count: RateLimitCount) =>
    isResult(result)
      ? result
      : instead(count, new TypeError('The store returned no RateLimitResult'))
  return {
    consume(count) {
      try {
        const result: unknown = store.consume(count)
        if (!isThenable(result)) return read(result, count)
        return inTime(result, clock).then(
          (later) => read(later, count),
          (err) => instead(count, err),
        )
      } catch (err) {
        return instead(count, err)
      }
    },
  }
}

/** Rejects when the promise has not settled after `MAX_WAIT_MS`. */
function inTime(result: PromiseLike<unknown>, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`No response within ${MAX_WAIT_MS} ms`))
    const timer = clock.setTimeout(giveUp, MAX_WAIT_MS)
    result.then(
      (value) => {
        timer.cancel()
        resolve(value)
      },
      (error) => {
        timer.cancel()
        reject(error)
      },
    )
  })
}

function isResult(value: unknown): value is RateLimitResult {
  if (typeof value !== 'object' || value === null) return false
  const { isAllowed, remaining, resetMs } = value as Record<string, unknown>
  return typeof isAllowed === 'boolean' && Number.isFinite(remaining) && Number.isFinite(resetMs)
}
