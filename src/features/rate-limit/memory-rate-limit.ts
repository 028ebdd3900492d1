import { randomInt } from 'node:crypto'
import type { StoreContext } from '../../contracts/cache.js'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import type { Clock } from '../../di/token.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'

const DEFAULT_MAX_KEYS = 100_000

/**
 * The number of ended windows to delete whenever a window begins. It is more than one, so that the number of ended
 * windows decreases.
 */
const FORGOTTEN_AT_ONCE = 2

/** Options of `memoryRateLimit`. */
export interface MemoryRateLimitOptions {
  /**
   * The maximum number of clients that have their own counters at the same time, for all limits together. Default:
   * 100,000, which use about 20 MB.
   */
  readonly maxKeys?: number
}

const NAMES: OptionNames<MemoryRateLimitOptions> = { maxKeys: true }

/**
 * Creates a store that counts requests in the memory of this process. It is the default for `rateLimit.store`. Each
 * process counts only its own requests.
 *
 * When `maxKeys` clients have a counter, the store keeps these counters until their windows end. If counters were
 * deleted earlier, a client with many addresses could cause its own counter to be deleted. Further clients share 65,536
 * counters for each limit, which are selected by a hash of the client. Such a client can never send more requests than
 * the limit, but may be limited too early. When this happens for the first time, the store logs a warning.
 *
 * @throws RangeError if `maxKeys` is not an integer of at least 1; ConfigError for an unknown option.
 * @example
 * const options = { rateLimit: { limit: 300, window: '1m', store: memoryRateLimit({ maxKeys: 500_000 }) } }
 */
export function memoryRateLimit(options: MemoryRateLimitOptions = {}): RateLimitStore {
  refuseUnknown('memoryRateLimit()', options, NAMES)
  const { maxKeys = DEFAULT_MAX_KEYS } = options
  if (!Number.isInteger(maxKeys) || maxKeys < 1) {
    throw new RangeError(
      `memoryRateLimit(): maxKeys is ${String(maxKeys)}; pass a whole number above 0.`,
    )
  }
  return new MemoryRateLimitStore(maxKeys)
}

/** The number of requests of one client in one window. */
interface Count {
  readonly key: string
  used: number
  /** Milliseconds on the monotonic clock. */
  readonly endsAt: number
  /** The next window of the same length, in the order in which the windows began. */
  next: Count | undefined
}

/** All windows of one length. They end in the order in which they began. */
interface Queue {
  first: Count | undefined
  last: Count | undefined
}

class MemoryRateLimitStore implements RateLimitStore {
  readonly isShared = false
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
    // `now` has fractions, so `now + windowMs - now` may be slightly more than `windowMs`.
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
    // A client that shares a counter uses it until its window ends. If the client moved to a free counter of its own
    // before that, it would receive a second allowance.
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
      // If the client has begun a new window in the meantime, the new window must not be deleted.
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

/** The number of counters: a power of two, because `#slotOf` uses it as a bit mask. */
const SLOTS = 65_536

interface SharedCount {
  used: number
  /** Milliseconds on the monotonic clock. */
  readonly endsAt: number
}

/**
 * A fixed number of counters that clients share. A hash of the client's key selects the counter. A client may be
 * refused too early, but can never send more requests than the limit. Memory usage does not grow with the number of
 * clients.
 */
class SharedCounts {
  readonly #slots: (SharedCount | undefined)[] = new Array(SLOTS)
  // The seed is random, so that a client cannot choose which other clients share its counter.
  readonly #seed: number = randomInt(2 ** 32)
  #endsAt = 0

  /** The end of the last window of these counters, in milliseconds on the monotonic clock. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Returns the counter of a client; `undefined` if its window has ended. */
  find(key: string, now: number): SharedCount | undefined {
    const count = this.#slots[this.#slotOf(key)]
    return count === undefined || count.endsAt <= now ? undefined : count
  }

  /** Begins a window and returns its counter. */
  begin(key: string, endsAt: number): SharedCount {
    const count = { used: 0, endsAt }
    this.#slots[this.#slotOf(key)] = count
    this.#endsAt = Math.max(this.#endsAt, endsAt)
    return count
  }

  /**
   * Returns the slot of a client, by FNV-1a with a seed. The last two lines mix the bits, because only the low bits
   * select the slot.
   */
  #slotOf(key: string): number {
    let hash = this.#seed
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16_777_619)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) & (SLOTS - 1)
  }
}
