import type { User } from '../../contracts/handler.js'
import { ConfigError, invalid, type Problem } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { FuzzedOperation } from '../fuzz/fuzz-options.js'
import { TestCaller } from '../test-caller.js'
import { isCount, isInt32, isObject } from '../test-options.js'
import { isRouterRequest } from './router-operations.js'

/** The caller of a tenant. */
export interface IsolationCaller {
  /** Headers for every request of this tenant. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** The user. The guard is skipped, as with `TestApp.as`. Default: the guard decides based on the headers. */
  readonly as?: User
}

/** Options of `proveIsolation`. */
export interface IsolationOptions {
  /**
   * At least two tenants. A list contains their IDs, which are sent as `asTenant` sends them. An object contains the
   * caller of each tenant; the keys are names for the report. Default: two IDs that are generated from the seed.
   */
  readonly tenants?: readonly string[] | Readonly<Record<string, TestCaller | IsolationCaller>>
  /** The seed that determines every request and every canary. Default: a random seed, which the report contains. */
  readonly seed?: number
  /** The number of rounds, each of which calls the operations with different values. Default 2. */
  readonly rounds?: number
  /**
   * The users by tenant, or a function that returns the user of a tenant. Put the canary into the user's name. Default:
   * the guard decides based on the headers.
   */
  readonly as?: Readonly<Record<string, User>> | ((tenant: string, canary: string) => User)
  /**
   * Returns a user of a tenant. Put the canary into the user's name. Operations with `@Cache` are called as two users
   * of one tenant; the harness sets these users as a middleware would. `false` turns these calls off. Default: users
   * like the user of `as`, each with a different ID and name.
   */
  readonly users?: false | ((tenant: string, canary: string) => User)
  /** Headers for every request. They replace headers of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `operationId`s to skip, and the names of jobs to ignore. Default: none. */
  readonly skip?: readonly string[]
  /**
   * Requests to routers in `middlewares`, by method and path: `'POST /legacy/rows'`, `'/legacy/rows/{id}'`. Without a
   * method, GET is sent; POST, PUT and PATCH send a body with a `text`. If omitted, GET routes whose paths are known
   * are called.
   */
  readonly requests?: readonly string[]
  /**
   * Strings for fields and parameters, by their names. Each function receives a random string of 32 or 16 hexadecimal
   * digits and returns a valid string that contains it, such as `` `ord_${random}` ``. Use this option for fields whose
   * schema is incomplete, or whose schema allows no random string. Default: strings that are generated from the schema.
   */
  readonly texts?: Readonly<Record<string, (random: string) => string>>
  /** Returns whether an operation is called. Default: all operations are called. */
  readonly operations?: (operation: FuzzedOperation) => boolean
}

/** A record instead of a list, so that TypeScript requires every option name. */
const CALLER: OptionNames<IsolationCaller> = { headers: true, as: true }
const NAMES: OptionNames<IsolationOptions> = {
  tenants: { '*': CALLER },
  seed: true,
  rounds: true,
  as: 'sync',
  users: 'sync',
  headers: true,
  requests: true,
  texts: { '*': 'sync' },
  skip: true,
  operations: 'sync',
}

/** How requests to the application specify a tenant. */
interface TenantFacts {
  /** The tenant header; `null` if the application does not read a header. */
  readonly tenantHeader: string | null
  /** Whether a guard confirms the tenant of its credential. */
  readonly confirmsTenants: boolean
}

