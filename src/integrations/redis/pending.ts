/** The maximum numbers of individual keys and of individual patterns in a batch. */
const MOST_KEYS = 10_000
const MOST_PATTERNS = 100

/** Keys and patterns that must be deleted from Redis. */
export interface Batch {
  readonly keys: readonly string[]
  readonly patterns: readonly string[]
}

/**
 * The deletions that Redis must run before any entry is read again. Above a size limit, one pattern for all entries
 * replaces the individual keys and patterns.
 */
export class Pending {
  readonly #everything: string
  #keys = new Set<string>()
  #patterns = new Set<string>()

  /** @param everything The pattern that matches all entries. */
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

  /** Removes and returns the whole batch. If the caller fails to delete it, the caller must add it again. */
  take(): Batch {
    const batch = { keys: [...this.#keys], patterns: [...this.#patterns] }
    this.#keys = new Set()
    this.#patterns = new Set()
    return batch
  }
}
