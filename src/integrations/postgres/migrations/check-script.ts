import { ConfigError, type Problem } from '../../../index.js'
import { UnclosedError } from '../sql-tokens.js'
import { lineAt } from './line-at.js'
import { type ScriptStatement, splitStatements } from './split-statements.js'

/** What is wrong, where, and what to do. */
interface Fault {
  readonly at: number
  readonly cause: string
  readonly remedy: string
}

/**
 * Holds a migration to what can be run: statements, and nothing that would end the transaction it runs in.
 *
 * @param name Of its file.
 * @param directive What its first line may say.
 * @throws ConfigError with the first thing that is wrong: what follows it cannot be read with certainty.
 */
export function checkScript(name: string, text: string, directive: string): void {
  const fault = faultOfDirective(text, directive) ?? faultOfStatements(text)
  if (fault === undefined) return
  const { at, cause, remedy } = fault
  const subject = `${name}:${lineAt(text, at)}`
  throw new ConfigError([{ code: 'E_MIGRATION_FILE', subject, cause, remedy } satisfies Problem])
}

/** A directive that is misspelt, or too late to be one, must not be taken for a comment. */
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
  // As in ROLLBACK TO SAVEPOINT.
  if (first === 'rollback') return !rest.includes('to')
  if (first === 'prepare' || first === 'start') return rest[0] === 'transaction'
  return ['begin', 'commit', 'end', 'abort'].includes(first)
}
