import {
  type Clock,
  ConfigError,
  DatabaseLink,
  HttpError,
  IdempotencyStore,
  type Plugin,
  type RouteModel,
} from '../../index.js'
import {
  type IdempotencyClaim,
  type IdempotencyStoreContext,
  idempotencyOf,
  orStandIn,
  type RouteSetup,
  Statements,
  type StepFactory,
  tenancyOf,
} from '../../plugin/index.js'
import { Database } from './database.js'
import type { QueryResult } from './driver.js'
import { Engine, EngineToken } from './engine.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { briefCause, PostgresError } from './postgres-error.js'
import { explainRefusal } from './refused-statement.js'
import {
  HourlyPurge,
  idempotencyStatements,
  IDEMPOTENCY_TABLE as TABLE,
} from './schema/store-tables.js'
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

/**
 * Stores the responses of `@Idempotent()` in the request's transaction. A key is claimed with a transaction-level lock,
 * which is released with the transaction, even if the process or the connection ends.
 */
class PostgresIdempotency implements IdempotencyStore {
  readonly isShared = true
  readonly #engine: Engine
  #clock: Clock | undefined
  #purge: HourlyPurge | undefined

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async open(context: IdempotencyStoreContext): Promise<void> {
    const { clock } = context
    this.#clock = clock
    await this.#prepare(context.usesTenants)
    this.#purge = new HourlyPurge(
      context,
      () => this.#query(`delete from ${TABLE} where ends_at <= $1`, clock.now()),
      'Expired records of @Idempotent() could not be deleted',
    )
  }

  async close(): Promise<void> {
    await this.#purge?.close()
  }

  async claim(key: string, ttlMs: number): Promise<IdempotencyClaim> {
    // 64 bits of the digest suffice: a collision of two keys only results in a 409 response.
    const lock = Buffer.from(key, 'base64url').readBigInt64BE()
    const claimed = await this.#query(
      'select pg_catalog.pg_try_advisory_xact_lock($1::bigint) as "isMine"',
      String(lock),
    )
    if (claimed.rows[0]?.['isMine'] !== true) return { state: 'running' }
    // A separate statement is needed to read the changes that another transaction committed before it released the
    // lock.
    const now = (this.#clock as Clock).now()
    const found = await this.#query(
      `select record from ${TABLE} where key = $1 and ends_at > $2`,
      ...[key, now],
    )
    const [row] = found.rows
    if (row !== undefined) return { state: 'kept', record: String(row['record']) }
    return {
      state: 'claimed',
      keep: (record) => this.#keep({ key, record, now, endsAt: now + Math.ceil(ttlMs) }),
      free: () => {},
    }
  }

  async #keep(row: { key: string; record: string; now: number; endsAt: number }): Promise<void> {
    const { rowCount } = await this.#query(
      `insert into ${TABLE} as kept (key, record, ends_at) values ($1, $2, $3)
        on conflict (key) do update set record = excluded.record, ends_at = excluded.ends_at
        where kept.ends_at <= $4`,
      ...[row.key, row.record, row.endsAt, row.now],
    )
    if (rowCount === 1) return
    // With an `isolation` option, this transaction may be unable to see another transaction's record. The error then
    // rolls this transaction back.
    throw new HttpError(409, 'A request with this Idempotency-Key has just run', {
      code: 'IDEMPOTENCY_RUNNING',
      headers: { 'Retry-After': '1' },
    })
  }

  async #prepare(usesTenants: boolean): Promise<void> {
    const probe = () => this.#query(`select key, record, ends_at from ${TABLE} limit 0`)
    const known = await probe().catch(refusalOf)
    if (!(known instanceof PostgresError)) return
    const created = await this.#engine
      .createOwnTable(usesTenants, idempotencyStatements)
      .catch(refusalOf)
    // Another process may have created the table in the meantime.
    const failed = await probe().catch(refusalOf)
    if (failed instanceof PostgresError) throw tableError(created ?? failed)
  }

  #query(text: string, ...values: unknown[]): Promise<QueryResult> {
    return this.#engine.sessions.queryOwnTable({ text, values })
  }
}

function refusalOf(error: unknown): PostgresError {
  if (error instanceof PostgresError) return error
  throw error
}

function tableError(cause: PostgresError): ConfigError {
  const problem = {
    code: 'E_IDEMPOTENCY_TABLE',
    subject: `@Idempotent(): table ${TABLE}`,
    cause: `It can be neither read nor created: ${cause.message}`,
    remedy:
      'Call idempotencyTable() from blazon/postgres with the role that the application uses, and put the returned SQL into a migration.',
  } as const
  return new ConfigError([problem], { cause: briefCause(cause) })
}
