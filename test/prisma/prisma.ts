// prisma.ts
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import {
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils'
import { type Database, PostgresError } from 'blazon/postgres'
import { type Prisma, PrismaClient } from './generated/client.js'

type Tx = Prisma.TransactionClient

/** Prisma's client without the methods that would need a separate connection. */
export type DatabasePrisma = Omit<Tx, '$transaction'> & {
  $transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>
}

/** One call of the client, while Prisma works on it. */
interface Errand {
  readonly isRead: boolean
  part?: Part
  /** An error of the database that Prisma would replace with its own. */
  failure?: unknown
}

const errands = new AsyncLocalStorage<Errand>()
const READS = /^(find|count|aggregate|groupBy)/

/**
 * Prisma on a `Database`: every operation runs in the same transaction as a query of `db`, for the same tenant.
 *
 * One client serves all tenants, and Prisma sends the queries of one tick together, in the async context of the first
 * caller. So each operation runs in a transaction that Prisma begins at once for its caller, and no query may reach
 * the database without one.
 */
export function prismaOf(db: Database): DatabasePrisma {
  // The timeouts of `postgres()` apply. Those of Prisma must not end a transaction earlier.
  const transactionOptions = { maxWait: 3_600_000, timeout: 3_600_000 }
  const client = new PrismaClient({ adapter: new Adapter(db), transactionOptions })

  async function transact<T>(fn: (tx: Tx) => Promise<T>, isRead = false): Promise<T> {
    const errand: Errand = { isRead }
    try {
      // Queries of `fn` through `db` or this client are part of the transaction, too. Prisma starts a query when it is awaited.
      return await errands.run(errand, () =>
        client.$transaction((tx) => (errand.part as Part).run(async () => await fn(tx))),
      )
    } catch (error) {
      const isPrismas = error instanceof Error && error.name.startsWith('PrismaClient')
      throw isPrismas && errand.failure !== undefined ? errand.failure : error
    }
  }

  const extended = client.$extends({
    client: { $transaction: <T>(fn: (tx: Tx) => Promise<T>): Promise<T> => transact(fn) },
    query: {
      $allOperations: ({ model, operation, args }) =>
        transact((tx) => perform(tx, { model, operation, args }), READS.test(operation)),
    },
  })
  // The object has this shape; Prisma's types of an extended client do not say so.
  return extended as unknown as DatabasePrisma
}

interface Operation {
  readonly model: string | undefined
  readonly operation: string
  readonly args: unknown
}

async function perform(tx: Tx, { model, operation, args }: Operation): Promise<unknown> {
  const name = model === undefined ? undefined : model.charAt(0).toLowerCase() + model.slice(1)
  const target: Record<string, (...args: unknown[]) => unknown> =
    name === undefined ? tx : Reflect.get(tx, name)
  const list = operation.endsWith('Unsafe') ? (args as unknown[]) : [args]
  return await target[operation]?.(...list)
}

class Adapter implements SqlDriverAdapterFactory, SqlDriverAdapter {
  readonly provider = 'postgres'
  readonly adapterName = 'blazon'
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async connect(): Promise<SqlDriverAdapter> {
    return this
  }

  async startTransaction(isolationLevel?: string): Promise<Transaction> {
    const errand = errands.getStore()
    if (errand === undefined || errand.part !== undefined || isolationLevel !== undefined) {
      throw new Error(
        'Begin a transaction with prisma.$transaction(fn), or with db.transaction(fn).',
      )
    }
    try {
      errand.part = errand.isRead ? new Part(this.#db, errand) : await begin(this.#db, errand)
      return errand.part
    } catch (error) {
      errand.failure = error
      throw error
    }
  }

  /** A query outside of a transaction has no tenant. */
  async queryRaw(): Promise<never> {
    throw new Error('A query without a transaction: use the client that prismaOf() returns.')
  }

  readonly executeRaw: () => Promise<never> = this.queryRaw
  readonly executeScript: () => Promise<never> = this.queryRaw
  async dispose(): Promise<void> {}
}

/** Ends a transaction of the `Database`. */
interface End {
  commit(): void
  rollback(reason: Error): void
  ended(): Promise<void>
}

/** Begins a transaction of the `Database`, or a savepoint inside another one, which lasts until Prisma ends it. */
async function begin(db: Database, errand: Errand): Promise<Part> {
  return await new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((commit, rollback) => {
        resolve(new Part(db, errand, { commit, rollback, ended: () => ended }))
      })
    const ended = db.transaction(hold)
    ended.catch(reject)
  })
}

