import {
  ConfigError,
  type DatabaseLink,
  HttpError,
  InjectionToken,
  type LinkRow,
  type Logger,
  Metrics,
} from '../../index.js'
import { formatProblem, type Metric, type PluginContext, Statements } from '../../plugin/index.js'
import { assertIsolation } from './doctor/inspect-database.js'
import type { Driver, Statement } from './driver.js'
import {
  type AppliedMigration,
  applyMigrations,
  prepareRoles,
  readStatus,
} from './migrations/apply-migrations.js'
import { stateInMemory } from './migrations/history.js'
import { splitStatements } from './migrations/split-statements.js'
import { type PostgresOptions, timeoutsOf } from './options/postgres-options.js'
import { briefCause, textOf } from './postgres-error.js'
import type { RoleOptions } from './roles.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from './schema/names.js'
import { autocommit } from './sessions/autocommit.js'
import { Sessions } from './sessions/sessions.js'

type Start = Pick<PluginContext, 'get' | 'logger' | 'usesTenants'>

const READ_ONLY = `select pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly"`

/** The state of `postgres()` in one application. */
export class Engine {
  readonly sessions: Sessions
  /** The database for other plugins. */
  readonly link: DatabaseLink
  readonly #options: PostgresOptions
  readonly #driver: Driver
  readonly #roles: RoleOptions
  #logger: Logger | undefined
  /** Whether the server has rejected a write because it is read-only and no later check has found it writable. */
  #isReadOnly = false
  /** Whether all migrations of `requireMigrations` are known to be applied. */
  #areApplied = false

  constructor(options: PostgresOptions, driver: Driver) {
    this.#options = options
    this.#driver = driver
    const { tenantRole = TENANT_ROLE, allTenantsRole = ALL_TENANTS_ROLE } = options
    this.#roles = { tenantRole, allTenantsRole }
    const { statementMs, idleInTransactionMs } = timeoutsOf(options)
    this.sessions = new Sessions(driver, {
      logger: this.logger,
      ...this.#roles,
      statementMs,
      idleInTransactionMs,
      isEmbedded: driver.isEmbedded,
    })
    this.link = databaseLink(driver, this.sessions)
  }

