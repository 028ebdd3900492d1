import type { Finding } from 'blazon/postgres'
import { formatProblem } from '../../errors/config-error.js'
import { CliError } from '../cli-error.js'
import type { Streams } from '../streams.js'
import { type DbOptions, databaseOf } from './db-options.js'
import { runDb } from './run-db.js'

/** Options of `db doctor`. */
export interface ExamineOptions extends DbOptions {
  readonly json?: boolean
}

/**
 * Prints problems that could give one tenant access to rows of another.
 *
 * @throws CliError with status 3 when one of the problems is an error.
 */
export async function examineDatabase(options: ExamineOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const findings = await runDb(({ doctor }) => doctor(database), database)
  if (options.json === true) streams.out(`${JSON.stringify(findings, null, 2)}\n`)
  else streams.out(findings.map(paragraph).join('\n'))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return streams.note('Nothing was found: tenants are kept apart.')
  const summary = `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
  if (errors === 0) return streams.note(summary)
  throw new CliError({ status: 3, what: summary })
}

function paragraph(finding: Finding): string {
  return `${finding.severity} ${formatProblem(finding)}\n`
}

function count(length: number, what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`
}
