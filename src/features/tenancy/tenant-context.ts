import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '../../contracts/logger.js'
import type { TenantScope } from '../../contracts/tenant.js'
import { BadRequestError, HttpError } from '../../errors/http-error.js'
import { kTenantScope } from '../../http/symbol-fields.js'
import { isThenable } from '../../step/step.js'

interface Scoped {
  [kTenantScope]: TenantScope | undefined
}

/**
 * Returns the scope of a request, or of an object that inherits from a request; `undefined` before the scope is known.
 */
export function scopeOn(req: object): TenantScope | undefined {
  return (req as Scoped)[kTenantScope]
}

/** Sets the scope of a request. All later code of the request runs in this scope. */
export function setScope(req: object, scope: TenantScope): void {
  ;(req as Scoped)[kTenantScope] = scope
}

/** The facts about an application. Its scopes refer to them by `host`. */
interface TenantHost {
  readonly logger: Logger
  /**
   * Whether the application has `authorize`, or a guard with `tenantOf`. The tenant that a request specifies is then a
   * claim until it has been allowed.
   */
  readonly authorizes: boolean
  /** Whether the warning about a `next` in the scope of another request has been logged. */
  hasWarnedOfScope: boolean
}

const hosts = new WeakMap<object, TenantHost>()

/** Registers an application. */
export function noteHost(host: object, facts: Pick<TenantHost, 'logger' | 'authorizes'>): void {
  hosts.set(host, { ...facts, hasWarnedOfScope: false })
}

/** Returns the application that a scope belongs to; `undefined` outside an application. */
export function hostOf(
  scope: { readonly host: object | undefined } | undefined,
): TenantHost | undefined {
  return scope?.host === undefined ? undefined : hosts.get(scope.host)
}

/**
 * The field of a `next` function that contains its request. A database driver may run a callback in the scope of the
 * request that opened its connection. `runWithTenant(id, next)` in that callback still applies to the request of
 * `next`.
 */
export const kRequest: unique symbol = Symbol('blazon.tenantRequest')

/** A `next` function with its request. */
export interface RequestNext {
  readonly [kRequest]?: object
}

/**
 * The tenant that code runs for. Node's async context passes the tenant on to all code that the current code awaits or
 * starts. This class is for advanced use. Most applications need only `getTenantId` and `runWithTenant`. No method sets
 * a tenant without a callback, because on Node 20, the next request on the same connection would still have that
 * tenant.
 */
export class TenantContext {
  static readonly #storage = new AsyncLocalStorage<TenantScope | undefined>()

  /** Returns the current scope; `undefined` outside a scope. */
  static current(): TenantScope | undefined {
    return TenantContext.#storage.getStore()
  }

  /**
   * Runs a function in a scope and returns the function's result.
   *
   * @param scope A scope that `current()` returned. If you build a scope yourself, with another `origin`, it does not
   * become the request's scope. To set the tenant of a request, call `runWithTenant`.
   * @param fn The function.
   * @param args The arguments of the function.
   */
  static run<T, A extends unknown[]>(
    scope: TenantScope | undefined,
    fn: (...args: A) => T,
    ...args: A
  ): T {
    return TenantContext.#storage.run(scope, fn, ...args)
  }

  /**
   * Returns a function that always runs in the current scope. Use it for callbacks that you pass to a library which
   * loses the async context.
   *
   * @typeParam F The type of the function; the result has the same type.
   * @example
   * legacyPool.query(sql, TenantContext.bind((error, rows) => respond(rows)))
   */
  // biome-ignore lint/suspicious/noExplicitAny: the function may have any parameters
  static bind<F extends (...args: any[]) => unknown>(fn: F): F {
    const scope = TenantContext.current()
    const bound = function (this: unknown, ...args: unknown[]) {
      return TenantContext.run(scope, () => fn.apply(this, args))
    }
    return bound as F
  }
}

/** Creates a scope. The object is frozen, because all code that is started in the scope shares it. */
export function tenantScope(
  id: string | undefined,
  base: Omit<TenantScope, 'id'> | undefined,
): TenantScope {
  return Object.freeze({ id, origin: base?.origin ?? {}, depth: depthIn(base), host: base?.host })
}

