import type { RunningStatement } from '../../../plugin/index.js'
import type { QueryResult } from '../driver.js'

/** Runs a statement, and reports its result or its error. */
export async function reported(
  running: RunningStatement,
  run: () => Promise<QueryResult>,
): Promise<QueryResult> {
  try {
    const result = await run()
    running.end(result)
    return result
  } catch (error) {
    running.fail(error)
    throw error
  }
}
