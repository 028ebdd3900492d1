// kysely.ts
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from 'blazon/postgres'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type Transaction,
  type TransactionBuilder,
  type TransactionSettings,
} from 'kysely'

/** Kysely on a `Database`: every query runs in the same transaction as a query of `db`, for the same tenant. */
export class DatabaseKysely<Tables> extends Kysely<Tables> {
  readonly #db: Database

  constructor(db: Database) {
    const dialect: Dialect = {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DatabaseDriver(db),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    }
    super({ dialect })
    this.#db = db
  }

  /** Begins, commits and rolls back as `db.transaction` does: inside another transaction, it is a savepoint. */
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = <T>(fn: (trx: Transaction<Tables>) => Promise<T>) =>
      this.#db.transaction(() => entrance.run({ isTaken: false }, () => execute(fn)))
    return builder
  }
}

/** Records that `transaction()` has begun a transaction, which the driver may take once. */
const entrance = new AsyncLocalStorage<{ isTaken: boolean }>()

/** The `Database` finds the connection of each statement, so the driver acquires and releases nothing. */
class DatabaseDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(db: Database) {
    this.#connection = new Connection(db)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(_: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const entered = entrance.getStore()
    const isPlain = settings.isolationLevel === undefined && settings.accessMode === undefined
    if (entered === undefined || entered.isTaken || !isPlain) {
      throw new Error(
        'Begin a transaction with kysely.transaction().execute(fn), or with db.transaction(fn).',
      )
    }
    entered.isTaken = true
  }

  async init(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class Connection implements DatabaseConnection {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount, command } = await this.#db.query<R>(sql, parameters)
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount) }
  }

  // biome-ignore lint/correctness/useYield: it only throws
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Cursors are not supported: query one page of rows at a time.')
  }
}
