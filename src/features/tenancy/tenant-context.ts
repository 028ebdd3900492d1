import { AsyncLocalStorage } from 'node:async_hooks'
import type { TenantScope } from '../../contracts/tenant.js'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { kTenantScope } from '../../http/own-fields.js'
import { isThenable } from '../../step/thenable.js'
import { hostOf } from './tenant-hosts.js'
import { assertTenantId } from './tenant-id.js'

/**
 * On the `next` of a middleware: whose request it passes on. A driver of a database may call back in the scope of whichever
 * request has opened its connection; `runWithTenant(id, next)` there still means the request that `next` belongs to.
 */
export const kRequest: unique symbol = Symbol('blazon.tenantRequest')

/** A `next` that knows its request. */
export interface RequestNext {
  readonly [kRequest]?: { readonly [kTenantScope]: TenantScope | undefined }
}

/**
 * The tenant in whose name code runs, carried by Node's async context through everything that it awaits or sets going.
 * For advanced use: `getTenantId` and `runWithTenant` are all that most code needs. It has no way to set a tenant for what
 * runs now: on Node 20 such a tenant would still be there in the next request of the same connection.
 */
export class TenantContext {
  static readonly #storage = new AsyncLocalStorage<TenantScope | undefined>()

  /** The scope that runs now; `undefined` outside of one. */
  static current(): TenantScope | undefined {
    return TenantContext.#storage.getStore()
  }

  /**
   * Runs a function in a scope, with the arguments that follow it, and answers with what it answers.
   *
   * @param scope One of `current()`. A scope that is made by hand, with an `origin` of its own, is not taken for that of the
   * request: to say whose a request is, call `runWithTenant`.
   */
  static run<T, A extends unknown[]>(
    scope: TenantScope | undefined,
    fn: (...args: A) => T,
    ...args: A
  ): T {
    return TenantContext.#storage.run(scope, fn, ...args)
  }

  /**
   * A function that runs in the scope of now, whoever calls it: for callbacks of what forgets its callers.
   *
   * @typeParam F The type of the function; the result has the same.
   * @example
   * legacyPool.query(sql, TenantContext.bind((error, rows) => respond(rows)))
   */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the function takes
  static bind<F extends (...args: any[]) => unknown>(fn: F): F {
    const scope = TenantContext.current()
    const bound = function (this: unknown, ...args: unknown[]) {
      return TenantContext.run(scope, () => fn.apply(this, args))
    }
    return bound as F
  }
}

/** Makes a scope. Frozen, because it is shared by everything that is started in it. */
export function tenantScope(
  id: string | undefined,
  base: Omit<TenantScope, 'id'> | undefined,
): TenantScope {
  return Object.freeze({ id, origin: base?.origin ?? {}, depth: depthIn(base), host: base?.host })
}

/** Makes the scope of a request that names a tenant and may not act for it yet. */
export function claimScope(claim: string, base: Omit<TenantScope, 'id'>): TenantScope {
  const { origin, host } = base
  return Object.freeze({ id: undefined, origin, depth: depthIn(base), host, claim })
}

function depthIn(base: Omit<TenantScope, 'id'> | undefined): number {
  return base === undefined ? 0 : (base.depth ?? 0) + 1
}

/**
 * The tenant in whose name this code runs; `undefined` where there is none (specification section 2.7). Never throws. With
 * `tenant.authorize`, middlewares run in nobody's name; the guard and `authorize` itself see the tenant that the request names.
 *
 * @example
 * logger.info({ tenant: getTenantId() }, 'Invoice sent')
 */
export function getTenantId(): string | undefined {
  const scope = TenantContext.current()
  if (scope === undefined) return undefined
  return scope.id ?? (scope.isAsked ? scope.claim : undefined)
}

/** The tenant that this code may act for, as what keeps things apart by tenant asks: never one that is only claimed. */
export function actingTenant(): string | undefined {
  return TenantContext.current()?.id
}

