import type { CacheEntry } from '../../contracts/cache.js'
import type { Clock, Timer } from '../../contracts/clock.js'

/** What an answer that was being made came to. */
export type Landing =
  /** Something that others may have too. */
  | { readonly kind: 'made'; readonly entry: CacheEntry }
  /** `undefined`, which is nothing to keep. */
  | { readonly kind: 'nothing' }
  /** It failed, and did so for everybody who waits for the same value. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** An answer for one request alone; another must make its own. */
  | { readonly kind: 'unfit'; readonly status: number }
  /** Who asked for it has gone. */
  | { readonly kind: 'aborted' }
  /** It takes so long that nobody should wait for it. */
  | { readonly kind: 'late' }

/** Longer than this nobody waits for somebody else's answer: each has a deadline of its own. */
const PATIENCE_MS = 10_000

/** For whom an answer is made, and what it is to be found by. */
export interface FlightFacts {
  /** The tenant. */
  readonly owner: string | null
  /** Its user, as `CacheEntry` has it. */
  readonly user: string | null
  readonly tags: readonly string[]
}

/** One answer in the making. */
export class Flight {
  readonly owner: string | null
  readonly user: string | null
  readonly tags: readonly string[]
  /** Whether its key was written or forgotten since it began, so that what comes of it is too old to be kept. */
  isCancelled = false
  #landing: Landing | undefined
  #followers: ((landing: Landing) => void)[] = []

  constructor({ owner, user, tags }: FlightFacts) {
    this.owner = owner
    this.user = user
    this.tags = tags
  }

  get hasLanded(): boolean {
    return this.#landing !== undefined
  }

  /** Calls `go` once it has landed; now, if it has. */
  follow(go: (landing: Landing) => void): void {
    if (this.#landing === undefined) this.#followers.push(go)
    else go(this.#landing)
  }

  /** Says what it came to; only the first word counts. */
  land(landing: Landing): void {
    if (this.#landing !== undefined) return
    this.#landing = landing
    const followers = this.#followers
    this.#followers = []
    for (const go of followers) go(landing)
  }
}

/** The answers that are being made, by key: of many who miss the same one, one makes it. */
export class Flights {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Flight>()
  readonly #timers = new Map<Flight, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The flight of a key. One that was cancelled is none: who comes after an invalidation must not get what was read before it. */
  find(key: string): Flight | undefined {
    const flight = this.#byKey.get(key)
    return flight?.isCancelled ? undefined : flight
  }

  begin(key: string, facts: FlightFacts): Flight {
    const flight = new Flight(facts)
    this.#byKey.set(key, flight)
    return flight
  }

  /** Takes a flight off the list, whatever has become of it. */
  end(key: string, flight: Flight): void {
    this.#timers.get(flight)?.cancel()
    this.#timers.delete(flight)
    if (this.#byKey.get(key) === flight) this.#byKey.delete(key)
  }

  /** Ends a flight that takes too long, from now on: it is late, and what comes of it is not kept. */
  limit(key: string, flight: Flight): void {
    if (this.#timers.has(flight) || flight.hasLanded) return
    const giveUp = () => {
      flight.isCancelled = true
      this.end(key, flight)
      flight.land({ kind: 'late' })
    }
    this.#timers.set(flight, this.#clock.setTimeout(giveUp, PATIENCE_MS))
  }

  /** What is being made for this key is not kept. */
  cancel(key: string): void {
    const flight = this.#byKey.get(key)
    if (flight !== undefined) flight.isCancelled = true
  }

  /** As `cancel`, for everything that is made under one of these tags. */
  cancelTagged(tags: readonly string[]): void {
    for (const flight of this.#byKey.values()) {
      if (flight.tags.some((tag) => tags.includes(tag))) flight.isCancelled = true
    }
  }

  /** As `cancel`, for every key that begins with `prefix`. */
  cancelAll(prefix: string): void {
    for (const [key, flight] of this.#byKey) if (key.startsWith(prefix)) flight.isCancelled = true
  }
}
