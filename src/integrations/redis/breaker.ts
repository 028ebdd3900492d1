const FAILURES = 5

/**
 * Counts late replies of Redis. While it is open, the link sends no commands, because they would only wait
 * for the deadline.
 */
export class Breaker {
  #failures = 0

  /** Whether each of the last five replies was late or missing. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES
  }

  /** Call this when a reply came before the deadline. */
  succeed(): void {
    if (!this.isOpen) this.#failures = 0
  }

  /** Call this when a reply did not come before the deadline. */
  fail(): void {
    this.#failures++
  }

  reset(): void {
    this.#failures = 0
  }
}
