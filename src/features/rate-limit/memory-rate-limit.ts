import type { StoreContext } from '../../contracts/cache.js'
import type { Clock } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import { SharedCounts } from './shared-counts.js'

const DEFAULT_MAX_KEYS = 100_000

/** Ended windows that are forgotten whenever one begins: more than one, so that they get fewer. */
const FORGOTTEN_AT_ONCE = 2

/** Options of `memoryRateLimit`. */
export interface MemoryRateLimitOptions {
  /** Most clients that are counted by themselves at a time, over all limits. Default 100,000, which take about 20 MB. */
  readonly maxKeys?: number
}

/**
 * Counts requests in this process; what `rateLimit` does without a `store`. Two processes count apart.
 *
 * Once `maxKeys` clients have a window open, nobody who is counted is forgotten, because somebody with many addresses could
 * so wipe out his own count. Those who come then share 65,536 counters for each limit, by a hash of who they are: none of them gets more
 * than the limit, but some may get less. That is logged once.
 *
 * @throws RangeError when `maxKeys` is not a whole number from 1 on.
 * @example
 * const options = { rateLimit: { limit: 300, window: '1m', store: memoryRateLimit({ maxKeys: 500_000 }) } }
 */
export function memoryRateLimit(options: MemoryRateLimitOptions = {}): RateLimitStore {
  const { maxKeys = DEFAULT_MAX_KEYS } = options
  if (!Number.isInteger(maxKeys) || maxKeys < 1) {
    throw new RangeError(
      `memoryRateLimit(): maxKeys is ${String(maxKeys)}; give a whole number from 1 on.`,
    )
  }
  return new MemoryRateLimitStore(maxKeys)
}

/** Requests of one window. */
interface Count {
  readonly key: string
  used: number
  /** On the monotonic clock. */
  readonly endsAt: number
  /** The window of the same length that began after it. */
  next: Count | undefined
}

/** Windows of one length: they end in the order in which they begin. */
interface Queue {
  first: Count | undefined
  last: Count | undefined
}

class MemoryRateLimitStore implements RateLimitStore {
  readonly #maxKeys: number
  readonly #counts = new Map<string, Count>()
  readonly #queues = new Map<number, Queue>()
  readonly #shared = new Map<string, SharedCounts>()
  #clock: Clock | undefined
  #logger: Logger | undefined

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  open({ clock, logger }: StoreContext): void {
    this.#clock = clock
    this.#logger = logger
  }

  consume(count: RateLimitCount): RateLimitResult {
    if (this.#clock === undefined)
      throw new Error('The store is not open: call open({ clock, logger }).')
    const now = this.#clock.monotonic()
    let found: Pick<Count, 'used' | 'endsAt'> | undefined = this.#counts.get(count.key)
    if (found === undefined || found.endsAt <= now) found = this.#begin(count, now)
    const isAllowed = found.used < count.limit
    if (isAllowed) found.used++
    // The sum of the window and a time that has fractions, less that time, may be a little more than the window.
    const resetMs = Math.min(found.endsAt - now, count.windowMs)
    return { isAllowed, remaining: count.limit - found.used, resetMs }
  }

  close(): void {
    this.#counts.clear()
    this.#queues.clear()
    this.#shared.clear()
  }

  #begin(count: RateLimitCount, now: number): Pick<Count, 'used' | 'endsAt'> {
    const { key, windowMs } = count
    // Who has shared a counter goes on with it until its window ends: room that came free must not be a second allowance.
    const shared = this.#sharedBy(count, now)?.find(key, now)
    if (shared !== undefined) return shared
    for (const queue of this.#queues.values()) this.#forgetEnded(queue, now)
    if (this.#counts.size >= this.#maxKeys && !this.#counts.has(key)) {
      return this.#share(count).begin(key, now + windowMs)
    }
    const begun: Count = { key, used: 0, endsAt: now + windowMs, next: undefined }
    this.#counts.set(key, begun)
    this.#enqueue(begun, windowMs)
    return begun
  }

  #enqueue(count: Count, windowMs: number): void {
    const queue = this.#queues.get(windowMs)
    if (queue === undefined) this.#queues.set(windowMs, { first: count, last: count })
    else {
      if (queue.last === undefined) queue.first = count
      else queue.last.next = count
      queue.last = count
    }
  }

  #forgetEnded(queue: Queue, now: number): void {
    let forgotten = 0
    while (
      queue.first !== undefined &&
      queue.first.endsAt <= now &&
      forgotten < FORGOTTEN_AT_ONCE
    ) {
      const { key, next } = queue.first
      // Its client may have begun another window meanwhile.
      if (this.#counts.get(key) === queue.first) {
        this.#counts.delete(key)
        forgotten++
      }
      queue.first = next
      if (next === undefined) queue.last = undefined
    }
  }

  #sharedBy({ limit, windowMs }: RateLimitCount, now: number): SharedCounts | undefined {
    if (this.#shared.size === 0) return undefined
    const name = `${limit}/${windowMs}`
    const shared = this.#shared.get(name)
    if (shared === undefined || shared.endsAt > now) return shared
    this.#shared.delete(name)
    return undefined
  }

  #share({ limit, windowMs }: RateLimitCount): SharedCounts {
    const name = `${limit}/${windowMs}`
    let shared = this.#shared.get(name)
    if (shared === undefined) {
      shared = new SharedCounts()
      this.#shared.set(name, shared)
      this.#warn()
    }
    return shared
  }

  #warn(): void {
    const facts = { maxKeys: this.#maxKeys }
    this.#logger?.warn(
      facts,
      'There are more clients than memoryRateLimit({ maxKeys }) allows: some clients share a counter',
    )
    this.#logger = undefined
  }
}
