import type { QueryResult, Statement } from '../driver.js'
import { TENANT_SETTING } from '../names.js'
import { PostgresError } from '../postgres-error.js'
import type { Owner } from './owner.js'

/** Sends a statement on the connection that is meant. */
export type Send = (statement: Statement) => Promise<QueryResult>

/** Sets up a transaction, or a part of one: by functions of SQL that take parameters, and only until it ends. */
export type ApplySettings = (send: Send) => Promise<unknown>

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

// `role` is a setting like any other: one statement sets all of them, and its values are parameters.
const SET_LIMITS =
  "select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)"
const SET_ALL = `${SET_LIMITS}, set_config('role', $3, true), set_config('${TENANT_SETTING}', $4, true)`

/** Makes the settings of transactions in somebody's name. */
export function settingsOf(owner: Owner | null, config: SettingsConfig): ApplySettings {
  // PGlite 0.5 answers nothing any more once this time has passed, and nothing else in the process runs: its driver counts instead.
  const idleMs = config.isEmbedded ? 0 : config.idleInTransactionMs
  const limits = [String(config.statementMs), String(idleMs)]
  if (owner === null) return (send) => send({ text: SET_LIMITS, values: limits })
  const [role, tenant] = ownerValues(owner, config)
  const values = [...limits, role, tenant]
  return (send) =>
    send({ text: SET_ALL, values }).catch((error) => {
      throw isRoleRefused(error) ? roleError(role, error) : error
    })
}

/** No such role (22023), or one that who has logged in may not become (42501). */
function isRoleRefused(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '22023' || error.code === '42501')
}

function roleError(role: string, cause: PostgresError): PostgresError {
  const message = `Statements are to run as the role ${role}, which does not exist, or which this login may not become. Run: blazon db migrate --login <the login of the application>`
  return new PostgresError(message, { code: cause.code }, { cause })
}

function ownerValues(owner: Owner, config: SettingsConfig): [role: string, tenant: string] {
  if (owner.kind === 'all') return [config.allTenantsRole, '']
  return [config.tenantRole, owner.kind === 'tenant' ? owner.id : '']
}
