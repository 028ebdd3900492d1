import { toSeconds } from '../../../http/units.js'
import type { Duration } from '../../../index.js'

/** Where the database is, and how long it may take. Either `url` or `embedded` is given. */
export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`, of PostgreSQL or what speaks its protocol. Needs the package `pg`. */
  readonly url?: string
  /**
   * A PostgreSQL in this process: `'memory'`, empty with each start of the application, or the path of a folder that keeps it.
   * For development, tests and small things: it has one connection, so transactions wait for each other. Needs `@electric-sql/pglite`.
   */
  readonly embedded?: string
  /** Options of `pg`'s `Pool` beside those below: `ssl`, `application_name`, … */
  readonly poolOptions?: Readonly<Record<string, unknown>>
  /** How many connections there may be at the same time. Default 10. An embedded database has one. */
  readonly connections?: number
  /** A folder of migrations, applied at the start of the application. Default: none; see `blazon db migrate`. */
  readonly migrations?: string
  /**
   * Whether the application, if it uses tenants, starts only where the database keeps them apart, as `blazon db doctor` finds. Default: where `NODE_ENV` is `production`.
   */
  readonly doctor?: boolean
  /** The role that statements run as where tenants are used; it owns nothing and is no superuser. Default `'app_tenant'`. */
  readonly tenantRole?: string
  /** The role of `withoutTenant`, which sees the rows of every tenant. Default `'app_all_tenants'`. */
  readonly allTenantsRole?: string
  /** How long connections, statements and transactions may take. */
  readonly timeouts?: PostgresTimeouts
}

/** How long things may take: seconds, or a string with a unit (`'250ms'`, `'2m'`). */
export interface PostgresTimeouts {
  /** The wait for a connection, its making included. Default 2 s, then 503. */
  readonly acquire?: Duration
  /** One statement. Default 10 s, then 503. An embedded database does not count: it cannot be interrupted. */
  readonly statement?: Duration
  /** A transaction in which nothing happens. Default 10 s, then it is rolled back and its connection ended. */
  readonly idleInTransaction?: Duration
}

/** The timeouts, in milliseconds. */
export interface ReadTimeouts {
  readonly acquireMs: number
  readonly statementMs: number
  readonly idleInTransactionMs: number
}

const DEFAULT_CONNECTIONS = 10

/** How many connections there may be at the same time. */
export function sizeOf({ connections, embedded }: PostgresOptions): number {
  return embedded === undefined ? (connections ?? DEFAULT_CONNECTIONS) : 1
}

/** How long things may take. */
export function timeoutsOf({ timeouts = {} }: PostgresOptions): ReadTimeouts {
  const { acquire = '2s', statement = '10s', idleInTransaction = '10s' } = timeouts
  return {
    acquireMs: toMs(acquire),
    statementMs: toMs(statement),
    idleInTransactionMs: toMs(idleInTransaction),
  }
}

function toMs(duration: Duration): number {
  return Math.max(1, Math.round((toSeconds(duration) as number) * 1000))
}
