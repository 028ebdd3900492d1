import type { Clock } from '../../contracts/clock.js'
import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import type { TenantScope } from '../../contracts/tenant.js'
import { refused } from '../../errors/http-error.js'
import { kPassOn, kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { isThenable, type OnError, type RunRoute } from '../../http/step.js'
import { toSeconds } from '../../http/units.js'
import { noteRefusal } from '../../http/ways-on.js'
import { compileIdentify } from './identify-tenant.js'
import { claimScope, TenantContext, tenantScope } from './tenant-context.js'
import { TenantDirectory, type Verdict } from './tenant-directory.js'
import { hostOf } from './tenant-hosts.js'
import {
  type TenantMiddlewareOptions,
  type TenantSourceOptions,
  tenantHeader,
} from './tenant-options.js'

const POSITIVE_SECONDS = 60
const NEGATIVE_SECONDS = 5

/** The tenant of a request, confirmed; a promise where the store must be asked. Throws or rejects with an HTTP error. */
export type ResolveTenant = (req: Request) => string | undefined | Promise<string | undefined>

/** Makes the function that reads and confirms the tenant of a request. */
export function compileResolve(options: TenantSourceOptions, clock: Clock): ResolveTenant {
  const identify = compileIdentify(options)
  if (options.store === undefined) return identify
  const directory = new TenantDirectory(
    options.store,
    {
      positiveMs: 1000 * (toSeconds(options.positiveTtl ?? POSITIVE_SECONDS) ?? POSITIVE_SECONDS),
      negativeMs: 1000 * (toSeconds(options.negativeTtl ?? NEGATIVE_SECONDS) ?? NEGATIVE_SECONDS),
    },
    clock,
  )
  return function resolve(req) {
    const id = identify(req)
    if (id === undefined) return undefined
    const verdict = directory.find(id)
    return typeof verdict === 'string'
      ? admit(id, verdict)
      : verdict.then((settled) => admit(id, settled))
  }
}

function admit(id: string, verdict: Verdict): string {
  if (verdict === 'active') return id
  throw verdict === 'unknown'
    ? refused('TENANT_UNKNOWN', 'There is no such tenant')
    : refused('TENANT_SUSPENDED', 'This tenant is not served now')
}

/** Where a request goes that has a scope. */
export interface ScopeEnds {
  readonly run: RunRoute
  readonly onError: OnError
}

/** Whose requests they are. */
interface ScopeHost {
  /** What the application is known by in its scopes. */
  readonly host: object
  /** Whether what a request names is only a claim until `authorize` has been asked. */
  readonly authorizes: boolean
}

/**
 * Gives every request of an application a scope of its own, whether it names a tenant or not: by its origin, what a callback
 * brings along from another request can be told from it. No middleware, because their `next` would cost as much as the rest.
 *
 * @param resolve `null` where only the application's own middlewares know tenants.
 */
export function enterScope(
  resolve: ResolveTenant | null,
  { host, authorizes }: ScopeHost,
  { run, onError }: ScopeEnds,
): RunRoute {
  function enterAs(id: string | undefined, req: BlazonRequest, res: Response): void {
    const scope = Object.freeze({ id, origin: {}, host })
    req[kTenantScope] = scope
    TenantContext.run(scope, run, req, res)
  }
  function enterAsNobody(claim: string | undefined, req: BlazonRequest, res: Response): void {
    if (claim === undefined) return enterAs(undefined, req, res)
    const scope = claimScope(claim, { origin: {}, host })
    req[kTenantScope] = scope
    TenantContext.run(scope, run, req, res)
  }
  const enter = authorizes ? enterAsNobody : enterAs
  function refuse(error: unknown, req: BlazonRequest, res: Response): void {
    req[kTenantScope] = tenantScope(undefined, { origin: {}, host })
    onError(error ?? new Error('A strategy of `tenant.strategies` threw nothing'), req, res)
  }
  return function identifyTenant(req, res) {
    // Whoever mounted this application goes on where it was.
    if (req[kPassOn] !== undefined) req[kPassOn] = TenantContext.bind(req[kPassOn])
    if (resolve === null) return enter(req[kTenantScope]?.id, req, res)
    let found: ReturnType<ResolveTenant>
    try {
      found = resolve(req)
    } catch (error) {
      return refuse(error, req, res)
    }
    if (!isThenable(found)) return enter(found, req, res)
    found.then(
      (id) => enter(id, req, res),
      (error) => refuse(error, req, res),
    )
  }
}

/**
 * Makes the middleware that reads the tenant of a request and runs what follows in its scope. For routers and Express applications;
 * an application with the `tenant` option has it already. A request that names no tenant keeps the one it has.
 */
export function buildTenantMiddleware(
  options: TenantMiddlewareOptions,
  clock: Clock,
): RequestHandler {
  const resolve = compileResolve(options, clock)
  const refusal = requiredMessage(options)
  function scopeFor({ [kTenantScope]: outer }: BlazonRequest, id: string | undefined): TenantScope {
    if (options.required === true && (id ?? outer?.id ?? outer?.claim) === undefined) {
      throw refused('TENANT_REQUIRED', refusal)
    }
    return scopeWithin(outer, id)
  }
  return function tenantMiddleware(req: BlazonRequest, _res, next) {
    const enter = (scope: TenantScope) => {
      req[kTenantScope] = scope
      TenantContext.run(scope, () => next())
    }
    const refuse = (error: unknown) => {
      noteRefusal(req)
      throw error
    }
    const found = attempt(() => resolve(req), refuse)
    if (isThenable(found)) return found.then((id) => scopeFor(req, id)).then(enter, refuse)
    return enter(attempt(() => scopeFor(req, found), refuse))
  }
}

function attempt<T>(run: () => T, fail: (error: unknown) => never): T {
  try {
    return run()
  } catch (error) {
    return fail(error)
  }
}

/** In an application that has `authorize`, a header says no more here than it does there. */
function scopeWithin(outer: TenantScope | undefined, id: string | undefined): TenantScope {
  if (outer === undefined) return tenantScope(id, outer)
  if (id === undefined) return outer
  if (hostOf(outer)?.authorizes !== true) return tenantScope(id, outer)
  if (outer.id === undefined) return claimScope(id, outer)
  if (outer.id === id) return outer
  throw refused('TENANT_MISMATCH', 'The request names two different tenants')
}

/** What a client is told that has named no tenant. */
export function requiredMessage(options: TenantSourceOptions | undefined): string {
  const header = options === undefined ? null : tenantHeader(options)
  return header === null
    ? 'A tenant is required'
    : `A tenant is required: send the header ${header}`
}
