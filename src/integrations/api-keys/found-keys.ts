import type { Clock } from '../../index.js'
import type { ApiKeyRecord } from './api-keys-options.js'
import { isLive } from './check-record.js'

/** The most keys that are kept. Then the oldest one goes. */
const MOST = 10_000

interface CachedKey<TRecord> {
  readonly record: TRecord
  /** When its look-up began: the result may be that old. */
  readonly since: number
}

interface Flight<TRecord> {
  readonly result: Promise<TRecord | undefined>
  readonly since: number
}

/** The parts of {@link FoundKeys}. */
export interface FoundKeysParts<TRecord> {
  readonly clock: Clock
  readonly cacheMs: number
  /** Looks a key up by its hash. */
  readonly find: (hash: string) => Promise<TRecord | undefined>
}

/**
 * Keeps live keys for some time, by their hashes. Keys that are unknown, revoked or expired are not kept: each takes a
 * look-up, so that they are not distinguishable by time, and forged keys displace no real one. Requests with the same key
 * share a look-up.
 */
export class FoundKeys<TRecord extends ApiKeyRecord> {
  readonly #parts: FoundKeysParts<TRecord>
  readonly #kept = new Map<string, CachedKey<TRecord>>()
  readonly #flights = new Map<string, Flight<TRecord>>()

  constructor(parts: FoundKeysParts<TRecord>) {
    this.#parts = parts
  }

  /** Returns the key with this hash, at once if it is kept. It may have expired since. */
  get(hash: string): TRecord | Promise<TRecord | undefined> {
    const { clock, cacheMs, find } = this.#parts
    if (cacheMs === 0) return find(hash)
    const now = clock.monotonic()
    const kept = this.#kept.get(hash)
    if (kept !== undefined) {
      if (now - kept.since < cacheMs) return kept.record
      this.#kept.delete(hash)
    }
    this.#dropOldFlights(now)
    return (this.#flights.get(hash) ?? this.#start(hash, now)).result
  }

  #start(hash: string, since: number): Flight<TRecord> {
    const flight: Flight<TRecord> = { result: this.#look(hash, since), since }
    this.#flights.set(hash, flight)
    const end = () => {
      if (this.#flights.get(hash) === flight) this.#flights.delete(hash)
    }
    flight.result.then(end, end)
    return flight
  }

  async #look(hash: string, since: number): Promise<TRecord | undefined> {
    const { clock, find } = this.#parts
    const record = await find(hash)
    if (record === undefined || !isLive(record, clock.now())) return undefined
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MOST && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(hash, { record, since })
    return record
  }

  /** A look-up that never ends must not hold its key for ever. The first flight is the oldest one. */
  #dropOldFlights(now: number): void {
    for (const [hash, { since }] of this.#flights) {
      if (now - since < this.#parts.cacheMs) return
      this.#flights.delete(hash)
    }
  }
}
