const FAILURES = 5

/** Counts how often an answer came too late. Open, it says that asking is a waste of time. */
export class Breaker {
  #failures = 0

  /** Whether the last five answers in a row were late, or never came. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES
  }

  /** An answer came in time. */
  succeed(): void {
    if (!this.isOpen) this.#failures = 0
  }

  /** An answer did not come in time. */
  fail(): void {
    this.#failures++
  }

  reset(): void {
    this.#failures = 0
  }
}
