import type { Connection, QueryResult, SessionStatement, Statement } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { TENANT_SETTING } from '../schema/names.js'
import type { Owner } from './owner.js'
import type { Isolation } from './transaction-options.js'

interface Waiter {
  readonly send: () => void
  readonly refuse: (error: unknown) => void
}

/** The statement that ends a transaction. */
export type Conclusion = 'COMMIT' | 'ROLLBACK'

/** The statement that begins a transaction. Its result is not read. */
export const BEGIN: SessionStatement = { text: 'BEGIN', hasNoReader: true }

/** Begins a transaction with an isolation level. */
export function beginAs(isolation: Isolation): SessionStatement {
  return { text: `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}`, hasNoReader: true }
}

interface FirstStatement extends Pick<Waiter, 'refuse'> {
  readonly statement: Statement
  readonly resolve: (result: QueryResult) => void
}

/**
 * Begins a transaction. One flight contains `BEGIN`, the settings and the statements that were sent in the same tick,
 * so these statements do not run if the transaction could not begin. Statements that are sent while the flight is in
 * progress wait for its result. No statement is ever sent before its transaction has begun.
 */
export class TransactionStart {
  readonly #connection: Connection
  readonly #settings: Settings
  #firstStatements: FirstStatement[] | null = []
  readonly #waiters: Waiter[] = []
  #state: 'waiting' | 'begun' | 'failed' = 'waiting'
  #failure: unknown

  constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#settings = settings
    // Waits for the synchronous code that sends the first statements.
    process.nextTick(() => void this.#sendFlight())
  }

