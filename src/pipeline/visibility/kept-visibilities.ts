/**
 * The most functions that one application keeps: about 70 kB each. A route with ten marks has a thousand different callers.
 */
const MOST_KEPT = 500

/** The functions of all routes of an application, by route and abilities: the most recently used ones. */
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
    // A map keeps the order in which keys were added.
    this.#kept.delete(key)
    this.#kept.set(key, held)
    const [oldest] = this.#kept.size > this.#most ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    return held
  }
}
