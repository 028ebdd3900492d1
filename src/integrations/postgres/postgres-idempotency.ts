import { type Clock, ConfigError, HttpError, type IdempotencyStore } from '../../index.js'
import type { IdempotencyClaim, IdempotencyStoreContext } from '../../plugin/index.js'
import type { QueryResult } from './driver.js'
import type { Engine } from './engine.js'
import { briefCause, PostgresError } from './postgres-error.js'
import {
  HourlyPurge,
  idempotencyStatements,
  IDEMPOTENCY_TABLE as TABLE,
} from './schema/store-tables.js'

/**
 * Stores the responses of `@Idempotent()` in the request's transaction. A key is claimed with a transaction-level lock,
 * which is released with the transaction, even if the process or the connection ends.
 */
export class PostgresIdempotency implements IdempotencyStore {
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