/** Creates the scope for a request that specifies a tenant but is not yet allowed to act for it. */
export function claimScope(claim: string, base: Omit<TenantScope, 'id'>): TenantScope {
  const { origin, host } = base
  return Object.freeze({ id: undefined, origin, depth: depthIn(base), host, claim })
}

function depthIn(base: Omit<TenantScope, 'id'> | undefined): number {
  return base === undefined ? 0 : (base.depth ?? 0) + 1
}

/**
 * Returns the current tenant; `undefined` if there is none. Never throws. With `tenant.authorize`, or with a guard that
 * has `tenantOf`, middlewares run without a tenant. Only the guard and `authorize` itself receive the tenant that the
 * request specifies.
 *
 * @example
 * logger.info({ tenant: getTenantId() }, 'Invoice sent')
 */
export function getTenantId(): string | undefined {
  const scope = TenantContext.current()
  if (scope === undefined) return undefined
  return scope.id ?? (scope.isDeciding ? scope.claim : undefined)
}

/**
 * Returns the tenant that the current code is allowed to act for. Features that separate the data of tenants use it.
 * Never returns a claim.
 */
export function actingTenant(): string | undefined {
  return TenantContext.current()?.id
}

/**
 * Returns the current tenant.
 *
 * @throws HttpError 400 `TENANT_REQUIRED` if there is no tenant; 500 `TENANT_UNAUTHORIZED` if the request specifies a
 * tenant that neither `tenant.authorize` nor a guard has allowed yet.
 * @example
 * const rows = await db.query('select * from invoices where tenant_id = $1', [requireTenantId()])
 */
export function requireTenantId(): string {
  const scope = TenantContext.current()
  if (scope?.id !== undefined) return scope.id
  if (scope?.claim !== undefined) throw unauthorized()
  const message =
    scope === undefined
      ? 'This code runs without a tenant. Outside a request, call it inside runWithTenant(id, …)'
      : 'A tenant is required'
  throw new BadRequestError(message, { code: 'TENANT_REQUIRED' })
}

/**
 * Runs a function for a tenant and returns its result. All code that the function awaits or starts also runs for this
 * tenant. If a middleware calls `runWithTenant(id, next)`, this sets the tenant of the request. In all other cases, the
 * scope ends with the function. If the function returns a query that has not started yet, as with Drizzle and Knex, the
 * query is still sent in the scope. The ID is not checked against `tenant.pattern` and `tenant.store`, because the
 * caller is trusted.
 *
 * @param tenantId A string of 1 to 256 characters without control characters.
 * @param fn The function.
 * @throws TypeError for any other ID, including a missing ID.
 * @example
 * for (const { id } of tenants) await runWithTenant(id, () => sendInvoices())
 */
export function runWithTenant<T>(tenantId: string, fn: () => T): T {
  assertTenantId(tenantId, 'runWithTenant()')
  const request = (fn as RequestNext)[kRequest]
  const base = (request && scopeOn(request)) ?? TenantContext.current()
  return TenantContext.run(tenantScope(tenantId, base), () => begun(fn()))
}

/**
 * Starts a lazy result while the scope is active. A query builder sends its query only when it is awaited, which would
 * be after the scope has ended. A generator runs while it is being read, so its methods are bound to the scope.
 */
function begun<T>(value: T): T {
  if (isGenerator(value)) return bindGenerator(value)
  const isLazy = isThenable(value) && !(value instanceof Promise)
  return isLazy ? (Promise.resolve(value) as T) : value
}

type AnyGenerator = Generator | AsyncGenerator

function isGenerator<T>(value: T): value is T & AnyGenerator {
  const tag = Object.prototype.toString.call(value)
  return tag === '[object Generator]' || tag === '[object AsyncGenerator]'
}

function bindGenerator<T extends AnyGenerator>(generator: T): T {
  const { next, return: end, throw: fail } = generator as Generator
  const methods = { next, return: end, throw: fail }
  for (const [name, method] of Object.entries(methods)) {
    const value = TenantContext.bind(method.bind(generator as Generator))
    Object.defineProperty(generator, name, { value, writable: true, configurable: true })
  }
  return generator
}

