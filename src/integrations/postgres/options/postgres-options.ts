import type { Duration } from '../../../index.js'
import { type Problem, toSeconds } from '../../../plugin/index.js'

/** The location of the database and its limits. Set either `url` or `embedded`. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:5432/database`, for PostgreSQL or a server with its protocol. It may have several
   * hosts, `one:5432,two:5432`, and `target_session_attrs`, as in libpq. Needs the package `pg`.
   */
  readonly url?: string
  /**
   * A PostgreSQL in this process: `'memory'` for a database that is empty at each start of the
   * application, or the path of a folder in which it is stored. For development, tests and small
   * applications: it has one connection, so transactions wait for each other. Needs the package
   * `@electric-sql/pglite`.
   */
  readonly embedded?: string
  /**
   * More options for the `Pool` of `pg`: `ssl`, `application_name`, … `maxLifetimeSeconds` is 1800 by default, and 0
   * for no limit.
   */
  readonly poolOptions?: Readonly<Record<string, unknown>>
  /** The maximum number of open connections. Default 10. An embedded database has one. */
  readonly connections?: number
  /**
   * A folder of migrations to apply when the application starts. Default: none; see
   * `blazon db migrate`.
   */
  readonly migrations?: string
  /**
   * A folder of migrations that must all be applied, else the application is not ready (`/readyz`). For migrations that a step of
   * the deployment applies. The login must be able to read `blazon.migrations`: `blazon db migrate --login <role>`. Default: none.
   */
  readonly requireMigrations?: string
  /**
   * Whether an application with tenants refuses to start if `blazon db doctor` finds that the
   * database does not keep them apart. Default: `true` if `NODE_ENV` is `production`, otherwise
   * `false`.
   */
  readonly doctor?: boolean
  /**
   * The role as which statements run when the application uses tenants. It must own nothing and
   * must not be a superuser. Default `'app_tenant'`.
   */
  readonly tenantRole?: string
  /**
   * The role of `withoutTenant`, which sees the rows of every tenant. Default `'app_all_tenants'`.
   */
  readonly allTenantsRole?: string
  /** Time limits for connections, statements and transactions. */
  readonly timeouts?: PostgresTimeouts
}

/** Time limits: seconds, or a string with a unit (`'250ms'`, `'2m'`). */
export interface PostgresTimeouts {
  /** The wait for a connection, including the time to connect. Default 2 s. After that: 503. */
  readonly acquire?: Duration
  /**
   * One statement. Default 10 s. After that: 503. Has no effect on an embedded database, which
   * cannot be interrupted.
   */
  readonly statement?: Duration
  /**
   * A transaction in which no statement runs. Default 10 s. After that, it is rolled back and its
   * connection is closed.
   */
  readonly idleInTransaction?: Duration
}

/** The time limits in milliseconds. */
export interface ReadTimeouts {
  readonly acquireMs: number
  readonly statementMs: number
  readonly idleInTransactionMs: number
}

const DEFAULT_CONNECTIONS = 10

/** The maximum number of connections, with the default applied. */
export function sizeOf({ connections, embedded }: PostgresOptions): number {
  return embedded === undefined ? (connections ?? DEFAULT_CONNECTIONS) : 1
}

/** The time limits in milliseconds, with the defaults applied. */
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

/** Creates the problem for an option with an invalid value. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
