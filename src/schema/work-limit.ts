import { refuse } from '../errors/refuse.js'

/** The number of steps that is allowed for every value, of any size. Most values need fewer than a hundred. */
const FOR_ANY = 50_000

/** The additional steps for each value inside the validated value. They are added when the first limit is reached. */
const FOR_EACH = 10

/**
 * Limits the steps of a validation. It tracks one validation at a time. Alternatives that contain each other are tried
 * at every level of a value, so the work doubles with each level. Without a limit, a body of 1 kB could take hours.
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

  /** Releases the validated value. */
  end(): void {
    this.#root = undefined
  }

  /**
   * Allows additional steps once, in proportion to the size of the value. A second call throws 400
   * `VALIDATION_TOO_COMPLEX`. The size is computed only here, because most values never reach the first limit.
   */
  extend(): void {
    if (this.#isExtended) {
      throw refuse(
        'VALIDATION_TOO_COMPLEX',
        'The value matches too many combinations of alternatives to check all of them',
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
 * The maximum number of validation issues in one response. The client determines how many fields are invalid, so a
 * response without a limit could become arbitrarily large.
 */
export const MAX_ISSUES = 20
