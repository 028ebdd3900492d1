import type { StoreContext } from '../../contracts/cache.js'
import type { Clock } from '../../contracts/clock.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import { isThenable } from '../../step/thenable.js'
import { memoryRateLimit } from './memory-rate-limit.js'

/** Between two lines of the log that say the same. */
const SILENCE_MS = 60_000
/** Nobody else ends a request that waits here and has no route. */
const PATIENCE_MS = 5000

/**
 * Counts in this process what a store fails to count, because neither may a broken store refuse everybody, nor may it
 * let everybody pass. A store that keeps its promise never fails; this is for one that does not.
 */
export function insureStore(store: RateLimitStore, context: StoreContext): RateLimitStore {
  const insurance = memoryRateLimit()
  insurance.open?.(context)
  const { clock, logger } = context
  let silentUntil = 0
  const instead = (count: RateLimitCount, err: unknown) => {
    if (clock.monotonic() >= silentUntil) {
      silentUntil = clock.monotonic() + SILENCE_MS
      logger.error({ err }, 'The rate limit store failed; requests are counted in this process')
    }
    return insurance.consume(count)
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

/** Rejects when a promise takes too long. */
function inTime(result: PromiseLike<unknown>, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`No response within ${PATIENCE_MS} ms`))
    const timer = clock.setTimeout(giveUp, PATIENCE_MS)
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