/** A transaction for Prisma. Its queries run in the async context of its creation, wherever Prisma calls from. */
class Part implements Transaction {
  readonly provider = 'postgres'
  readonly adapterName = 'blazon'
  readonly options = { usePhantomQuery: true }
  readonly #db: Database
  readonly #errand: Errand
  readonly #end: End | undefined
  readonly #place = new AsyncResource('Prisma')

  /** @param end Ends the transaction; `undefined` for one that only reads. */
  constructor(db: Database, errand: Errand, end?: End) {
    this.#db = db
    this.#errand = errand
    this.#end = end
  }

  run<T>(fn: () => T): T {
    return this.#place.runInAsyncScope(fn)
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const { fields, rows } = await this.#query(query)
    const columnTypes = fields.map(({ dataTypeID }) => TYPES[dataTypeID] ?? ColumnTypeEnum.Text)
    const read = (value: unknown, index: number) => {
      const isJson = columnTypes[index] === ColumnTypeEnum.Json && value !== null
      return isJson ? JSON.stringify(value) : value
    }
    const columnNames = fields.map(({ name }) => name)
    return { columnNames, columnTypes, rows: rows.map((row) => row.map(read)) }
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#query(query)).rowCount
  }

  async commit(): Promise<void> {
    this.#end?.commit()
    await this.#end?.ended()
  }

  async rollback(): Promise<void> {
    this.#end?.rollback(new Error('Rolled back'))
    await this.#end?.ended().catch(() => {})
  }

  async createSavepoint(name: string): Promise<void> {
    await this.run(() => this.#db.query(`savepoint ${name}`))
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.run(() => this.#db.query(`rollback to savepoint ${name}`))
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.run(() => this.#db.query(`release savepoint ${name}`))
  }

  async #query({ sql, args, argTypes }: SqlQuery) {
    const values = args.map((arg, index) =>
      argTypes[index]?.scalarType === 'bytes' ? bytesOf(arg) : arg,
    )
    const statement = { text: sql, values, rowMode: 'array' } as const
    try {
      return await this.run(() => this.#db.query<unknown[]>(statement))
    } catch (error) {
      if (error instanceof PostgresError) throw new DriverAdapterError(explain(error))
      this.#errand.failure = error
      throw error
    }
  }
}

/** Translates to the errors that Prisma has names for: `P2002`, `P2003`, `P2011`, `P2034`. */
function explain({ code, message, constraint, column, detail, hint }: PostgresError) {
  const original = { originalCode: code, originalMessage: message }
  const index = constraint === undefined ? {} : { constraint: { index: constraint } }
  if (code === '23505') return { kind: 'UniqueConstraintViolation', ...index, ...original } as const
  if (code === '23503')
    return { kind: 'ForeignKeyConstraintViolation', ...index, ...original } as const
  if (code === '23502') return { kind: 'NullConstraintViolation', ...original } as const
  if (code === '40001' || code === '40P01')
    return { kind: 'TransactionWriteConflict', ...original } as const
  return {
    kind: 'postgres',
    severity: 'ERROR',
    code,
    message,
    detail,
    column,
    hint,
    ...original,
  } as const
}

function bytesOf(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(bytesOf)
  return typeof arg === 'string' ? Buffer.from(arg, 'base64') : arg
}

/** The types of values for `$queryRaw`, by the numbers of PostgreSQL's types. Models declare their own. */
const TYPES: Readonly<Record<number, ColumnType>> = {
  16: ColumnTypeEnum.Boolean,
  17: ColumnTypeEnum.Bytes,
  20: ColumnTypeEnum.Int64,
  21: ColumnTypeEnum.Int32,
  23: ColumnTypeEnum.Int32,
  114: ColumnTypeEnum.Json,
  700: ColumnTypeEnum.Float,
  701: ColumnTypeEnum.Double,
  1082: ColumnTypeEnum.Date,
  1083: ColumnTypeEnum.Time,
  1114: ColumnTypeEnum.DateTime,
  1184: ColumnTypeEnum.DateTime,
  1700: ColumnTypeEnum.Numeric,
  2950: ColumnTypeEnum.Uuid,
  3802: ColumnTypeEnum.Json,
}
