import {
  formatProblem,
  HttpError,
  type Logger,
  Metrics,
  type PluginContext,
  Statements,
} from '../../index.js'
import { assertIsolation } from './doctor/inspect-database.js'
import type { Driver } from './driver.js'
import {
  type AppliedMigration,
  applyMigrations,
  prepareRoles,
} from './migrations/apply-migrations.js'
import type { RoleOptions } from './migrations/ensure-roles.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from './names.js'
import { type PostgresOptions, timeoutsOf } from './options/postgres-options.js'
import { poolMetrics } from './pool-metrics.js'
import { autocommit } from './sessions/autocommit.js'
import { Sessions } from './sessions/sessions.js'
import { unreachable } from './unreachable.js'

/** What the start of the database needs of the application. */
type Start = Pick<PluginContext, 'get' | 'logger' | 'usesTenants'>

/** The state of `postgres()` in one application. */
export class Engine {
  readonly sessions: Sessions
  readonly #options: PostgresOptions
  readonly #driver: Driver
  readonly #roles: RoleOptions
  #logger: Logger | undefined

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
  }

  /** The logger of the application. */
  readonly logger = (): Logger => {
    if (this.#logger !== undefined) return this.#logger
    throw new Error(
      'The database is used before the application has started: use it in onInit at the earliest.',
    )
  }

  /**
   * Opens the database, migrates it and checks it. Throws when one of these fails, so that an
   * application that cannot work does not start.
   */
  async start({ get, logger, usesTenants }: Start): Promise<void> {
    this.#logger = logger
    for (const metric of poolMetrics(this.#driver)) get(Metrics).add(metric)
    this.sessions.start(usesTenants, get(Statements))
    await this.#driver.open({ logger })
    await this.check().catch((error) => {
      throw unreachable(error)
    })
    // A test answers in place of a database: there is nothing to migrate, and nothing to examine.
    if (this.#driver.expect !== undefined) return
    await this.#migrate(usesTenants)
    const { doctor = process.env['NODE_ENV'] === 'production' } = this.#options
    if (usesTenants && doctor) await assertIsolation(this.#driver, { ...this.#roles, logger })
    else if (isDevelopment()) await this.#warn(usesTenants)
  }

  async #migrate(usesTenants: boolean): Promise<void> {
    const { migrations: folder } = this.#options
    const roles = usesTenants || this.#driver.isEmbedded ? this.#roles : null
    if (folder !== undefined) {
      // `isNewerAllowed`: during a deployment, an old version may start after the new one has
      // migrated.
      const log = ({ name, durationMs }: AppliedMigration) =>
        this.logger().info({ migration: name, durationMs }, 'Migrated')
      const options = { folder, roles, isNewerAllowed: true, onApplied: log }
      await applyMigrations(this.#driver, options)
    } else if (this.#driver.isEmbedded) {
      await prepareRoles(this.#driver, this.#roles)
    }
  }

  /** Its code is loaded here, because production does not use it. */
  async #warn(usesTenants: boolean): Promise<void> {
    const { findOmissions } = await import('./find-omissions.js')
    const { migrations } = this.#options
    const facts = { usesTenants, migrates: migrations !== undefined, ...this.#roles }
    const warnings = await findOmissions(this.#driver, facts)
    for (const warning of warnings)
      this.logger().warn({ code: warning.code }, formatProblem(warning))
  }

  /** Throws when the database does not respond to a query. */
  async check(): Promise<void> {
    await autocommit(this.#driver, { text: 'select 1' }, null)
  }

  /**
   * Throws when the database cannot be reached. If only all connections are in use, it does not
   * throw.
   */
  async checkReady(): Promise<void> {
    await this.check().catch((error) => {
      if (!HttpError.is(error) || error.code !== 'DATABASE_BUSY') throw error
    })
  }

  /** Called after everything that may use the database has closed. */
  async onClose(): Promise<void> {
    await this.#driver.close()
  }
}

/** Tests use databases of their own, and see at once what is missing. */
function isDevelopment(): boolean {
  return !['production', 'test'].includes(process.env['NODE_ENV'] ?? '')
}
