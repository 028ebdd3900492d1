/** The wait after the second failure in a row. The first one is repaired at once. */
const FIRST_MS = 500
/** The longest wait. */
const LONGEST_MS = 30_000
/** A worker that has run so long has failed for another reason than its start. */
const HEALTHY_MS = 60_000

/** How long to wait before the next worker starts in the place of one that has failed. */
export class Backoff {
  #failures = 0

  /**
   * Counts a failure.
   *
   * @param ranMs How long the worker has run.
   * @returns milliseconds to wait: 0, 500, 1000, … up to 30,000. A worker that has run for a minute begins anew.
   */
  failed(ranMs: number): number {
    if (ranMs >= HEALTHY_MS) this.#failures = 0
    this.#failures += 1
    return this.#failures === 1 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 2))
  }
}
