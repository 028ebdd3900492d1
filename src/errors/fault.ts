import { getSystemErrorMap } from 'node:util'
import { isNativeError } from 'node:util/types'

/** The names of the built-in error classes. Errors are compared by name, because each realm has its own classes. */
const NATIVE = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']

/**
 * Matches the error names of client libraries whose errors do not contain the original error of the system or server.
 */
const OF_CLIENTS = /^(?:Prisma|Mongo|Sequelize|Sqlite|Redis|Reply|MaxRetries|Timeout).*Error$/

/**
 * Matches the error codes of databases, and of libraries that call other servers: SQLite, Oracle, MySQL, Redis, undici.
 */
const FOREIGN_CODE = /^(?:SQLITE_|ERR_SQLITE_|ORA-|ER_|UND_ERR_|PROTOCOL_|NR_CLOSED)/

/** The maximum depth of nested causes to read. */
const MAX_DEPTH = 4

/** The maximum number of errors to read from an aggregate error. */
const MAX_ERRORS = 10

let systemCodes: ReadonlySet<string> | undefined

/**
 * Whether an error indicates a bug in a program, or a server that cannot be reached. Other errors are refusals: for
 * example, a library throws an error for an expired token. Never throws.
 */
export function isFault(error: unknown, depth = 0): boolean {
  try {
    return depth < MAX_DEPTH && isObject(error) && (isOwnFault(error) || hasFault(error, depth + 1))
  } catch {
    return false
  }
}

interface FaultFields {
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

function isOwnFault(error: FaultFields): boolean {
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

function isOfDatabase({ sqlState, severity }: FaultFields, code: string): boolean {
  return typeof sqlState === 'string' || typeof severity === 'string' || FOREIGN_CODE.test(code)
}

/**
 * Checks the errors inside an error. For example, if several keys were tried, an `AggregateError` can contain a server
 * error among the errors for keys that did not match.
 */
function hasFault({ cause, driverError, original, errors }: FaultFields, depth: number): boolean {
  const collected: unknown[] = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : []
  return [cause, driverError, original, ...collected].some((each) => isFault(each, depth))
}

function isObject(value: unknown): value is FaultFields {
  return typeof value === 'object' && value !== null
}
