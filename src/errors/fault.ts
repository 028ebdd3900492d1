import { getSystemErrorMap } from 'node:util'
import { isNativeError } from 'node:util/types'

/** The language's own kinds, by the name that they have in every realm. */
const NATIVE = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']

/** What a client library calls its errors, as far as it does not wrap what the system or a server has said. */
const OF_CLIENTS = /^(?:Prisma|Mongo|Sequelize|Sqlite|Redis|Reply|MaxRetries|Timeout).*Error$/

/** SQLSTATE, SQLite, Oracle, MySQL, undici: codes of databases, and of what asks other servers. */
const FOREIGN_CODE = /^(?:SQLITE_|ERR_SQLITE_|ORA-|ER_|UND_ERR_|PROTOCOL_|NR_CLOSED)/

/** How deep causes are followed. */
const MAX_DEPTH = 4

/** How many errors of one that collects them are looked at. */
const MAX_ERRORS = 10

let systemCodes: ReadonlySet<string> | undefined

/**
 * Whether an error says that a program is wrong, or that something it needs cannot be reached, and not that somebody is to be
 * turned away: libraries say that an expired token is no good by throwing errors of their own. Never throws.
 */
export function isFault(error: unknown, depth = 0): boolean {
  try {
    return depth < MAX_DEPTH && isObject(error) && (isOwnFault(error) || hasFault(error, depth + 1))
  } catch {
    return false
  }
}

interface Facts {
  readonly name?: unknown
  readonly code?: unknown
  readonly syscall?: unknown
  readonly sqlState?: unknown
  readonly severity?: unknown
  readonly cause?: unknown
  readonly driverError?: unknown
  readonly original?: unknown
  readonly errors?: unknown
}

function isOwnFault(error: Facts): boolean {
  const { name, code, syscall } = error
  if (typeof syscall === 'string') return true
  if (typeof name === 'string') {
    if (isNativeError(error) && NATIVE.includes(name)) return true
    if (OF_CLIENTS.test(name)) return true
  }
  return typeof code === 'string' && (isSystemCode(code) || isOfDatabase(error, code))
}

function isSystemCode(code: string): boolean {
  systemCodes ??= new Set([...getSystemErrorMap().values()].map(([name]) => name))
  return systemCodes.has(code)
}

function isOfDatabase({ sqlState, severity }: Facts, code: string): boolean {
  return typeof sqlState === 'string' || typeof severity === 'string' || FOREIGN_CODE.test(code)
}

/** Of what wraps others, `AggregateError` for one: an error of a key that did not fit may stand beside one of a server. */
function hasFault({ cause, driverError, original, errors }: Facts, depth: number): boolean {
  const collected: unknown[] = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : []
  return [cause, driverError, original, ...collected].some((each) => isFault(each, depth))
}

function isObject(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null
}
