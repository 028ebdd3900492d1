import { HttpError } from '../../../index.js'
import type { Connection, Driver, QueryResult, Statement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { classifyStatement } from '../statement-text.js'
import { assertCommitted, commitUnknown } from './transaction.js'
import { BEGIN, type Settings } from './transaction-start.js'

/**
 * Takes a connection from the pool, runs one statement on it and releases the connection.
 *
 * @param settings The transaction settings for this statement, which are sent in the same flight. With `null`, the
 * statement runs without a transaction.
 * @throws the errors of {@link Connection.query}; HttpError 503 `COMMIT_UNKNOWN` if the connection was lost and the
 * statement may have written data.
 */
export async function autocommit(
  driver: Driver,
  statement: Statement,
  settings: Settings | null,
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
    throw HttpError.is(error) && !classifyStatement(statement.text).reads
      ? commitUnknown(error)
      : error
  }
}

/**
 * Sends a whole transaction as one flight. If the server refuses one statement, it does not run the later ones, and
 * `COMMIT` then rolls back.
 */
async function inFlight(
  connection: Connection,
  statement: Statement,
  settings: Settings,
): Promise<QueryResult> {
  const [begun, set, ran, commit] = await Promise.allSettled([
    ...connection.sendTogether([BEGIN, settings.statement, statement]),
    connection.query({ text: 'COMMIT' }),
  ])
  resultOf(begun)
  if (set?.status === 'rejected') throw settings.explain(set.reason)
  const result = resultOf(ran)
  assertCommitted(resultOf(commit))
  return result
}

function resultOf<T>(settled: PromiseSettledResult<T> | undefined): T {
  if (settled?.status === 'fulfilled') return settled.value
  throw settled?.reason
}
