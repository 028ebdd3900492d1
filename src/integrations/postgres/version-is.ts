import { expectedVersion, type Request } from '../../index.js'
import { type Sql, sql } from './sql.js'

/**
 * The condition that a row still has the version that a request of a route with `@Versioned()` expects, for the statement
 * that changes the row: of several writers with the same version, one changes the row. Always true if the client accepts any
 * version.
 *
 * @param req The request.
 * @param column The column of the version. A time is compared in milliseconds, as JavaScript reads it. Default `'version'`.
 * @throws Error in a request of a route without `@Versioned()`.
 * @example
 * const [note] = await db.sql`update notes set text = ${text}, version = version + 1
 *   where id = ${id} and ${versionIs(req)} returning *`
 * if (note === undefined) throw new PreconditionFailedError()
 */
export function versionIs(req: Request, column: string = 'version'): Sql {
  const version = expectedVersion(req)
  if (version === null) return sql`true`
  const name = sql.id(column)
  if (!(version instanceof Date)) return sql`${name} = ${version}`
  return sql`date_trunc('milliseconds', ${name}) = ${version}`
}
