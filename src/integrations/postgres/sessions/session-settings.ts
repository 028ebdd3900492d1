import type { QueryResult, SessionStatement, Statement } from '../driver.js'
import { TENANT_SETTING } from '../names.js'
import { PostgresError } from '../postgres-error.js'
import type { Owner } from './owner.js'

/** Sends a statement on the connection of the transaction. */
export type Send = (statement: Statement) => Promise<QueryResult>

/**
 * A statement that sets up a transaction, or a nested one. It calls `set_config` with parameters,
 * and the settings last until the end of the transaction.
 */
export interface Settings {
  readonly statement: SessionStatement
  /** The statement that begins the transaction. Default: `BEGIN`. */
  readonly begin?: SessionStatement
  /** Returns the error to throw when the server refuses the statement. */
  readonly explain: (error: unknown) => unknown
}

/** The values from which settings are built. */
export interface SettingsConfig {
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** In milliseconds. */
  readonly statementMs: number
  readonly idleInTransactionMs: number
  /** Whether the database runs in this process. */
  readonly isEmbedded: boolean
}

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`
/** The result is unused, so it is one column. The order of the calls does not matter. */
const setAll = (...calls: readonly string[]) => `select pg_catalog.concat(${calls.join(', ')})`
const LIMITS = `${set('statement_timeout', '$1')}, ${set('idle_in_transaction_session_timeout', '$2')}`
const SET_LIMITS = setAll(LIMITS)
/**
 * Restores the search path that the connection had when it was made, and puts `pg_temp` at its end.
 * Without that, PostgreSQL searches temporary tables first, and a temporary table left in the
 * session could replace the real one. The inner call resets the path and returns its value.
 */
const PATH = set(
  'search_path',
  `pg_catalog.ltrim(pg_catalog.concat(${set('search_path', 'null')}, ', pg_temp'), ', ')`,
)
// `role` is a setting like any other: one statement sets all of them, and its values are
// parameters.
const setOwner = (first: number) =>
  `${set('role', `$${first}`)}, ${set(TENANT_SETTING, `$${first + 1}`)}`
const SET_ALL = setAll(LIMITS, set('row_security', "'on'"), PATH, setOwner(3))
const SET_OWNER = setAll(setOwner(1))

/**
 * Builds the settings of a transaction for one owner. They include everything that separates
 * tenants, so that settings left in the session have no effect.
 */
export function settingsOf(owner: Owner | null, config: SettingsConfig): Settings {
  // PGlite 0.5 sends no response at all once this timeout has passed, and the process hangs. The
  // PGlite driver counts the idle time instead.
  const idleMs = config.isEmbedded ? 0 : config.idleInTransactionMs
  const limits = [String(config.statementMs), String(idleMs)]
  if (owner === null) return settings(SET_LIMITS, limits, explain)
  const named = ownerValues(owner, config)
  return settings(SET_ALL, [...limits, ...named], explainOf(named))
}

/** Builds the settings of a nested transaction: only the owner for which it runs. */
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

/** The role does not exist (22023), or the login may not become it (42501). */
function isRoleRefused(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '22023' || error.code === '42501')
}

function roleError(role: string, cause: PostgresError): PostgresError {
  const message = `Statements must run as the role ${role}. It does not exist, or this login may not become it. Run: blazon db migrate --login <the login of the application>`
  return new PostgresError(message, { code: cause.code }, { cause })
}

function ownerValues(owner: Owner | null, config: SettingsConfig): [role: string, tenant: string] {
  // The role `none` is the login role.
  if (owner === null) return ['none', '']
  if (owner.kind === 'all') return [config.allTenantsRole, '']
  return [config.tenantRole, owner.kind === 'tenant' ? owner.id : '']
}
