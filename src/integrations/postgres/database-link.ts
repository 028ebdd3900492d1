import type { DatabaseLink, LinkRow } from '../../index.js'
import type { Driver, Statement } from './driver.js'
import { splitStatements } from './migrations/split-statements.js'
import type { Sessions } from './sessions/sessions.js'

/** The database for plugins that keep tables of their own in it. */
export function databaseLink(driver: Driver, sessions: Sessions): DatabaseLink {
  return {
    connections: driver.size,
    isEmbedded: driver.isEmbedded,
    isReal: driver.expect === undefined,
    run: (text, values) => runAlone(driver, text, values),
    join: (fn) =>
      sessions.asLogin((send) =>
        fn(async (text, values) => (await send({ text, ...(values && { values }) })).rows),
      ),
    transaction: (fn) => sessions.block(sessions.owner, fn),
    afterCommit: (fn) => sessions.afterCommit(fn),
  }
}

/** A script may have `BEGIN` and `COMMIT`, so after a failure the state of the connection is unknown. */
async function runAlone(
  driver: Driver,
  text: string,
  values: readonly unknown[] = [],
): Promise<LinkRow[]> {
  const connection = await driver.connect()
  try {
    const rows: LinkRow[] = []
    for (const statement of statementsOf(text, values)) {
      rows.push(...(await connection.query(statement)).rows)
    }
    connection.release()
    return rows
  } catch (error) {
    connection.destroy()
    throw error
  }
}

function* statementsOf(text: string, values: readonly unknown[]): Generator<Statement> {
  if (values.length > 0) return yield { text, values }
  for (const each of splitStatements(text)) yield { text: each.text }
}
