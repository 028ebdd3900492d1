import { isDeepStrictEqual } from 'node:util'
import type { AnsweredStatement, AnswerStatement, NewStatement } from '../contracts/database.js'

const LONGEST = 200

/** Thrown if a request in a test runs a statement for which the option `statements` contains no unused result. */
export class UnansweredStatementError extends Error {
  /** Always `UnansweredStatementError`. */
  override readonly name = 'UnansweredStatementError'
  /** The statement. */
  readonly text: string

  /**
   * Creates the error for a statement.
   *
   * @param text The statement.
   */
  constructor(text: string) {
    const line = text.replace(/\s+/g, ' ').trim().slice(0, LONGEST)
    super(
      `The option \`statements\` has no answer left for: ${line}. Add an answer to the list: { text, rows }.`,
    )
    this.text = text
  }
}

/** The error of the first statement without a result, for each list. */
const unanswered = new WeakMap<readonly AnsweredStatement[], UnansweredStatementError>()

/** Returns the error of the first unexpected statement, even if the application has handled it. */
export function unansweredOf(
  statements: readonly AnsweredStatement[] = [],
): UnansweredStatementError | null {
  return unanswered.get(statements) ?? null
}

/** Returns a function that answers statements from a list and uses each entry once; `null` if no list is given. */
export function answersOf(
  statements: readonly AnsweredStatement[] | undefined,
): AnswerStatement | null {
  if (statements === undefined) return null
  const left = [...statements]
  return function answer({ text, values = [] }: NewStatement) {
    const shape = shapeOf(text)
    const alike = left.filter((each) => shapeOf(each.text) === shape)
    // Concurrent statements have no fixed order.
    const found = alike.find((each) => isDeepStrictEqual(each.values, values)) ?? alike[0]
    if (found === undefined) {
      const error = new UnansweredStatementError(text)
      if (!unanswered.has(statements)) unanswered.set(statements, error)
      throw error
    }
    left.splice(left.indexOf(found), 1)
    return found
  }
}

/** A statement without the parts that can differ: whitespace and literals. */
function shapeOf(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\b\d+(?:\.\d+)?\b/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
}
