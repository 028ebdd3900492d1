import { randomInt } from 'node:crypto'

/** The number of counters: a power of two, because `#slotOf` uses it as a mask. */
const SLOTS = 65_536

interface SharedCount {
  used: number
  /** Milliseconds on the monotonic clock. */
  readonly endsAt: number
}

/**
 * A fixed number of counters that clients share. A hash of the client's key selects the counter. A client may
 * be refused too early, but never gets more than the limit; the memory does not grow with the number of
 * clients.
 */
export class SharedCounts {
  readonly #slots: (SharedCount | undefined)[] = new Array(SLOTS)
  // The seed is random, so that a client cannot choose with which other client it shares a counter.
  readonly #seed: number = randomInt(2 ** 32)
  #endsAt = 0

  /** When the last window of these counters ends, in milliseconds on the monotonic clock. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Returns the counter of a client; `undefined` when its window has ended. */
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

  /** FNV-1a with a seed. The last two lines mix the bits, because only the low ones select the slot. */
  #slotOf(key: string): number {
    let hash = this.#seed
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16_777_619)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) & (SLOTS - 1)
  }
}
