import { randomInt } from 'node:crypto'

/** How many counters there are: a power of two. */
const SLOTS = 65_536

interface SharedCount {
  used: number
  /** On the monotonic clock. */
  readonly endsAt: number
}

/**
 * Counters that clients share, found by a hash of who they are. They count too much rather than too little, and take the
 * same room for any number of clients.
 */
export class SharedCounts {
  readonly #slots: (SharedCount | undefined)[] = new Array(SLOTS)
  // Whom one shares a counter with must not be for a client to choose.
  readonly #seed: number = randomInt(2 ** 32)
  #endsAt = 0

  /** When the last window here ends, on the monotonic clock. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** The counter of a client, if its window has not ended. */
  find(key: string, now: number): SharedCount | undefined {
    const count = this.#slots[this.#slotOf(key)]
    return count === undefined || count.endsAt <= now ? undefined : count
  }

  /** Begins a window. */
  begin(key: string, endsAt: number): SharedCount {
    const count = { used: 0, endsAt }
    this.#slots[this.#slotOf(key)] = count
    this.#endsAt = Math.max(this.#endsAt, endsAt)
    return count
  }

  /** FNV-1a, with a seed and a last stirring. */
  #slotOf(key: string): number {
    let hash = this.#seed
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16_777_619)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) & (SLOTS - 1)
  }
}