  /** Returns the logger of the application. */
  readonly logger = (): Logger => {
    if (this.#logger !== undefined) return this.#logger
    throw new Error(
      'The database was used before the application started. Use it in onInit or later.',
    )
  }

  /**
   * Opens, migrates and checks the database. Throws if a step fails, so that an application that cannot work does not
   * start.
   */
  async start({ get, logger, usesTenants }: Start): Promise<void> {
    this.#logger = logger
    for (const metric of poolMetrics(this.#driver)) get(Metrics).add(metric)
    this.sessions.start(usesTenants, get(Statements))
    const onReadOnly = () => {
      this.#isReadOnly = true
    }
    const state = await stateInMemory(this.#options, this.#roles)
    await this.#driver.open({ logger, onReadOnly, state })
    await this.#isWritable().catch((error) => {
      throw unreachable(error)
    })
    // If a test provides the results instead of a database, there is nothing to migrate or examine.
    if (this.#driver.expect !== undefined) return
    await this.#migrate(usesTenants)
    if (state !== undefined) await this.#driver.remember?.(state)
    const { doctor = process.env['NODE_ENV'] === 'production' } = this.#options
    if (usesTenants && doctor) await assertIsolation(this.#driver, { ...this.#roles, logger })
    else if (isDevelopment()) await this.#warn(usesTenants)
  }

  /**
   * Creates one of the package's own tables, as the login.
   *
   * @param statementsFor Returns the statements for the role that uses the table; `null` stands for the login.
   */
  async createOwnTable(
    usesTenants: boolean,
    statementsFor: (role: string | null) => readonly string[],
  ): Promise<void> {
    const role = usesTenants ? this.#roles.allTenantsRole : null
    for (const text of statementsFor(role)) await autocommit(this.#driver, { text }, null)
  }

  async #migrate(usesTenants: boolean): Promise<void> {
    const { migrations: folder } = this.#options
    const roles = usesTenants || this.#driver.isEmbedded ? this.#roles : null
    if (folder !== undefined) {
      const log = ({ name, durationMs }: AppliedMigration) =>
        this.logger().info({ migration: name, durationMs }, 'Migrated')
      // During a deployment, an old version of the application may start after the new version has migrated.
      const onNewer = (migrations: readonly string[]) =>
        this.logger().info(
          { migrations },
          'The database has migrations of a newer version of the application',
        )
      await applyMigrations(this.#driver, { folder, roles, onNewer, onApplied: log })
    } else if (this.#driver.isEmbedded) {
      await prepareRoles(this.#driver, this.#roles)
    }
  }

  /** Loads the checks lazily, because they are not used in production. */
  async #warn(usesTenants: boolean): Promise<void> {
    const { findOmissions } = await import('./find-omissions.js')
    const { migrations } = this.#options
    const facts = { usesTenants, migrates: migrations !== undefined, ...this.#roles }
    const warnings = await findOmissions(this.#driver, facts)
    for (const warning of warnings)
      this.logger().warn({ code: warning.code }, formatProblem(warning))
  }

  /** Whether the database accepts writes. Throws if it does not respond to a query. */
  async #isWritable(): Promise<boolean> {
    const connection = await this.#driver.connect()
    try {
      const { rows } = await connection.query({ text: READ_ONLY })
      const isWritable = rows[0]?.['isReadOnly'] !== true
      // After a refused write, a read-only connection is closed, because the address may now lead to another server.
      if (isWritable || !this.#isReadOnly) connection.release()
      return isWritable
    } finally {
      connection.destroy()
    }
  }

  /**
   * Throws if the database cannot be reached, if it has refused a write and still does not accept writes, or if
   * required migrations are pending. If all connections are in use, the check for writes is skipped.
   */
  async checkReady(): Promise<void> {
    const isWritable = await this.#isWritable().catch((error) => {
      if (!HttpError.is(error) || error.code !== 'DATABASE_BUSY') throw error
    })
    if (isWritable === true) this.#isReadOnly = false
    if (this.#isReadOnly) throw new Error('The database does not accept writes.')
    await this.#checkMigrations()
  }

  /**
   * Checks that all required migrations are applied. A positive result is cached, because applied migrations stay
   * applied.
   */
  async #checkMigrations(): Promise<void> {
    const { requireMigrations: folder } = this.#options
    if (folder === undefined || this.#areApplied) return
    const states = await readStatus(this.#driver, folder)
    const open = states.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name)
    if (open.length > 0) {
      throw new Error(`Migrations are pending: ${open.join(', ')}. Run: npx blazon db migrate`)
    }
    this.#areApplied = true
  }

  /** Closes the database. Runs after all code that may use the database has been closed. */
  async onClose(): Promise<void> {
    await this.#driver.close()
    this.sessions.close()
  }
}

/**
 * The token for the {@link Engine}. Its name appears in the error message if an application has two `postgres()`
 * plugins.
 */
export const EngineToken: InjectionToken<Engine> = new InjectionToken<Engine>(
  'postgres(): an application can have only one',
)

/** Whether this is development. Tests use separate databases and fail immediately if a table or role is missing. */
function isDevelopment(): boolean {
  return !['production', 'test'].includes(process.env['NODE_ENV'] ?? '')
}

/**
 * Converts the error for an unreachable database into a ConfigError with the reason from the server or the network.
 * Returns any other error unchanged. No message contains the URL, because it may contain a password.
 */
function unreachable(error: unknown): unknown {
  if (!HttpError.is(error)) return error
  const problem = {
    code: 'E_DATABASE_UNREACHABLE',
    subject: 'postgres()',
    cause: `The database cannot be reached: ${textOf(error.cause)}.`,
    remedy:
      'Check that the server is running, and that `url` has the host, the port, the database, the user and the password.',
  } as const
  return new ConfigError([problem], { cause: briefCause(error) })
}

/** The metrics of the database connections. */
export function poolMetrics(driver: Pick<Driver, 'size' | 'usage'>): Metric[] {
  return [
    gauge('db_client_connections_used', 'Connections that are in use.', () => driver.usage().lent),
    gauge('db_client_connections_max', 'The maximum number of connections.', () => driver.size),
    gauge('db_client_connections_waiting', 'Callers that are waiting for a connection.', () => {
      return driver.usage().waiting
    }),
  ]
}

function gauge(name: string, help: string, read: () => number): Metric {
  return { name, help, type: 'gauge', read }
}

/** Creates the access to the database for plugins that store tables in it. */
function databaseLink(driver: Driver, sessions: Sessions): DatabaseLink {
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

/**
 * Runs a script on a separate connection. The script may contain `BEGIN` and `COMMIT`, so after a failure the
 * connection's state is unknown.
 */
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
