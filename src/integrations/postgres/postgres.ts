import {
  ConfigError,
  DatabaseLink,
  IdempotencyStore,
  type Plugin,
  type RouteModel,
} from '../../index.js'
import {
  idempotencyOf,
  orStandIn,
  type RouteSetup,
  Statements,
  type StepFactory,
  tenancyOf,
} from '../../plugin/index.js'
import { Database } from './database.js'
import { Engine, EngineToken } from './engine.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { PostgresIdempotency } from './postgres-idempotency.js'
import { explainRefusal } from './refused-statement.js'
import type { Sessions } from './sessions/sessions.js'
import type { TransactionOptions } from './sessions/transaction-options.js'
import { transactionalOf } from './transactional.js'
import { createDriver } from './with-driver.js'

/**
 * Creates a plugin for PostgreSQL. The database itself separates the rows of tenants. The plugin provides {@link
 * Database}. It needs the package `pg`, or `@electric-sql/pglite` for an embedded database. Several applications can
 * share one plugin. Each of them opens and closes its own connections, and with `embedded: 'memory'`, each has its own
 * data.
 *
 * @throws ConfigError at boot if an option is invalid, the package is not installed, or the database cannot be reached.
 * @example
 * new App({ plugins: [postgres({ url: process.env.DATABASE_URL })], tenant: {} })
 */
export function postgres(options: PostgresOptions): Plugin {
  return orStandIn(
    () => {
      checkPostgresOptions('postgres()', options)
      return databasePlugin(options)
    },
    () => databasePlugin({ embedded: 'memory' }),
  )
}

function databasePlugin(options: PostgresOptions): Plugin {
  return {
    name: 'postgres',
    providers: [
      {
        token: EngineToken,
        inject: [Statements],
        useFactory: (statements: Statements) =>
          statements.areAnswered
            ? answeredEngine(options, statements)
            : new Engine(options, createDriver(options)),
      },
      {
        token: DatabaseLink,
        inject: [EngineToken],
        useFactory: ({ link }: Engine) => link,
      },
      {
        token: Database,
        inject: [EngineToken],
        useFactory: ({ sessions, logger }: Engine) => new Database({ sessions, logger }),
      },
      {
        token: IdempotencyStore,
        inject: [Database, EngineToken],
        // If a test has replaced the database, no engine is running, so there is no store.
        useFactory: (database: unknown, engine: Engine) =>
          database instanceof Database ? new PostgresIdempotency(engine) : null,
      },
    ],
    async setup({ get, logger, usesTenants }) {
      // If a test has replaced `Database`, the real engine is not started.
      if (get(Database) instanceof Database)
        await get(EngineToken).start({ get, logger, usesTenants })
    },
    steps(route, { get, usesTenants, fail }) {
      if (!(get(Database) instanceof Database)) return null
      const options = transactionalOf(route)
      const isNeeded = needsTransaction(route)
      refuseRetries(route, options)
      if (!usesTenants && !isNeeded) return null
      const { sessions } = get(EngineToken)
      return { aroundHandler: transactionStage(sessions, { options, isNeeded, fail }) }
    },
    contract: (route) =>
      tenancyOf(route) === undefined && !needsTransaction(route) ? null : { errors: [503] },
    explain: explainRefusal,
    health: async ({ get }) => {
      if (get(Database) instanceof Database) await get(EngineToken).checkReady()
    },
  }
}

interface TransactionUse extends Pick<RouteSetup, 'fail'> {
  /** The options of `@Transactional()` on the handler; `null` without the decorator. */
  readonly options: TransactionOptions | null
  /** Whether every request of the route has a transaction, with or without a tenant. */
  readonly isNeeded: boolean
}

/**
 * Whether every request of the route needs a transaction: because of `@Transactional()`, or because the record of
 * `@Idempotent()` belongs to the request's transaction.
 */
function needsTransaction(route: RouteModel): boolean {
  return transactionalOf(route) !== null || idempotencyOf(route) !== null
}

/**
 * Refuses retries on a route with `@Idempotent()`: with retries, a handler's transaction commits when the handler
 * returns, but the response is created and recorded afterwards.
 */
function refuseRetries(route: RouteModel, options: TransactionOptions | null): void {
  if (idempotencyOf(route) === null || (options?.retries ?? 0) === 0) return
  const problem = {
    code: 'E_IDEMPOTENT_ROUTE',
    subject: `${route.name} @Idempotent()`,
    cause:
      'Its @Transactional() has `retries`, so the transaction ends before the response is created.',
    remedy: 'Remove `retries`: the client repeats the request instead.',
  } as const
  throw new ConfigError([problem])
}

function transactionStage(
  sessions: Sessions,
  { options, isNeeded, fail }: TransactionUse,
): StepFactory {
  return (next) => (req, res) => {
    // A request without a tenant gets a transaction only if its handler starts one.
    if (!isNeeded && sessions.owner?.kind !== 'tenant') return next(req, res)
    return sessions.intercept(req, res, {
      next: () => next(req, res),
      fail: (error) => fail(error, req, res),
      options,
    })
  }
}

/** Loads the driver lazily, because only tests use it. */
async function answeredEngine(options: PostgresOptions, statements: Statements): Promise<Engine> {
  const { AnsweringDriver } = await import('./drivers/answering-driver.js')
  return new Engine(options, new AnsweringDriver(statements))
}
