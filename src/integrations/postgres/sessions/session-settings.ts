import type { QueryResult, Statement } from '../driver.js'
import { TENANT_SETTING } from '../names.js'
import { PostgresError } from '../postgres-error.js'
import type { Owner } from './owner.js'

/** Sends a statement on the connection that is meant. */
export type Send = (statement: Statement) => Promise<QueryResult>

/** What sets up a transaction, or a part of one: by functions of SQL that take parameters, and only until it ends. */
export interface Settings {
  readonly statement: Statement
  /** What to throw where it is refused. */
  readonly explain: (error: unknown) => unknown
}

/** What settings are made of. */
export interface SettingsConfig {
  readonly tenantRole: string
  readonly allTenantsRole: string
  /** In milliseconds. */
  readonly statementMs: number
  readonly idleInTransactionMs: number
  /** Whether the server is this process. */
  readonly isEmbedded: boolean
}

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`
const SET_LIMITS = `select ${set('statement_timeout', '$1')}, ${set('idle_in_transaction_session_timeout', '$2')}`
/**
 * The connection's own path, whatever another one has left in its session, with what is temporary at its end: PostgreSQL would look there first, and a temporary table
 * that was left there would stand for the real one. The inner call takes the path back to what it was when the connection was made, and says what that is.
 */
const PATH = set(
  'search_path',
  `pg_catalog.ltrim(pg_catalog.concat(${set('search_path', 'null')}, ', pg_temp'), ', ')`,
)
// `role` is a setting like any other: one statement sets all of them, and its values are parameters.
const setOwner = (first: number) =>
  `${set('role', `$${first}`)}, ${set(TENANT_SETTING, `$${first + 1}`)}`
const SET_ALL = `${SET_LIMITS}, ${set('row_security', "'on'")}, ${PATH}, ${setOwner(3)}`
const SET_OWNER = `select ${setOwner(1)}`

/** Makes the settings of transactions in somebody's name: everything that keeps tenants apart, so that nothing that is left in a session can matter. */
export function settingsOf(owner: Owner | null, config: SettingsConfig): Settings {
  // PGlite 0.5 answers nothing any more once this time has passed, and nothing else in the process runs: its driver counts instead.
  const idleMs = config.isEmbedded ? 0 : config.idleInTransactionMs
  const limits = [String(config.statementMs), String(idleMs)]
  if (owner === null) return { statement: { text: SET_LIMITS, values: limits }, explain }
  const named = ownerValues(owner, config)
  return { statement: { text: SET_ALL, values: [...limits, ...named] }, explain: explainOf(named) }
}

/** Makes the settings of a part of a transaction: in whose name it runs. */
export function ownerSettingsOf(owner: Owner | null, config: SettingsConfig): Settings {
  const named = ownerValues(owner, config)
  return { statement: { text: SET_OWNER, values: named }, explain: explainOf(named) }
}

const explain = (error: unknown) => error

function explainOf([role]: readonly [string, string]): Settings['explain'] {
  return (error) => (isRoleRefused(error) ? roleError(role, error) : error)
}

/** No such role (22023), or one that who has logged in may not become (42501). */
function isRoleRefused(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '22023' || error.code === '42501')
}

function roleError(role: string, cause: PostgresError): PostgresError {
  const message = `Statements must run as the role ${role}. It does not exist, or this login may not become it. Run: blazon db migrate --login <the login of the application>`
  return new PostgresError(message, { code: cause.code }, { cause })
}

function ownerValues(owner: Owner | null, config: SettingsConfig): [role: string, tenant: string] {
  // Who has logged in.
  if (owner === null) return ['none', '']
  if (owner.kind === 'all') return [config.allTenantsRole, '']
  return [config.tenantRole, owner.kind === 'tenant' ? owner.id : '']
}
