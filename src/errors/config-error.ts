import type { ConfigCode } from './codes.js'

/** One thing that is wrong with an application's declaration: who, what, and what to do. */
export interface Problem {
  /** The code; `docs/errors.md` explains each. */
  readonly code: ConfigCode
  /** The class, method or option concerned: `UsersController.getById`. */
  readonly subject: string
  /** What is wrong, as a sentence. */
  readonly cause: string
  /** What to change, as a sentence. */
  readonly remedy: string
}

/** Writes a problem as the three lines a terminal shows. */
export function formatProblem(problem: Problem): string {
  return `[${problem.code}] ${problem.subject}\n   ${problem.cause}\n   ${problem.remedy}`
}

/**
 * Why an application cannot start. Boot collects everything it can find and throws once.
 *
 * @example
 * try {
 *   await App.create(options)
 * } catch (error) {
 *   if (error instanceof ConfigError) for (const { code, subject } of error.problems) report(code, subject)
 * }
 */
export class ConfigError extends Error {
  /** Always `ConfigError`. */
  override readonly name = 'ConfigError'
  /** Everything that was found, in the order it was found. Never empty. */
  declare readonly problems: readonly Problem[]

  /**
   * Makes one error of several problems.
   *
   * @param problems What was found; at least one.
   * @param options The cause, if there is one.
   */
  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(describeProblems(problems), options)
    // Not enumerable: the message says it all, and Node would print it a second time.
    Object.defineProperty(this, 'problems', { value: Object.freeze([...problems]) })
  }
}

function describeProblems(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const list = problems.map((problem, i) => `${i + 1}. ${formatProblem(problem)}`)
  return `The application cannot start: ${count}.\n\n${list.join('\n\n')}\n`
}
