import type { CacheEntry } from '../../contracts/cache.js'
import type { Timer } from '../../contracts/clock.js'
import type { Clock } from '../../di/token.js'

/** The result of a flight. */
export type Landing =
  /** An entry that the followers can use. */
  | { readonly kind: 'made'; readonly entry: CacheEntry }
  /** The value is `undefined`, which is not stored. */
  | { readonly kind: 'nothing' }
  /** The flight failed. All followers receive the same error. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The response is valid for one request only. The followers must call the handler themselves. */
  | { readonly kind: 'unfit'; readonly status: number }
  /** The client of the request that makes the response has disconnected. */
  | { readonly kind: 'aborted' }
  /** The followers have waited for too long. */
  | { readonly kind: 'late' }

/** The longest time, in milliseconds, that followers wait for a flight. Each follower also has its own deadline. */
const MAX_WAIT_MS = 10_000

/** The tenant and the user that a flight makes its value for, and the tags of the value. */
export interface FlightFacts {
  /** The tenant. */
  readonly owner: string | null
  /** The user; `null` if there is no user, as in `CacheEntry`. */
  readonly user: string | null
  readonly tags: readonly string[]
}

/**
 * A value or response that is being made. Other requests for the same key follow the flight: they wait for its result.
 */
export class Flight {
  readonly owner: string | null
  readonly user: string | null
  readonly tags: readonly string[]
  /**
   * Whether the result must not be stored, for example because, after the flight began, the key was written or deleted,
   * or a tag was invalidated.
   */
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

  /** Calls `go` with the result: immediately if the flight has landed, otherwise when it lands. */
  follow(go: (landing: Landing) => void): void {
    if (this.#landing === undefined) this.#followers.push(go)
    else go(this.#landing)
  }

  /** Ends the flight with a result. Only the first call has an effect. */
  land(landing: Landing): void {
    if (this.#landing !== undefined) return
    this.#landing = landing
    const followers = this.#followers
    this.#followers = []
    for (const go of followers) go(landing)
  }
}

/**
 * All flights, by key. If several requests miss the same key at the same time, only the first request makes the value.
 */
export class Flights {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Flight>()
  readonly #timers = new Map<Flight, Timer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the flight of a key. A cancelled flight is not returned, because a request that arrives after an
   * invalidation must not receive older data.
   */
  find(key: string): Flight | undefined {
    const flight = this.#byKey.get(key)
    return flight?.isCancelled ? undefined : flight
  }

  begin(key: string, facts: FlightFacts): Flight {
    const flight = new Flight(facts)
    this.#byKey.set(key, flight)
    return flight
  }

  /** Removes a flight that has ended. */
  end(key: string, flight: Flight): void {
    this.#timers.get(flight)?.cancel()
    this.#timers.delete(flight)
    if (this.#byKey.get(key) === flight) this.#byKey.delete(key)
  }

  /**
   * Starts the timer for a flight's time limit, unless the timer is already running. When the limit is reached, the
   * flight lands as `late`, and its result is not stored.
   */
  limit(key: string, flight: Flight): void {
    if (this.#timers.has(flight) || flight.hasLanded) return
    const giveUp = () => {
      flight.isCancelled = true
      this.end(key, flight)
      flight.land({ kind: 'late' })
    }
    this.#timers.set(flight, this.#clock.setTimeout(giveUp, MAX_WAIT_MS))
  }

  /** Cancels the flight of a key, so that its result is not stored. */
  cancel(key: string): void {
    const flight = this.#byKey.get(key)
    if (flight !== undefined) flight.isCancelled = true
  }

  /** Cancels every flight with at least one of these tags. */
  cancelTagged(tags: readonly string[]): void {
    const cancelled = new Set(tags)
    for (const flight of this.#byKey.values()) {
      if (flight.tags.some((tag) => cancelled.has(tag))) flight.isCancelled = true
    }
  }

  /** Cancels every flight whose key begins with this prefix. */
  cancelAll(prefix: string): void {
    for (const [key, flight] of this.#byKey) if (key.startsWith(prefix)) flight.isCancelled = true
  }
}
