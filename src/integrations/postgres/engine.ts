import type { Logger } from '../../contracts/logger.js'
import type { PluginContext } from '../../contracts/plugin.js'
import { autocommit } from './autocommit.js'
import type { Driver } from './driver.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from './names.js'
import { type PostgresOptions, timeoutsOf } from './postgres-options.js'
import { Sessions } from './sessions.js'
import { applyForNow } from './throw-away-migrations.js'

/** What runs behind the `Database` of one application. */
export class Engine {
  readonly sessions: Sessions
  readonly #driver: Driver
  readonly #migrations: string | undefined
  #logger: Logger | undefined

  constructor(options: PostgresOptions, driver: Driver) {
    this.#driver = driver
    this.#migrations = options.migrations
    const { statementMs, idleInTransactionMs } = timeoutsOf(options)
    this.sessions = new Sessions(driver, {
      logger: this.logger,
      tenantRole: options.tenantRole ?? TENANT_ROLE,
      allTenantsRole: options.allTenantsRole ?? ALL_TENANTS_ROLE,
      statementMs,
      idleInTransactionMs,
    })
  }

  /** The log of the application. */
  readonly logger = (): Logger => {
    if (this.#logger !== undefined) return this.#logger
    throw new Error(
      'The database is used before the application has started: use it in onInit at the earliest.',
    )
  }

  /** Makes everything ready that a request needs. Throws where it cannot be: an application that cannot work does not start. */
  async start({
    logger,
    usesTenants,
  }: Pick<PluginContext, 'logger' | 'usesTenants'>): Promise<void> {
    this.#logger = logger
    this.sessions.start(usesTenants)
    await this.#driver.open({ logger })
    await this.check()
    await applyForNow(this.#driver, this.#migrations)
  }

  /** Throws where the database cannot be asked. */
  async check(): Promise<void> {
    await autocommit(this.#driver, { text: 'select 1' }, null)
  }

  /** After everything that may use it. */
  async onClose(): Promise<void> {
    await this.#driver.close()
  }
}
