import type { Duration } from '../../../index.js'
import { type Problem, toSeconds } from '../../../plugin/index.js'

/** The location of the database and its limits. Set either `url` or `embedded`. */
export interface PostgresOptions {
  /**
   * The URL of the database, `postgres://user:password@host:5432/database`, for PostgreSQL or a server that is
   * compatible with its protocol. The URL can contain several hosts, such as `one:5432,two:5432`, and
   * `target_session_attrs`, as in libpq. It needs the package `pg`.
   */
  readonly url?: string
  /**
   * A PostgreSQL database in this process: `'memory'` for a database that is empty whenever the application starts, or
   * the path of the folder in which it is stored. It is meant for development, tests and small applications, because it
   * has only one connection, so transactions wait for each other. It needs the package `@electric-sql/pglite`.
   */
  readonly embedded?: string
  /**
   * Additional options for `pg`'s `Pool`: `ssl`, `application_name`, … The default of `maxLifetimeSeconds` is 1800; 0
   * means no limit.
   */
  readonly poolOptions?: Readonly<Record<string, unknown>>
  /** The maximum number of open connections. Default: 10. An embedded database has one connection. */
  readonly connections?: number
  /**
   * A folder of migrations to apply when the application starts. Default: none; see
   * `blazon db migrate`.
   */
  readonly migrations?: string
  /**
   * A folder of migrations that must all be applied before the application is ready (`/readyz`). Use it if a deployment
   * step applies the migrations. The login must be able to read `blazon.migrations`: run
   * `blazon db migrate --login <role>`. Default: none.
   */
  readonly requireMigrations?: string
  /**
   * Whether an application with tenants refuses to start if `blazon db doctor` finds that the database does not
   * separate them. Default: `true` if `NODE_ENV` is `production`, otherwise `false`.
   */
  readonly doctor?: boolean
  /**
   * The role that runs statements if the application uses tenants. It must own nothing and must not be a superuser.
   * Default: `'app_tenant'`.
   */
  readonly tenantRole?: string
  /**
   * The role that runs statements in `withoutTenant`, which can read the rows of every tenant. Default:
   * `'app_all_tenants'`.
   */
  readonly allTenantsRole?: string
  /** Time limits for connections, statements and transactions. */
  readonly timeouts?: PostgresTimeouts
}

/** Time limits: seconds, or a string with a unit (`'250ms'`, `'2m'`). */
export interface PostgresTimeouts {
  /**
   * The maximum wait for a connection, including the time to connect. When it is exceeded, the response is a 503.
   * Default: 2 seconds.
   */
  readonly acquire?: Duration
  /**
   * The maximum duration of one statement. When it is exceeded, the response is a 503. It has no effect on an embedded
   * database, which cannot be interrupted. Default: 10 seconds.
   */
  readonly statement?: Duration
  /**
   * The maximum time in a transaction without a running statement. When it is exceeded, the transaction is rolled back
   * and its connection is closed. Default: 10 seconds.
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

/** Returns the maximum number of connections, with the default applied. */
export function sizeOf({ connections, embedded }: PostgresOptions): number {
  return embedded === undefined ? (connections ?? DEFAULT_CONNECTIONS) : 1
}

/** Returns the time limits in milliseconds, with the defaults applied. */
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
