import { type Logger, runWithoutTenant, runWithTenant, TenantContext } from '../../index.js'
import { WorkContext } from '../../plugin/index.js'
import type { QueryResult, Statement } from './driver.js'
import { ALL_TENANTS } from './sessions/owner.js'
import type { Sessions } from './sessions/sessions.js'
import { checkTransactionOptions, type TransactionOptions } from './sessions/transaction-options.js'
import { sql } from './sql.js'

/** The dependencies of `Database`. */
export interface DatabaseParts {
  readonly sessions: Sessions
  readonly logger: () => Logger
}

/**
 * The database of an application. `postgres()` provides it, and this class is also its injection token.
 *
 * In a handler that runs for a tenant, all queries share one transaction for that tenant. The transaction is committed
 * before the first byte of the response, and rolled back if the request fails. In all other code, each query runs in
 * its own transaction unless it runs inside {@link Database.transaction}.
 *
 * @example
 * class OrdersRepository {
 *   private readonly db = inject(Database)
 *
 *   find(id: number) {
 *     return this.db.sql<Order>`select * from orders where id = ${id}`
 *   }
 * }
 */
export class Database {
  readonly #sessions: Sessions
  readonly #logger: () => Logger

  /** Only `postgres()` creates a `Database`. */
  constructor({ sessions, logger }: DatabaseParts) {
    this.#sessions = sessions
    this.#logger = logger
  }

