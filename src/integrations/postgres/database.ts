import { type Logger, runWithoutTenant, runWithTenant, TenantContext } from '../../index.js'
import type { QueryResult, Statement } from './driver.js'
import { ALL_TENANTS } from './sessions/owner.js'
import type { Sessions } from './sessions/sessions.js'
import { sql } from './sql.js'

/** What a `Database` is made of. */
export interface DatabaseParts {
  readonly sessions: Sessions
  readonly logger: () => Logger
}

/**
 * The database of an application: what `postgres()` provides, and the token that asks for it.
 *
 * In the handler of a tenant's request, all queries are one transaction in that tenant's name. It is committed before the first byte of the
 * answer, and rolled back where the request fails. Everywhere else each query is a transaction of its own, unless {@link Database.transaction} says
 * otherwise.
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

  /** Made by `postgres()`. */
  constructor({ sessions, logger }: DatabaseParts) {
    this.#sessions = sessions
    this.#logger = logger
  }

  /**
   * Runs a statement.
   *
   * @param statement SQL with `$1`, `$2`, … for its values, or what the template {@link sql} has made.
   * @param values Never become part of the text.
   * @throws PostgresError where PostgreSQL refuses it; HttpError 503 `DATABASE_BUSY`, `DATABASE_TIMEOUT`, `DATABASE_UNAVAILABLE` or `COMMIT_UNKNOWN`
   * where it has no answer; 400 `TENANT_REQUIRED` where it names a table of tenants and runs for none; TenantSwitchError where a transaction of
   * another tenant is open.
   */
  async query<TRow = Record<string, unknown>>(
    statement: string | Statement,
    values: readonly unknown[] = [],
  ): Promise<QueryResult<TRow>> {
    const whole = typeof statement === 'string' ? { text: statement, values } : statement
    return (await this.#sessions.query(whole)) as QueryResult<TRow>
  }

  /**
   * Runs a template and gives its rows: values become parameters. Throws as {@link Database.query}.
   *
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
   * Runs a function in one transaction: everything that it asks of this database, directly or through others, is saved when it has ended, or nothing is when it throws. In a
   * transaction that is open already, it is a part that is undone alone (a savepoint), and saved with the whole.
   *
   * @throws what the function throws; TypeError when it is an async generator; as {@link Database.query}.
   * @example
   * await db.transaction(async () => {
   *   await accounts.withdraw(from, amount)
   *   await accounts.deposit(to, amount)
   * })
   */
  transaction<T>(fn: () => T | Promise<T>): Promise<T> {
    return this.#sessions.block(this.#sessions.owner, () => settled(fn))
  }

  /**
   * Does something once what the code has changed is saved, before the answer is sent: at the end of the transaction of the request or of the outermost
   * {@link Database.transaction}. What is undone is not followed by it; where no transaction is open, it is done at once. A failure is logged, and undoes nothing.
   *
   * What others read meanwhile is what was: a cache that is invalidated before the commit may be filled again with it.
   *
   * @example
   * await db.sql`update orders set status = 'paid' where id = ${id}`
   * await db.afterCommit(() => cache.invalidateTags(['orders']))
   */
  afterCommit(fn: () => unknown): Promise<void> {
    return this.#sessions.afterCommit(fn)
  }

  /**
   * Runs a function in one transaction in a tenant's name: for jobs, and wherever no tenant is known. The id is believed. In a transaction of this tenant, that of a request for
   * one, it is a part of it as with {@link Database.transaction}.
   *
   * @throws TypeError when the id is none; TenantSwitchError in a transaction of somebody else; as {@link Database.transaction}.
   */
  withTenantTransaction<T>(id: string, fn: () => T | Promise<T>): Promise<T> {
    return runWithTenant(id, () => this.#sessions.block({ kind: 'tenant', id }, () => settled(fn)))
  }

  /**
   * Runs a function in one transaction that sees and changes the rows of every tenant, as the role `allTenantsRole`. The log says so, with the reason.
   *
   * @param reason For whoever reads the log.
   * @throws TypeError without a reason; as {@link Database.transaction}.
   */
  withoutTenant<T>(reason: string, fn: () => T | Promise<T>): Promise<T> {
    const isLogged = TenantContext.current()?.host !== undefined
    return runWithoutTenant(reason, () => {
      if (!isLogged) this.#logger().info({ reason }, 'Run without a tenant')
      return this.#sessions.block(ALL_TENANTS, () => settled(fn))
    })
  }
}

async function settled<T>(fn: () => T | Promise<T>): Promise<T> {
  const value = await fn()
  if (!isAsyncGenerator(value)) return value
  throw new TypeError(
    'The transaction ended before the async generator began to run. Put the loop that reads the generator inside the transaction.',
  )
}

// A stream has no `next`: it may well have begun.
function isAsyncGenerator(value: unknown): boolean {
  const generator = value as Partial<AsyncGenerator> | null | undefined
  return (
    typeof generator?.[Symbol.asyncIterator] === 'function' && typeof generator.next === 'function'
  )
}
