/**
 * The maximum number of cached entries in an application: about 70 kB each. A route with ten marks has a thousand
 * combinations of abilities.
 */
const MOST_KEPT = 500

/** The most recently used functions for all routes of an application, by route and abilities. */
export class KeptVisibilities<T> {
  readonly #most: number
  readonly #kept = new Map<string, T>()

  constructor(most: number = MOST_KEPT) {
    this.#most = most
  }

  get size(): number {
    return this.#kept.size
  }

  /** Returns the value of a key; creates it if necessary. */
  get(key: string, make: () => T): T {
    const held = this.#kept.get(key) ?? make()
    // A map preserves the order in which keys were added, so this moves the key to the end.
    this.#kept.delete(key)
    this.#kept.set(key, held)
    const [oldest] = this.#kept.size > this.#most ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    return held
  }
}
