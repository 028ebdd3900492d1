import { HttpError } from '../../../errors/http-error.js'
import type { Connection, Driver, QueryResult, Statement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import type { ApplySettings } from './session-settings.js'
import { commitUnknown } from './transaction.js'

/** Statements that a lost connection leaves no doubt about: they save nothing. */
const READS = /^\s*(?:select|show|table|values|explain)\b/i

/**
 * Runs one statement on a connection from the pool, and gives that back.
 *
 * @param settings Sets up a transaction for it, in the same flight; `null` for none.
 * @throws as {@link Connection.query}; HttpError 503 `COMMIT_UNKNOWN` where the connection was lost while something was written.
 */
export async function autocommit(
  driver: Driver,
  statement: Statement,
  settings: ApplySettings | null,
): Promise<QueryResult> {
  const connection = await driver.connect()
  try {
    const result = await (settings === null
      ? connection.query(statement)
      : inFlight(connection, statement, settings))
    connection.release()
    return result
  } catch (error) {
    if (isRefusal(error)) {
      connection.release()
      throw error
    }
    connection.destroy()
    throw HttpError.is(error) && !READS.test(statement.text) ? commitUnknown(error) : error
  }
}

/** A transaction that is sent as a whole: where the statement is refused, `COMMIT` rolls back. */
async function inFlight(
  connection: Connection,
  statement: Statement,
  settings: ApplySettings,
): Promise<QueryResult> {
  const answers = await Promise.allSettled([
    connection.query({ text: 'BEGIN' }),
    settings((each) => connection.query(each)),
    connection.query(statement),
    connection.query({ text: 'COMMIT' }),
  ])
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  return (answers[2] as PromiseFulfilledResult<QueryResult>).value
}
