import { ConfigError } from '../../../index.js'
import type { Problem } from '../../../plugin/index.js'
import { UnclosedError } from '../sql-tokens.js'
import { lineAt } from './line-at.js'
import { type ScriptStatement, splitStatements } from './split-statements.js'

/** The cause of a problem, its position and the remedy. */
interface Fault {
  readonly at: number
  readonly cause: string
  readonly remedy: string
}

/**
 * Checks that a migration contains only statements that can be run, and none that would end its
 * transaction.
 *
 * @param name The name of its file.
 * @param directive The directive that its first line may contain.
 * @throws ConfigError with the first mistake: the text after it cannot be read with certainty.
 */
export function checkScript(name: string, text: string, directive: string): void {
  const fault = faultOfDirective(text, directive) ?? faultOfStatements(text)
  if (fault === undefined) return
  const { at, cause, remedy } = fault
  const subject = `${name}:${lineAt(text, at)}`
  throw new ConfigError([{ code: 'E_MIGRATION_FILE', subject, cause, remedy } satisfies Problem])
}

/**
 * Finds a directive that is misspelt or not in the first line. It would otherwise count as a
 * comment.
 */
function faultOfDirective(text: string, directive: string): Fault | undefined {
  const found = /^--[^\S\n]*blazon[^\S\n]*:.*$/m.exec(text)
  if (found === null || (found.index === 0 && found[0].trimEnd() === directive)) return undefined
  const cause = 'It looks like a directive, but it is not one.'
  return { at: found.index, cause, remedy: `The first line may be: ${directive}` }
}

function faultOfStatements(text: string): Fault | undefined {
  try {
    let isEmpty = true
    for (const statement of splitStatements(text)) {
      isEmpty = false
      const fault = faultOf(statement)
      if (fault !== undefined) return fault
    }
    return isEmpty ? EMPTY : undefined
  } catch (error) {
    if (!(error instanceof UnclosedError)) throw error
    const cause = 'A quote or a comment is opened here and never closed.'
    return { at: error.start, cause, remedy: 'Close it.' }
  }
}

const EMPTY: Fault = {
  at: 0,
  cause: 'It has no statement.',
  remedy: 'Write a statement, or delete the file: an applied migration cannot be changed.',
}

function faultOf(statement: ScriptStatement): Fault | undefined {
  const { start, backslash, isCopy, words } = statement
  if (backslash !== undefined) {
    const cause = 'A backslash begins a command of psql, and migrations do not run in psql.'
    return { at: backslash, cause, remedy: 'Remove the command; a migration is plain SQL.' }
  }
  if (isCopy) {
    const cause =
      'COPY would read rows from psql or write them to psql, and migrations do not run in psql.'
    return { at: start, cause, remedy: 'Write INSERT; pg_dump writes it with --inserts.' }
  }
  if (!endsTransaction(words)) return undefined
  const cause = `${words[0]?.toUpperCase()} would begin or end a transaction, and the whole migration runs in one transaction.`
  return { at: start, cause, remedy: 'Take it out.' }
}

function endsTransaction([first = '', ...rest]: readonly string[]): boolean {
  // `ROLLBACK TO SAVEPOINT` does not end the transaction.
  if (first === 'rollback') return !rest.includes('to')
  if (first === 'prepare' || first === 'start') return rest[0] === 'transaction'
  return ['begin', 'commit', 'end', 'abort'].includes(first)
}
