import type { DatabaseLink as DatabaseLinkPort } from '../contracts/database.js'
import { InjectionToken } from './token.js'

/** The database of an application, for the tables of a plugin; see the members. */
export type DatabaseLink = DatabaseLinkPort

/**
 * The token of the database in which a plugin keeps tables of its own. `postgres()` provides it.
 *
 * @example
 * const outbox: Plugin = {
 *   name: 'outbox',
 *   setup: ({ get }) => get(DatabaseLink).run('create table if not exists outbox (id uuid primary key)'),
 * }
 */
export const DatabaseLink: InjectionToken<DatabaseLink> = new InjectionToken<DatabaseLink>(
  'DatabaseLink: it needs postgres() of blazon/postgres in `plugins`',
)
