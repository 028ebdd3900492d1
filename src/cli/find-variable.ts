import { formatProblem } from '../errors/config-error.js'
import { findTexts, levelsOf, skippedNames } from '../features/env/sources.js'
import { CliError } from './cli-error.js'

/** A variable that a command reads for itself. */
export interface FoundVariable {
  /** `undefined` if it is not set, or is set to the empty text. */
  readonly text: string | undefined
  /** {@link ENVIRONMENT}, `.env`, or the path of the file that holds the value. */
  readonly from: string | null
  /** Whether a `.env` has it that is not read in this environment. */
  readonly skipped: boolean
}

/** Where a variable of the environment itself comes from. */
export const ENVIRONMENT = 'the environment'

/**
 * Reads a variable as `env()` does: from the environment, else from `.env` in the folder; also as `NAME_FILE`.
 *
 * @throws CliError with status 2 when a file cannot be read.
 */
export function findVariable(name: string, cwd: string): FoundVariable {
  const { levels, problem } = levelsOf({}, { cwd })
  const variable = { name, isSecret: true, schemas: [] }
  const found = findTexts(new Map([[name, variable]]), levels).get(name)
  const mistake = problem ?? found?.problem
  if (mistake != null) throw new CliError({ status: 2, what: formatProblem(mistake) })
  const { text, from = null } = found ?? {}
  return { text, from, skipped: skippedNames({}, { cwd }).includes(name) }
}
