import { refuse } from '../errors/refuse.js'

/** Steps that any value may take: most take fewer than a hundred. */
const FOR_ANY = 50_000

/** Steps more for each value within the value: as many alternatives may be tried of each. */
const FOR_EACH = 10

/**
 * Counts the steps of one validation at a time. Alternatives that contain each other are tried on every level of a value, which
 * doubles the work with each level: a body of a kilobyte could take hours.
 */
export class WorkLimit {
  /** Steps before {@link extend} has to be asked. A validator counts it down itself. */
  left: number = FOR_ANY
  #root: unknown
  #isExtended = false

  /** Begins a validation. */
  begin(root: unknown): void {
    this.left = FOR_ANY
    this.#root = root
    this.#isExtended = false
  }

  /** Forgets the value. */
  end(): void {
    this.#root = undefined
  }

  /** Allows what a large value may need, once; then throws 400. Most values are never counted. */
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