/**
 * Throws if the tenant is still unconfirmed in the current request. If `tenant` is `undefined`, checks the current
 * tenant.
 */
export function refuseClaim(tenant: string | undefined): void {
  const scope = TenantContext.current()
  const isClaim = scope?.id === undefined && scope?.claim !== undefined
  if (isClaim && (tenant === undefined || tenant === scope.claim)) throw unauthorized()
}

const TOO_EARLY =
  'The request specifies a tenant that neither `tenant.authorize` nor `tenantOf` of a guard has allowed yet: this code runs too early, in the guard or in a middleware. Move it to a handler, or to a router in tenantRouter(): both run after the guard. If the program itself chooses the tenant, use runWithTenant(id, …)'

/** Creates the error for using a tenant's data before `tenant.authorize` has allowed the tenant. */
export function unauthorized(): HttpError {
  return new HttpError(500, TOO_EARLY, { code: 'TENANT_UNAUTHORIZED' })
}

/**
 * Runs a function without a tenant and returns its result. Use it for the rare work that concerns all tenants. During a
 * request, the call is logged with the level `info`, the reason and the tenant of the request.
 *
 * @param reason The reason why the function concerns all tenants, for the log.
 * @param fn The function.
 * @throws TypeError if the reason is missing or empty.
 * @example
 * const count = await runWithoutTenant('usage report', () => db.countAllTenants())
 */
export function runWithoutTenant<T>(reason: string, fn: () => T): T {
  if (typeof reason !== 'string' || reason.trim() === '') {
    throw new TypeError(
      'runWithoutTenant(): the reason is missing or empty. Pass a string for the log.',
    )
  }
  const current = TenantContext.current()
  hostOf(current)?.logger.info({ reason, tenant: current?.id }, 'Run without a tenant')
  const scope = Object.freeze({ ...tenantScope(undefined, current), isForAll: true as const })
  return TenantContext.run(scope, () => begun(fn()))
}

/** Whether the current code is allowed to read the data of every tenant: outside requests, or in `runWithoutTenant`. */
export function actsForAll(): boolean {
  const scope = TenantContext.current()
  return scope === undefined || scope.isForAll === true
}

/** The default of `tenant.pattern`. */
export const DEFAULT_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Longer IDs are refused with every pattern, because cache keys, limit keys and logs contain IDs. */
const MAX_LENGTH = 256

/**
 * Property names that every object has, and missing values as strings, because `` `${undefined}` `` is a common
 * mistake.
 */
const RESERVED: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
  'undefined',
  'null',
])

/** Whether a value is a tenant ID. */
export type IsTenantId = (value: unknown) => value is string

/** Creates the test for tenant IDs. The pattern must match the whole ID, even if the pattern has no anchors. */
export function compileIdTest(pattern: RegExp): IsTenantId {
  // With the flags `g` and `y`, a regular expression continues after the last match. With `m`, `$` matches at the end
  // of each line.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''))
  return (value): value is string => isUsable(value) && whole.test(value)
}

/** Whether trusted code is allowed to use a value as a tenant ID. */
function isUsable(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_LENGTH &&
    !RESERVED.has(value) &&
    // Every lone surrogate becomes U+FFFD in UTF-8, so two different IDs would be the same in a database.
    !/[\ud800-\udfff]/u.test(value)
  )
}

/**
 * Throws if a value is not a tenant ID. The message contains the name of the calling function, but not the value.
 *
 * @throws TypeError
 */
export function assertTenantId(value: unknown, caller: string): asserts value is string {
  if (isUsable(value) && !/[^ -~\xa0-\u{10ffff}]/u.test(value)) return
  const kind =
    typeof value === 'string'
      ? 'the tenant ID is not valid'
      : `the type of the tenant ID is ${typeName(value)}`
  throw new TypeError(
    `${caller}: ${kind}. Pass a string of 1 to ${MAX_LENGTH} characters without control characters.`,
  )
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value
}
