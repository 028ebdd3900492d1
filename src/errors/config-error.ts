import type { ConfigCode } from './codes.js'

/** An error or a warning about the declaration of an application, with its place, cause and remedy. */
export interface Problem {
  /** The code. `docs/errors.md` explains every code. */
  readonly code: ConfigCode
  /** The class, method or option with the error: `UsersController.getById`. */
  readonly subject: string
  /** The cause, as a sentence. */
  readonly cause: string
  /** The remedy, as a sentence. */
  readonly remedy: string
}

/** Formats a problem as the three lines that a terminal shows. */
export function formatProblem(problem: Problem): string {
  return `[${problem.code}] ${problem.subject}\n   ${problem.cause}\n   ${problem.remedy}`
}

/**
 * The error that prevents an application from starting. At boot, the framework collects all problems that it can find,
 * and throws one error.
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
  /** All problems, in the order in which they were found. The list is never empty. */
  declare readonly problems: readonly Problem[]

  /**
   * Creates one error for several problems.
   *
   * @param problems The problems, at least one.
   * @param options The cause, if there is one.
   */
  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(describeProblems(problems), options)
    // The property is not enumerable, because the message already contains all problems, and Node would print them
    // again.
    Object.defineProperty(this, 'problems', { value: Object.freeze([...problems]) })
  }
}

function describeProblems(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const list = problems.map((problem, i) => `${i + 1}. ${formatProblem(problem)}`)
  return `The application cannot start: ${count}.\n\n${list.join('\n\n')}\n`
}

/** Builds the problem for an invalid value of an option or of a decorator's argument. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

/**
 * Returns a list with one problem for several routes. The subject contains the names of the routes. Without routes, the
 * list is empty.
 */
export function sharedProblem(
  routes: readonly { readonly name: string }[],
  problem: Omit<Problem, 'subject'>,
): Problem[] {
  const names = new Set(routes.map(({ name }) => name))
  return names.size === 0 ? [] : [{ ...problem, subject: [...names].join(', ') }]
}

/** Formats a value for a message: a string in quotes, any other value with `String`. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  try {
    return String(value)
  } catch {
    return 'an object that cannot be converted to a string'
  }
}
