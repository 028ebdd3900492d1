import type { Clock, Timer } from '../../contracts/clock.js'
import { refuse } from '../../errors/refuse.js'
import type {
  IdempotencyClaim,
  IdempotencyStore,
  IdempotencyStoreContext,
} from './idempotency-store.js'

/** The maximum number of stored characters. Each key counts as 200 characters in addition to its record. */
const MOST = 64_000_000
const EMPTY = 200
/** The interval at which expired records are removed. */
const SWEEP_MS = 60_000

interface IdempotencyEntry {
  /** The record; `null` while the request is running. */
  record: string | null
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

/**
 * Creates a store in the memory of this process, for development and tests: other processes cannot access it, and a
 * restart deletes its records. When the store is full, writes with a new key are refused with a 503 response. If
 * records were removed early instead, a write could run twice.
 *
 * @param most The maximum total number of stored characters. Default: 64,000,000.
 */
export function memoryIdempotency(most: number = MOST): IdempotencyStore {
  return new MemoryIdempotency(most)
}

class MemoryIdempotency implements IdempotencyStore {
  readonly isShared = false
  readonly #most: number
  readonly #kept = new Map<string, IdempotencyEntry>()
  #size = 0
  #clock: Clock | undefined
  #timer: Timer | undefined

  constructor(most: number) {
    this.#most = most
  }

  open({ clock }: Pick<IdempotencyStoreContext, 'clock'>): void {
    this.#clock = clock
    this.#timer = clock.setInterval(() => this.#sweep(clock.now()), SWEEP_MS)
  }

  close(): void {
    this.#timer?.cancel()
    this.#kept.clear()
    this.#size = 0
  }

  claim(key: string, ttlMs: number): IdempotencyClaim {
    const now = (this.#clock as Clock).now()
    const found = this.#kept.get(key)
    if (found !== undefined && found.endsAt > now) {
      const { record } = found
      return record === null ? { state: 'running' } : { state: 'kept', record }
    }
    if (found !== undefined) this.#forget(key, found)
    if (this.#size + EMPTY > this.#most) {
      this.#sweep(now)
      if (this.#size + EMPTY > this.#most) throw refuse('IDEMPOTENCY_UNAVAILABLE', FULL, SHOWN)
    }
    const mine: IdempotencyEntry = { record: null, endsAt: now + ttlMs }
    this.#kept.set(key, mine)
    this.#size += EMPTY
    const isMine = () => this.#kept.get(key) === mine
    return {
      state: 'claimed',
      keep: (record) => {
        if (!isMine()) return
        mine.record = record
        this.#size += record.length
      },
      free: () => {
        if (isMine()) this.#forget(key, mine)
      },
    }
  }

  #forget(key: string, { record }: IdempotencyEntry): void {
    this.#kept.delete(key)
    this.#size -= EMPTY + (record?.length ?? 0)
  }

  #sweep(now: number): void {
    for (const [key, kept] of this.#kept) if (kept.endsAt <= now) this.#forget(key, kept)
  }
}

const FULL = 'Too many responses are stored; repeat the request later'
const SHOWN = { expose: true, headers: { 'Retry-After': '60' } }
