import { ConfigError, type SessionStore } from '../../index.js'
import type {
  SessionChange,
  SessionFields,
  SessionRecord,
  SessionStoreContext,
  SessionWrite,
} from '../../plugin/index.js'
import { Database } from './database.js'
import type { QueryResult } from './driver.js'
import { EngineToken } from './engine.js'
import { briefCause, PostgresError } from './postgres-error.js'
import {
  checkNames,
  HourlyPurge,
  qualifiedTable,
  type SessionTableOptions,
} from './schema/store-tables.js'
import type { Sessions } from './sessions/sessions.js'

/** The name and the schema of the table that {@link sessionTable} creates. */
export type PostgresSessionsOptions = Pick<SessionTableOptions, 'table' | 'schema'>

const COLUMNS = 'id, fields, user_key, user_json, tenant, created_at, used_at, idle_at, ends_at'

/**
 * Creates a store for `sessions()` from `blazon/sessions` in the database of `postgres()`, which must also be in
 * `plugins`. A session that a handler writes belongs to the request's transaction. So a handler that fails does not log
 * a user in or out, and sends no cookie. If a handler changes a password and ends all sessions, either both changes are
 * saved or neither.
 *
 * @param options The name and the schema of the table. Default: `blazon_sessions`.
 * @throws ConfigError if a name is invalid; at startup, `E_SESSIONS_TABLE` if the table cannot be read.
 * @see sessionTable for the migration.
 * @example
 * export const web = sessions({ store: postgresSessions() })
 *
 * new App({ auth: { guard: web }, plugins: [postgres({ url }), web] })
 */
export function postgresSessions(options: PostgresSessionsOptions = {}): SessionStore {
  checkNames('postgresSessions()', options)
  return new PostgresSessions(qualifiedTable(options))
}

class PostgresSessions implements SessionStore {
  readonly isShared = true
  readonly #table: string
  #sessions: Sessions | undefined
  #clock: SessionStoreContext['clock'] | undefined
  #purge: HourlyPurge | undefined

  constructor(table: string) {
    this.#table = table
  }

  forApplication(): SessionStore {
    return new PostgresSessions(this.#table)
  }

  async open(context: SessionStoreContext): Promise<void> {
    const { get, clock } = context
    // If a test has replaced the database, no engine is running.
    if (!(get(Database) instanceof Database)) return
    this.#sessions = get(EngineToken).sessions
    this.#clock = clock
    await this.#query(`select ${COLUMNS} from ${this.#table} limit 0`).catch((error) => {
      throw error instanceof PostgresError ? this.#tableError(error) : error
    })
    this.#purge = new HourlyPurge(
      context,
      () => this.#query(`delete from ${this.#table} where idle_at <= $1`, clock.now()),
      'Expired sessions could not be deleted',
    )
  }

  async close(): Promise<void> {
    await this.#purge?.close()
    this.#sessions = undefined
  }

  async read(id: string): Promise<SessionRecord | undefined> {
    return firstOf(await this.#query(`select ${COLUMNS} from ${this.#table} where id = $1`, id))
  }

  async create(record: SessionRecord): Promise<void> {
    const { id, fields, userKey, user, tenant, createdAt, usedAt, idleAt, endsAt } = record
    await this.#query(
      `insert into ${this.#table} (${COLUMNS}) values ($1, $2::jsonb, $3, $4, $5, $6, $7, $8, $9)`,
      ...[id, JSON.stringify(fields), userKey, user, tenant, createdAt, usedAt, idleAt, endsAt],
    )
  }

  async write(id: string, change: SessionChange): Promise<SessionWrite> {
    const set = Object.entries(change.set)
    const removed = set.filter(([, text]) => text === null).map(([name]) => name)
    const kept = Object.fromEntries(set.filter(([, text]) => text !== null))
    // If another transaction changes the row first, this statement waits and then compares with the new row. It uses an
    // aggregate, because PostgreSQL plans `not exists` as an anti join and then does not compare again.
    const { rowCount } = await this.#query(
      `update ${this.#table} as session
        set fields = (session.fields - $3::text[]) || $4::jsonb, used_at = $5, idle_at = $6
        where session.id = $1 and (
          select coalesce(bool_and(
            coalesce(session.fields -> wanted.key, 'null'::jsonb) is not distinct from wanted.value
          ), true)
          from jsonb_each($2::jsonb) as wanted
        )`,
      ...[id, JSON.stringify(change.expected), removed, JSON.stringify(kept)],
      ...[change.usedAt, change.idleAt],
    )
    if (rowCount === 1) return 'written'
    return (await this.read(id)) === undefined ? 'gone' : 'conflict'
  }

  async touch(id: string, times: Pick<SessionChange, 'usedAt' | 'idleAt'>): Promise<void> {
    const text = `update ${this.#table} set used_at = $2, idle_at = $3 where id = $1`
    await this.#query(text, id, times.usedAt, times.idleAt)
  }

  async take(id: string): Promise<SessionRecord | undefined> {
    const text = `delete from ${this.#table} where id = $1 returning ${COLUMNS}`
    return firstOf(await this.#query(text, id))
  }

  async list(userKey: string): Promise<SessionRecord[]> {
    const text = `select ${COLUMNS} from ${this.#table} where user_key = $1`
    return (await this.#query(text, userKey)).rows.map(recordOf)
  }

  async removeAll(userKey: string, exceptId = ''): Promise<number> {
    const text = `delete from ${this.#table} where user_key = $1 and id <> $2 returning idle_at > $3 as is_live`
    const { rows } = await this.#query(text, userKey, exceptId, this.#clock?.now() ?? 0)
    return rows.filter((row) => row['is_live'] === true).length
  }

  async afterCommit(task: () => void): Promise<void> {
    await this.#opened.afterCommit(task)
  }

  async #query(text: string, ...values: unknown[]): Promise<QueryResult> {
    return await this.#opened.queryOwnTable({ text, values })
  }

  get #opened(): Sessions {
    if (this.#sessions !== undefined) return this.#sessions
    throw new Error(
      'postgresSessions(): the database of postgres() is not open, or a test has replaced it.',
    )
  }

  #tableError(cause: PostgresError): ConfigError {
    const problem = {
      code: 'E_SESSIONS_TABLE',
      subject: `postgresSessions(): table ${this.#table}`,
      cause: `It cannot be read: ${cause.message}`,
      remedy:
        'Call sessionTable() from blazon/postgres with the role that the application uses, and put the returned SQL into a migration.',
    } as const
    return new ConfigError([problem], { cause: briefCause(cause) })
  }
}

function firstOf({ rows }: QueryResult): SessionRecord | undefined {
  return rows[0] && recordOf(rows[0])
}

function recordOf(row: Readonly<Record<string, unknown>>): SessionRecord {
  const text = (name: string) => row[name] as string | null
  return {
    id: row['id'] as string,
    fields: row['fields'] as SessionFields,
    userKey: text('user_key'),
    user: text('user_json'),
    tenant: text('tenant'),
    createdAt: Number(row['created_at']),
    usedAt: Number(row['used_at']),
    idleAt: Number(row['idle_at']),
    endsAt: Number(row['ends_at']),
  }
}
