/** Most keys, and most patterns, that are remembered one by one. */
const MOST_KEYS = 10_000
const MOST_PATTERNS = 100

/** What is to be forgotten. */
export interface Batch {
  readonly keys: readonly string[]
  readonly patterns: readonly string[]
}

/** What must be forgotten before anything is read again. Bounded: too much to remember becomes all there is. */
export class Pending {
  readonly #everything: string
  #keys = new Set<string>()
  #patterns = new Set<string>()

  /** @param everything The pattern of all entries. */
  constructor(everything: string) {
    this.#everything = everything
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0 && this.#patterns.size === 0
  }

  add({ keys = [], patterns = [] }: Partial<Batch>): void {
    if (this.#patterns.has(this.#everything)) return
    for (const key of keys) this.#keys.add(key)
    for (const pattern of patterns) this.#patterns.add(pattern)
    if (this.#keys.size <= MOST_KEYS && this.#patterns.size <= MOST_PATTERNS) return
    this.#keys.clear()
    this.#patterns = new Set([this.#everything])
  }

  /** Hands over all of it. Who cannot do it adds it again. */
  take(): Batch {
    const batch = { keys: [...this.#keys], patterns: [...this.#patterns] }
    this.#keys = new Set()
    this.#patterns = new Set()
    return batch
  }
}
