import type { User } from '../../contracts/handler.js'
import { ConfigError, type Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import type { FuzzedOperation } from '../fuzz/fuzz-options.js'
import { isCount, isInt32, isObject } from '../option-kinds.js'
import { TestCaller } from '../test-caller.js'
import { isRouterRequest } from './router-operations.js'

/** Who calls for a tenant. */
export interface IsolationCaller {
  /** Sent with every request of it. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whom the guard need not be asked about, as with `TestApp.as`. Default: whoever the headers say. */
  readonly as?: User
}

/** Options of `proveIsolation`. */
export interface IsolationOptions {
  /**
   * At least two tenants: their ids, which are sent as `asTenant` sends them; or, by any name, who calls for them. Default:
   * two ids made of the seed, which nobody can have guessed.
   */
  readonly tenants?: readonly string[] | Readonly<Record<string, TestCaller | IsolationCaller>>
  /** Decides every request, and every canary. Default: chosen at random, and in the report. */
  readonly seed?: number
  /** How often everything is asked again, with other values. Default 2. */
  readonly rounds?: number
  /**
   * Users, by tenant; or what makes one of a tenant and a text of its own, to be put where the user's name is. Default: whoever
   * the headers say.
   */
  readonly as?: Readonly<Record<string, User>> | ((tenant: string, canary: string) => User)
  /**
   * Makes a user of a tenant, and of a text of its own, to be put where the user's name is: operations with `@Cache` are asked as two users
   * of one tenant, who are set as a middleware would set them. `false`: they are not. Default: users like the tenant's of `as`, with names of
   * their own.
   */
  readonly users?: false | ((tenant: string, canary: string) => User)
  /** Sent with every request, over those of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  /** `operationId`s that are not called. Default: none. */
  readonly skip?: readonly string[]
  /**
   * Requests to routers in `middlewares`, by method and path: `'POST /legacy/rows'`, `'/legacy/rows/{id}'`. GET where no method is
   * said; others send a body with a `text`. Default: those that read, as far as their paths are known.
   */
  readonly requests?: readonly string[]
  /** Which operations are called. Default: all. */
  readonly operations?: (operation: FuzzedOperation) => boolean
}

/** Every name, so that none can be forgotten. */
const NAMES: Readonly<Record<keyof IsolationOptions, true>> = {
  tenants: true,
  seed: true,
  rounds: true,
  as: true,
  users: true,
  headers: true,
  requests: true,
  skip: true,
  operations: true,
}

/**
 * @param tenantHeader `null` where the application reads none.
 * @throws ConfigError that names every option that is something else.
 */
export function checkIsolationOptions(
  options: IsolationOptions,
  tenantHeader: string | null,
): void {
  const { tenants, seed, rounds, as, users, headers, requests, skip, operations } = options
  const problems: Problem[] = []
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
  check(Array.isArray(skip), 'skip', skip, "['Orders_place']")
  check(typeof operations === 'function', 'operations', operations, '(operation) => boolean')
  for (const name of Object.keys(options)) {
    check(Object.hasOwn(NAMES, name), name, name, Object.keys(NAMES).join(', '))
  }
  const areIds = tenants === undefined || Array.isArray(tenants)
  if (areIds && tenantHeader === null) problems.push(NO_HEADER)
  if (problems.length === 0) problems.push(...unknownUsers(options))
  if (problems.length > 0) throw new ConfigError(problems)
}

/** @throws ConfigError that names those which no document has. */
export function checkSkipped(skip: readonly string[], known: readonly string[]): void {
  const problems = skip
    .filter((id) => !known.includes(id))
    .map((id) => problemOf('skip', id, `an operationId: ${known.join(', ')}`))
  if (problems.length > 0) throw new ConfigError(problems)
}

const NO_HEADER: Problem = invalid(
  'proveIsolation({ tenants })',
  'The application reads no header of the tenant (`tenant.header` is false), so ids cannot be sent.',
  'Say who calls: { acme: app.with({ authorization: … }), globex: … }.',
)

function unknownUsers({ tenants, as }: IsolationOptions): Problem[] {
  if (as === undefined || typeof as === 'function') return []
  const names = tenants === undefined ? [] : namesOf(tenants)
  const isComplete = names.length > 0 && names.every((name) => Object.hasOwn(as, name))
  const known = `a user for each of the tenants${names.length > 0 ? `, ${names.join(' and ')}` : ' that are named'}`
  return isComplete ? [] : [problemOf('as', Object.keys(as), known)]
}

/** What tenants are called in the report. */
export function namesOf(tenants: NonNullable<IsolationOptions['tenants']>): string[] {
  return isList(tenants) ? [...tenants] : Object.keys(tenants)
}

/** Whether tenants are given by their ids. */
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
  return invalid(`proveIsolation({ ${name} })`, cause, `It takes ${known}.`)
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