  /**
   * Sends a statement after the earlier statements. If the transaction could not begin, the promise rejects with the
   * reason.
   */
  send(statement: Statement): Promise<QueryResult> {
    if (this.#state === 'begun') return this.#connection.query(statement)
    if (this.#state === 'failed') return Promise.reject(this.#failure)
    return new Promise((resolve, refuse) => {
      if (this.#firstStatements !== null)
        return void this.#firstStatements.push({ statement, resolve, refuse })
      const send = () => void this.#connection.query(statement).then(resolve, refuse)
      this.#waiters.push({ send, refuse })
    })
  }

  /**
   * Sends `COMMIT` or `ROLLBACK` after the earlier statements. `ROLLBACK` is sent even if the transaction could not
   * begin, because the client cannot determine which of its first statements the server has run.
   */
  conclude(text: Conclusion): Promise<QueryResult> {
    if (this.#state === 'failed' && text === 'COMMIT') return Promise.reject(this.#failure)
    if (this.#state !== 'waiting') return this.#connection.query({ text })
    return new Promise((resolve, reject) => {
      const send = () => void this.#connection.query({ text }).then(resolve, reject)
      void this.#sendFlight()
      this.#waiters.push({ send, refuse: text === 'COMMIT' ? reject : send })
    })
  }

  async #sendFlight(): Promise<void> {
    const first = this.#firstStatements
    if (first === null) return
    this.#firstStatements = null
    const statements = first.map(({ statement }) => statement)
    const { begin = BEGIN, statement } = this.#settings
    const flight = [begin, statement, ...statements]
    const [begun, set, ...results] = this.#connection.sendTogether(flight)
    let isBegun = false
    try {
      await begun
      isBegun = true
      await set
    } catch (error) {
      return this.#fail(first, isBegun ? this.#settings.explain(error) : error)
    }
    this.#begin(first, results)
  }

  #begin(first: readonly FirstStatement[], results: readonly Promise<QueryResult>[]): void {
    this.#state = 'begun'
    first.forEach(({ resolve, refuse }, index) => {
      void results[index]?.then(resolve, refuse)
    })
    for (const { send } of this.#waiters.splice(0)) send()
  }

  #fail(first: readonly FirstStatement[], error: unknown): void {
    this.#state = 'failed'
    this.#failure = error
    for (const { refuse } of [...first, ...this.#waiters.splice(0)]) refuse(error)
  }
}

/** Sends a statement on the connection of the transaction. */
export type Send = (statement: Statement) => Promise<QueryResult>

/**
 * A statement that sets up a transaction or a nested transaction. It calls `set_config` with parameters, and the
 * settings last until the end of the transaction.
 */
export interface Settings {
  readonly statement: SessionStatement
  /** The statement that begins the transaction. Default: `BEGIN`. */
  readonly begin?: SessionStatement
  /** Returns the error to throw when the server refuses the statement. */
  readonly explain: (error: unknown) => unknown
}

/** The configuration from which settings are built. */
export interface SettingsConfig {
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** The statement timeout, in milliseconds. */
  readonly statementMs: number
  readonly idleInTransactionMs: number
  /** Whether the database runs in this process. */
  readonly isEmbedded: boolean
}

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`
/** The result is unused, so all calls are in one column. Their order is irrelevant. */
const setAll = (...calls: readonly string[]) => `select pg_catalog.concat(${calls.join(', ')})`
const LIMITS = `${set('statement_timeout', '$1')}, ${set('idle_in_transaction_session_timeout', '$2')}`
const SET_LIMITS = setAll(LIMITS)
/**
 * Restores the search path that the connection had when it was opened, and appends `pg_temp`. Otherwise, PostgreSQL
 * would search temporary tables first, and a temporary table left in the session could replace the real table. The
 * inner call resets the path and returns its value.
 */
const PATH = set(
  'search_path',
  `pg_catalog.ltrim(pg_catalog.concat(${set('search_path', 'null')}, ', pg_temp'), ', ')`,
)
// `role` is a setting like any other, so one statement can set all of them, with their values as parameters.
const setOwner = (first: number) =>
  `${set('role', `$${first}`)}, ${set(TENANT_SETTING, `$${first + 1}`)}`
const SET_ALL = setAll(LIMITS, set('row_security', "'on'"), PATH, setOwner(3))
const SET_OWNER = setAll(setOwner(1))

/**
 * Builds the settings of a transaction for one owner. They include all settings that separate tenants, so that settings
 * left in the session have no effect.
 */
export function settingsOf(owner: Owner | null, config: SettingsConfig): Settings {
  // After `idle_in_transaction_session_timeout`, PGlite 0.5 sends no response at all, and the process hangs. The PGlite
  // driver measures the idle time instead.
  const idleMs = config.isEmbedded ? 0 : config.idleInTransactionMs
  const limits = [String(config.statementMs), String(idleMs)]
  if (owner === null) return settings(SET_LIMITS, limits, explain)
  const named = ownerValues(owner, config)
  return settings(SET_ALL, [...limits, ...named], explainOf(named))
}

/** Builds the settings of a nested transaction, which set only its owner. */
export function ownerSettingsOf(owner: Owner | null, config: SettingsConfig): Settings {
  const named = ownerValues(owner, config)
  return settings(SET_OWNER, named, explainOf(named))
}

function settings(text: string, values: readonly string[], explain: Settings['explain']): Settings {
  return { statement: { text, values, hasNoReader: true }, explain }
}

const explain = (error: unknown) => error

function explainOf([role]: readonly [string, string]): Settings['explain'] {
  return (error) => (isRoleRefused(error) ? roleError(role, error) : error)
}

/** Whether the role does not exist (22023) or the login is not allowed to become it (42501). */
function isRoleRefused(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '22023' || error.code === '42501')
}

function roleError(role: string, cause: PostgresError): PostgresError {
  const message = `Statements must run as the role ${role}. This role does not exist, or this login is not allowed to switch to it. Run: blazon db migrate --login <the login of the application>`
  return new PostgresError(message, { code: cause.code }, { cause })
}

function ownerValues(owner: Owner | null, config: SettingsConfig): [role: string, tenant: string] {
  // The role `none` stands for the login role.
  if (owner === null) return ['none', '']
  if (owner.kind === 'all') return [config.allTenantsRole, '']
  return [config.tenantRole, owner.kind === 'tenant' ? owner.id : '']
}
