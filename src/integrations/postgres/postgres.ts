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
} from '../../plugin/index.js'
import { Database } from './database.js'
import { createDriver } from './drivers/create-driver.js'
import { Engine } from './engine.js'
import { EngineToken } from './engine-token.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { PostgresIdempotency } from './postgres-idempotency.js'
import { explainRefusal } from './refused-statement.js'
import type { Sessions } from './sessions/sessions.js'
import type { TransactionOptions } from './sessions/transaction-options.js'
import { transactionalOf } from './transactional.js'

/**
 * Creates a plugin for PostgreSQL in which the database itself separates the rows of tenants. It
 * provides {@link Database}. It needs the package `pg`, or `@electric-sql/pglite` for an embedded
 * database. Several applications may share one plugin: each opens and closes its own connections,
 * and with `embedded: 'memory'` each has its own data.
 *
 * @throws ConfigError at boot, when an option is wrong, the package is not installed, or the database cannot be reached.
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
        // A test has replaced the database, so no engine runs.
        useFactory: (database: unknown, engine: Engine) =>
          database instanceof Database ? new PostgresIdempotency(engine) : null,
      },
    ],
    async setup({ get, logger, usesTenants }) {
      // If a test has replaced `Database`, do not start the real engine.
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
      route.tenant === null && !needsTransaction(route) ? null : { errors: [503] },
    explain: explainRefusal,
    health: async ({ get }) => {
      if (get(Database) instanceof Database) await get(EngineToken).checkReady()
    },
  }
}

/** How the handler of a route uses transactions. */
interface TransactionUse extends Pick<RouteSetup, 'fail'> {
  /** The options of `@Transactional()` on the handler; `null` without it. */
  readonly options: TransactionOptions | null
  /** Whether every request of the route has a transaction, with or without a tenant. */
  readonly isNeeded: boolean
}

/** The record of a write with a key belongs to the transaction of its request. */
function needsTransaction(route: RouteModel): boolean {
  return transactionalOf(route) !== null || idempotencyOf(route) !== null
}

/** A handler that may run again commits when it returns: its response is made, and recorded, after that. */
function refuseRetries(route: RouteModel, options: TransactionOptions | null): void {
  if (idempotencyOf(route) === null || (options?.retries ?? 0) === 0) return
  const problem = {
    code: 'E_IDEMPOTENT_ROUTE',
    subject: `${route.name} @Idempotent()`,
    cause:
      'Its @Transactional() has `retries`, so its transaction ends before its response is made.',
    remedy: 'Remove `retries`: a client repeats the request.',
  } as const
  throw new ConfigError([problem])
}

function transactionStage(
  sessions: Sessions,
  { options, isNeeded, fail }: TransactionUse,
): StepFactory {
  return (next) => (req, res) => {
    // A request without a tenant gets a transaction only if its handler begins one.
    if (!isNeeded && sessions.owner?.kind !== 'tenant') return next(req, res)
    return sessions.intercept(req, res, {
      next: () => next(req, res),
      fail: (error) => fail(error, req, res),
      options,
    })
  }
}

/** Its code is loaded here, because only tests use it. */
async function answeredEngine(options: PostgresOptions, statements: Statements): Promise<Engine> {
  const { AnsweringDriver } = await import('./drivers/answering-driver.js')
  return new Engine(options, new AnsweringDriver(statements))
}
