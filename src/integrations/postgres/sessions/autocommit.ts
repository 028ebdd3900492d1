import { HttpError } from '../../../index.js'
import type { Connection, Driver, QueryResult, Statement } from '../driver.js'
import { judgeStatement } from '../judge-statement.js'
import { isRefusal } from '../postgres-error.js'
import type { Settings } from './session-settings.js'
import { assertCommitted, commitUnknown } from './transaction.js'

/**
 * Runs one statement on a connection from the pool, and gives that back.
 *
 * @param settings Sets up a transaction for it, in the same flight; `null` for none.
 * @throws as {@link Connection.query}; HttpError 503 `COMMIT_UNKNOWN` where the connection was lost while something was written.
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
    throw HttpError.is(error) && !judgeStatement(statement.text).reads
      ? commitUnknown(error)
      : error
  }
}

/** A transaction that is sent as a whole: what stands behind something that is refused is not run, and `COMMIT` then rolls back. */
async function inFlight(
  connection: Connection,
  statement: Statement,
  settings: Settings,
): Promise<QueryResult> {
  const [begun, set, answer, commit] = await Promise.allSettled([
    ...connection.fly([{ text: 'BEGIN' }, settings.statement, statement]),
    connection.query({ text: 'COMMIT' }),
  ])
  answerOf(begun)
  if (set?.status === 'rejected') throw settings.explain(set.reason)
  const result = answerOf(answer)
  assertCommitted(answerOf(commit))
  return result
}

function answerOf<T>(answer: PromiseSettledResult<T> | undefined): T {
  if (answer?.status === 'fulfilled') return answer.value
  throw answer?.reason
}
