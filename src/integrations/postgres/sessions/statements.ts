import type { RunningStatement } from '../../../plugin/index.js'
import type { QueryResult } from '../driver.js'
import { classifyStatement } from '../statement-text.js'

/**
 * Rejects statements that begin or end a transaction. After such a `COMMIT`, the application would run without its
 * tenant's settings. Only the first command is checked, because a statement contains only one command.
 *
 * @throws Error for a statement that begins or ends a transaction.
 */
export function refuseControl(text: string): void {
  const { control } = classifyStatement(text)
  if (control === null) return
  throw new Error(
    `${control.toUpperCase()} cannot be sent as a query: use db.transaction(fn), which begins and ends a transaction.`,
  )
}

/** Lists the names of the tables with row-level security, whose rows belong to tenants. */
export const LIST_PROTECTED =
  "select relname as name from pg_catalog.pg_class where relrowsecurity and relkind in ('r', 'p')"

/**
 * The maximum number of statements whose result is cached, because an application that writes values into its
 * statements creates any number of different statements.
 */
const MOST_TEXTS = 1000
/** Longer statements are not cached: in a statement with one placeholder per value, clients determine the length. */
const LONGEST_TEXT = 4096

/**
 * Finds statements that use a tenant table while no tenant is set. They would return no rows, or PostgreSQL would
 * refuse them; this class only reports the problem earlier. It searches for words. If the search misses a table,
 * PostgreSQL still hides its rows.
 */
export class ProtectedTables {
  readonly #pattern: RegExp | null
  readonly #found = new Map<string, string | null>()

  constructor(names: readonly string[]) {
    const words = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    this.#pattern =
      words.length === 0 ? null : new RegExp(`(?<![\\w$])(?:${words.join('|')})(?![\\w$])`, 'i')
  }

  /** Returns the first tenant table in the statement; `null` if there is none. */
  find(text: string): string | null {
    if (this.#pattern === null) return null
    const known = this.#found.get(text)
    if (known !== undefined) return known
    const found = this.#pattern.exec(text)?.[0] ?? null
    if (text.length > LONGEST_TEXT) return found
    if (this.#found.size >= MOST_TEXTS) this.#found.clear()
    this.#found.set(text, found)
    return found
  }
}

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