/**
 * The tenant in whose name this code runs.
 *
 * @throws HttpError 400 `TENANT_REQUIRED` where there is none; 500 `TENANT_UNAUTHORIZED` where the request names one and
 * `tenant.authorize` has not said yet that it may act for it.
 * @example
 * const rows = await db.query('select * from invoices where tenant_id = $1', [requireTenantId()])
 */
export function requireTenantId(): string {
  const scope = TenantContext.current()
  if (scope?.id !== undefined) return scope.id
  if (scope?.claim !== undefined) throw unauthorized()
  const message =
    scope === undefined
      ? 'There is no tenant here. Outside a request, call this inside runWithTenant(id, …)'
      : 'A tenant is required'
  throw refuse('TENANT_REQUIRED', message, { stack: true })
}

/**
 * Runs a function in the name of a tenant, with everything that it awaits or sets going, and answers with what it answers. A
 * middleware that calls `runWithTenant(id, next)` says whose the request is (specification section 4.8.4); elsewhere the
 * scope ends with the function, and a query that it answers with, of Drizzle or Knex for one, is sent in it. The id is not checked against `tenant.pattern` and `tenant.store`: who calls this is believed.
 *
 * @param tenantId Text of 1 to 256 characters, none of them a control character.
 * @throws TypeError when it is none: a missing tenant never becomes "no tenant".
 * @example
 * for (const { id } of tenants) await runWithTenant(id, () => sendInvoices())
 */
export function runWithTenant<T>(tenantId: string, fn: () => T): T {
  assertTenantId(tenantId, 'runWithTenant()')
  const request = (fn as RequestNext)[kRequest]
  const base = request?.[kTenantScope] ?? TenantContext.current()
  return TenantContext.run(tenantScope(tenantId, base), () => begun(fn()))
}

/**
 * What query builders answer with is asked for only when somebody waits for it, which would be outside of the scope: it is asked for at once. A generator
 * runs while it is read, and goes on in the scope whoever reads it.
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

/** Throws where a tenant, or that of now, is one that the request of now has named and may not act for yet. */
export function refuseClaim(tenant: string | undefined): void {
  const scope = TenantContext.current()
  const isClaim = scope?.id === undefined && scope?.claim !== undefined
  if (isClaim && (tenant === undefined || tenant === scope.claim)) throw unauthorized()
}

const TOO_EARLY =
  'The request names a tenant, and `tenant.authorize` has not allowed that tenant yet: this code runs too early, in the guard or in a middleware. Move it to a handler, or to a router in tenantRouter(), which both run after the guard. Where the program itself chooses the tenant, use runWithTenant(id, …)'

/** The error of code that acts on data of a tenant before `tenant.authorize` has allowed that tenant: the program runs too early. */
export function unauthorized(): HttpError {
  return refuse('TENANT_UNAUTHORIZED', TOO_EARLY, { stack: true })
}

/**
 * Runs a function in nobody's name: for the rare thing that concerns all tenants. Inside of a request, the application's log
 * says so, with the reason and the tenant of the request, as `info`.
 *
 * @param reason For whoever reads the log.
 * @throws TypeError without a reason.
 * @example
 * const count = await runWithoutTenant('usage report', () => db.countAllTenants())
 */
export function runWithoutTenant<T>(reason: string, fn: () => T): T {
  if (typeof reason !== 'string' || reason.trim() === '') {
    throw new TypeError('runWithoutTenant() needs a reason: a text that the log shows.')
  }
  const current = TenantContext.current()
  hostOf(current)?.logger.info({ reason, tenant: current?.id }, 'Run without a tenant')
  const scope = Object.freeze({ ...tenantScope(undefined, current), isForAll: true as const })
  return TenantContext.run(scope, () => begun(fn()))
}

/** Whether this code may see what belongs to any tenant: outside of requests, or in `runWithoutTenant`. */
export function actsForAll(): boolean {
  const scope = TenantContext.current()
  return scope === undefined || scope.isForAll === true
}