  /**
   * Runs a statement.
   *
   * @param statement SQL with the placeholders `$1`, `$2`, … for its values, or a result of the {@link sql} template.
   * @param values The values for `$1`, `$2`, … They never become part of the SQL. Default: none.
   * @returns the rows, the row count and the columns.
   * @throws PostgresError if PostgreSQL refuses the statement; HttpError 503 `DATABASE_BUSY` if all connections are in
   * use; HttpError 503 `DATABASE_TIMEOUT`, `DATABASE_UNAVAILABLE` or `COMMIT_UNKNOWN` if the server does not respond or
   * cannot run statements; HttpError 400 `TENANT_REQUIRED` if the statement uses a tenant table and no tenant is set;
   * TenantSwitchError if a transaction of another tenant is open.
   */
  async query<TRow = Record<string, unknown>>(
    statement: string | Statement,
    values: readonly unknown[] = [],
  ): Promise<QueryResult<TRow>> {
    const whole = typeof statement === 'string' ? { text: statement, values } : statement
    return (await this.#sessions.query(whole)) as QueryResult<TRow>
  }

  /**
   * Runs a template and returns its rows. Every value in the template becomes a parameter.
   *
   * @throws the same errors as {@link Database.query}.
   * @example
   * const [order] = await db.sql<Order>`select * from orders where id = ${id}`
   */
  async sql<TRow = Record<string, unknown>>(
    strings: TemplateStringsArray,
    ...inputs: unknown[]
  ): Promise<TRow[]> {
    const { rows } = await this.query<TRow>(sql(strings, ...inputs))
    return rows
  }

  /**
   * Runs a function in one transaction. All queries that the function runs on this database, directly or indirectly,
   * belong to the transaction. It is committed when the function ends, and rolled back if the function throws. Inside
   * an open transaction, the function runs in a savepoint: it can be rolled back separately, and is committed with the
   * outer transaction.
   *
   * @param options `isolation`, and `retries` after a conflict with other transactions. Inside an open transaction, the
   * outer transaction determines both.
   * @returns the return value of the function.
   * @throws any error that the function throws; TypeError if it returns an async generator; ConfigError if an option is
   * invalid; Error if an open transaction has a different isolation level; the same errors as {@link Database.query}.
   * @example
   * await db.transaction(
   *   async () => {
   *     await accounts.withdraw(from, amount)
   *     await accounts.deposit(to, amount)
   *   },
   *   { isolation: 'serializable', retries: 3 },
   * )
   */
  async transaction<T>(fn: () => T | Promise<T>, options: TransactionOptions = {}): Promise<T> {
    checkTransactionOptions('transaction()', options)
    return await this.#sessions.block(this.#sessions.owner, () => settled(fn), options)
  }

  /**
   * Runs an async generator in one transaction, from its first item to its end. Use it for a cursor, or for changes
   * that must be saved together. The transaction is committed when the generator ends, before the reader receives the
   * end. It is rolled back if the generator throws, if the reader stops reading, at a deadline, and when the
   * application closes. In a request, the stream takes over the request's transaction. Inside {@link
   * Database.transaction}, the generator is part of that transaction.
   *
   * The stream holds a connection until its end. If the reader requests no item for `timeouts.idleInTransaction`, the
   * stream loses its connection.
   *
   * @param fn The generator function. It is called when the first item is requested.
   * @param options `isolation`. A stream is never retried.
   * @returns the items.
   * @throws ConfigError if an option is invalid; while the stream is being read: any error from the generator;
   * HttpError 503 `DATABASE_TIMEOUT` if the reader is too slow; the same errors as {@link Database.query}.
   * @example
   * @JsonLines(Order)
   * @Get('export')
   * export() {
   *   return this.db.stream(() => this.orders.all())
   * }
   */
  stream<T>(
    fn: () => AsyncIterable<T>,
    options: Pick<TransactionOptions, 'isolation'> = {},
  ): AsyncIterableIterator<T> {
    checkTransactionOptions('stream()', options)
    return this.#sessions.stream(fn, options)
  }

  /**
   * Runs a function after the commit of the request's transaction or of the outermost {@link Database.transaction},
   * before the response is sent. The function does not run if that transaction is rolled back. If no transaction is
   * open, it runs immediately. If it fails after a commit, the error is logged and nothing is rolled back.
   *
   * The response waits for the function for at most `timeouts.statement`: a mail server that takes three seconds adds
   * three seconds to the request. The function is stored only in memory, so if the process ends between the commit and
   * the function, the function never runs.
   *
   * Use it for short work that can be lost, such as invalidating a cache: before the commit, other requests still read
   * the old rows and could store them in the cache again. For work that must happen, such as sending a mail, insert a
   * row in the same transaction, and let a job process it.
   *
   * @example
   * await db.sql`update orders set status = 'paid' where id = ${id}`
   * await db.afterCommit(() => cache.invalidateTags(['orders']))
   */
  afterCommit(fn: () => unknown): Promise<void> {
    return this.#sessions.afterCommit(fn)
  }

  /**
   * Runs a function in one transaction for a tenant. Use it in jobs, and in other code that has no tenant. The caller
   * must ensure that the work is allowed to run for this tenant. Inside an open transaction of the same tenant, such as
   * the request's transaction, it behaves like {@link Database.transaction}.
   *
   * @param options The same as for {@link Database.transaction}.
   * @throws TypeError if the ID is invalid; TenantSwitchError inside a transaction of another owner; the same errors as
   * {@link Database.transaction}.
   */
  async withTenantTransaction<T>(
    id: string,
    fn: () => T | Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    checkTransactionOptions('withTenantTransaction()', options)
    const owner = { kind: 'tenant', id } as const
    return await runWithTenant(id, () => this.#sessions.block(owner, () => settled(fn), options))
  }

  /**
   * Runs a function in one transaction that can read and change the rows of every tenant. It uses the role
   * `allTenantsRole`, and logs the reason. In a job, nothing is logged, because the name of the job states the reason.
   *
   * @param reason The reason for the access to all tenants, for the log.
   * @throws TypeError if there is no reason; the same errors as {@link Database.transaction}.
   */
  withoutTenant<T>(reason: string, fn: () => T | Promise<T>): Promise<T> {
    const isLogged =
      TenantContext.current()?.host !== undefined || WorkContext.current() !== undefined
    return runWithoutTenant(reason, () => {
      if (!isLogged) this.#logger().info({ reason }, 'Run without a tenant')
      return this.#sessions.block(ALL_TENANTS, () => settled(fn))
    })
  }
}

async function settled<T>(fn: () => T | Promise<T>): Promise<T> {
  const value = await fn()
  if (!isGenerator(value)) return value
  throw new TypeError(
    'The transaction ended before the generator began to run. Put the loop that reads the generator inside the transaction, or run an async generator with db.stream().',
  )
}

// A Node stream, which has no `next`, is not refused: it may already be running.
function isGenerator(value: unknown): boolean {
  const generator = value as Partial<AsyncGenerator & Generator> | null | undefined
  if (typeof generator?.next !== 'function') return false
  return [Symbol.asyncIterator, Symbol.iterator].some(
    (key) => typeof generator[key as typeof Symbol.iterator] === 'function',
  )
}
