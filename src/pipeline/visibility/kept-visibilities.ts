/**
 * The maximum number of cached entries in an application. Each entry uses about 70 kB, and a route with ten marks has a
 * thousand combinations of abilities.
 */
const MOST_KEPT = 500

/** The most recently used functions of all routes of an application, by route and abilities. */
export class KeptVisibilities<T> {
  readonly #most: number
  readonly #kept = new Map<string, T>()

  constructor(most: number = MOST_KEPT) {
    this.#most = most
  }

  get size(): number {
    return this.#kept.size
  }

  /** Returns the value for a key. Creates it if necessary. */
  get(key: string, make: () => T): T {
    const held = this.#kept.get(key) ?? make()
    // A map preserves the order in which keys were added, so deleting and adding the key moves it to the end.
    this.#kept.delete(key)
    this.#kept.set(key, held)
    const [oldest] = this.#kept.size > this.#most ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    return held
  }
}
