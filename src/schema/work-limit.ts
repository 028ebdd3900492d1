import { refuse } from '../errors/refuse.js'

/** The maximum number of steps for every value. Most values need fewer than a hundred. */
const FOR_ANY = 50_000

/** The additional steps for each value inside the validated value, after the first limit is reached. */
const FOR_EACH = 10

/**
 * Limits the steps of one validation at a time. Alternatives that contain each other are tried on every level
 * of a value, so the work doubles with each level: without a limit, a body of 1 kB could take hours.
 */
export class WorkLimit {
  /** The remaining steps before {@link extend} must be called. The validator decrements it. */
  left: number = FOR_ANY
  #root: unknown
  #isExtended = false

  /** Starts the count for a new value. */
  begin(root: unknown): void {
    this.left = FOR_ANY
    this.#root = root
    this.#isExtended = false
  }

  /** Releases the value. */
  end(): void {
    this.#root = undefined
  }

  /**
   * Allows additional steps in proportion to the size of the value, once. At the second call it throws 400
   * `VALIDATION_TOO_COMPLEX`. The size is counted only here, because most values never get here.
   */
  extend(): void {
    if (this.#isExtended) {
      throw refuse(
        'VALIDATION_TOO_COMPLEX',
        'The value fits too many combinations of alternatives to try them all',
      )
    }
    this.#isExtended = true
    this.left = FOR_EACH * countValues(this.#root)
  }
}

function countValues(root: unknown): number {
  let count = 0
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    count++
    if (typeof value !== 'object' || value === null) continue
    for (const part of Object.values(value)) waiting.push(part)
  }
  return count
}

/**
 * The most validation issues in one response. The client chooses how many fields are wrong, so without a
 * limit it could make the response arbitrarily large.
 */
export const MAX_ISSUES = 20
