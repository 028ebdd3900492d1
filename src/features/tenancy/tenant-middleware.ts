import type { Clock } from '../../contracts/clock.js'
import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import { refused } from '../../errors/http-error.js'
import type { BlazonRequest } from '../../http/request.js'
import { isThenable, type OnError, type RunRoute } from '../../http/step.js'
import { toSeconds } from '../../http/units.js'
import { compileIdentify } from './identify-tenant.js'
import { TenantContext, tenantScope } from './tenant-context.js'
import { TenantDirectory, type Verdict } from './tenant-directory.js'
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

/**
 * Gives every request of an application a scope of its own, whether it names a tenant or not: by its origin, what a callback
 * brings along from another request can be told from it. No middleware, because their `next` would cost as much as the rest.
 *
 * @param resolve `null` where only the application's own middlewares know tenants.
 */
export function enterScope(
  resolve: ResolveTenant | null,
  host: object,
  { run, onError }: ScopeEnds,
): RunRoute {
  function enter(id: string | undefined, req: BlazonRequest, res: Response): void {
    const scope = Object.freeze({ id, origin: {}, host })
    req.tenantScope = scope
    TenantContext.run(scope, run, req, res)
  }
  function refuse(error: unknown, req: BlazonRequest, res: Response): void {
    req.tenantScope = tenantScope(undefined, { origin: {}, host })
    onError(error ?? new Error('A strategy of `tenant.strategies` threw nothing'), req, res)
  }
  return function identifyTenant(req, res) {
    // Whoever mounted this application goes on where it was.
    if (req.passOn !== undefined) req.passOn = TenantContext.bind(req.passOn)
    if (resolve === null) return enter(req.tenantScope?.id, req, res)
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
  return function tenantMiddleware(req: BlazonRequest, _res, next) {
    const enter = (id: string | undefined) => {
      const outer = req.tenantScope
      if (options.required === true && id === undefined && outer?.id === undefined) {
        throw refused('TENANT_REQUIRED', refusal)
      }
      const scope = id === undefined && outer !== undefined ? outer : tenantScope(id, outer)
      req.tenantScope = scope
      TenantContext.run(scope, () => next())
    }
    const found = resolve(req)
    return isThenable(found) ? found.then(enter) : enter(found)
  }
}

/** What a client is told that has named no tenant. */
export function requiredMessage(options: TenantSourceOptions | undefined): string {
  const header = options === undefined ? null : tenantHeader(options)
  return header === null
    ? 'A tenant is required'
    : `A tenant is required: send the header ${header}`
}