/** @throws ConfigError with every option that has an invalid value. */
export function checkIsolationOptions(
  options: IsolationOptions,
  { tenantHeader, confirmsTenants }: TenantFacts,
): void {
  const { tenants, seed, rounds, as, users, headers, requests, texts, skip, operations } = options
  const problems = unknownOptions('proveIsolation(): ', options, NAMES)
  const check = (isRight: boolean, name: string, value: unknown, known: string) => {
    if (value !== undefined && !isRight) problems.push(problemOf(name, value, known))
  }
  check(
    areTenants(tenants),
    'tenants',
    tenants,
    "['acme', 'globex'], or { acme: app.with({ … }), … }",
  )
  check(isInt32(seed), 'seed', seed, 'a whole number of 32 bits')
  check(isCount(rounds), 'rounds', rounds, 'a whole number from 1')
  check(
    typeof as === 'function' || isObject(as),
    'as',
    as,
    '{ acme: user, globex: user } or (tenant, canary) => user',
  )
  check(
    users === false || typeof users === 'function',
    'users',
    users,
    'false, or (tenant, canary) => user',
  )
  check(isObject(headers), 'headers', headers, "{ 'X-Name': 'value' }")
  check(
    Array.isArray(requests) && requests.every(isRouterRequest),
    'requests',
    requests,
    "['/legacy/rows', 'POST /legacy/rows']",
  )
  check(
    isObject(texts) && Object.values(texts ?? {}).every((make) => typeof make === 'function'),
    'texts',
    texts,
    "{ code: (random) => 'ORD-' + random }",
  )
  check(Array.isArray(skip), 'skip', skip, "['Orders_place']")
  check(typeof operations === 'function', 'operations', operations, '(operation) => boolean')
  const areIds = tenants === undefined || Array.isArray(tenants)
  const haveUsers = confirmsTenants && as !== undefined
  if (areIds && tenantHeader === null && !haveUsers) problems.push(NO_HEADER)
  if (problems.length === 0) problems.push(...unknownUsers(options))
  if (problems.length > 0) throw new ConfigError(problems)
}

/** @throws ConfigError with the entries that are neither an operation nor a job. */
export function checkSkipped(skip: readonly string[], known: readonly string[]): void {
  const problems = skip
    .filter((id) => !known.includes(id))
    .map((id) => problemOf('skip', id, `an operationId or the name of a job: ${known.join(', ')}`))
  if (problems.length > 0) throw new ConfigError(problems)
}

const NO_HEADER: Problem = invalid(
  'proveIsolation({ tenants })',
  'The application does not read a tenant header (`tenant.header` is false), so tenant IDs cannot be sent.',
  'Pass the callers: { acme: app.with({ authorization: … }), globex: … }. With guards that have `tenantOf`, `as` is sufficient.',
)

function unknownUsers({ tenants, as }: IsolationOptions): Problem[] {
  if (as === undefined || typeof as === 'function') return []
  const names = tenants === undefined ? [] : namesOf(tenants)
  const isComplete = names.length > 0 && names.every((name) => Object.hasOwn(as, name))
  const known = `a user for each of the tenants${names.length > 0 ? `, ${names.join(' and ')}` : ' in the option tenants'}`
  return isComplete ? [] : [problemOf('as', Object.keys(as), known)]
}

/** The names of the tenants in the report. */
export function namesOf(tenants: NonNullable<IsolationOptions['tenants']>): string[] {
  return isList(tenants) ? [...tenants] : Object.keys(tenants)
}

/** Whether the tenants are a list of IDs. */
export function isList(
  tenants: NonNullable<IsolationOptions['tenants']>,
): tenants is readonly string[] {
  return Array.isArray(tenants)
}

function areTenants(tenants: unknown): boolean {
  if (Array.isArray(tenants)) {
    const areIds = tenants.every((id) => typeof id === 'string' && id !== '')
    return areIds && tenants.length >= 2 && new Set(tenants).size === tenants.length
  }
  if (!isObject(tenants)) return false
  const callers = Object.values(tenants as object)
  return callers.length >= 2 && callers.every(isCaller)
}

function isCaller(value: unknown): boolean {
  return value instanceof TestCaller || isObject(value)
}

function problemOf(name: string, value: unknown, known: string): Problem {
  const cause = `proveIsolation() cannot use ${shown(value)}.`
  return invalid(`proveIsolation({ ${name} })`, cause, `Pass ${known}.`)
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
