import type { ErrorRequestHandler, NextFunction, RequestHandler } from '../../contracts/handler.js'
import type { StepFactory as PublicStage } from '../../contracts/steps.js'
import {
  buildTenancy,
  type Tenancy,
  type TenancyConfig,
} from '../../features/tenancy/build-tenancy.js'
import { rejoin, tenantScopes } from '../../features/tenancy/request-tenant.js'
import { hostOf, kRequest, TenantContext } from '../../features/tenancy/tenant-context.js'
import { type Handle, type WrapHandle, wrapLayers } from '../../http/express-routers.js'
import type { BlazonRequest } from '../../http/request.js'
import { kPassOn, kTenantScope } from '../../http/symbol-fields.js'
import {
  internalStep,
  type OnError,
  type RunRoute,
  type Step,
  type StepFactory,
} from '../../step/step.js'
import { noteRouterAccess } from './tenant-router.js'

/** How an application admits requests to routers that require a tenant. */
export interface RouterTenancy {
  /** The stages before such a router; `null` for stages that the application does not use. */
  readonly stages: Readonly<
    Record<'unverifiedTenant' | 'tenant' | 'authorizeTenant', StepFactory | null>
  >
  /** Sets the step that allows or refuses a request to a router. */
  readonly noteRouterAccess: (admit: Step) => void
}

/** The parts that tenancy adds to request processing, and the source of its steps. */
export interface RunningTenancy extends Pick<Tenancy, 'scopes' | 'steps'> {
  readonly enter: (ends: { run: RunRoute; onError: OnError }) => RunRoute
  readonly wrapMiddlewares: typeof wrapMiddlewares
  readonly ofRouters: RouterTenancy
}

/** Starts the tenancy of an application. This module is loaded only for applications with tenants. */
export function startTenancy(config: TenancyConfig): RunningTenancy {
  const tenancy = buildTenancy(config)
  return {
    enter: (ends) => returnInOwnContext(tenancy.enter(ends)),
    wrapMiddlewares,
    ofRouters: routerTenancy(tenancy, config.host),
    scopes: tenancy.scopes,
    steps: tenancy.steps,
  }
}

function routerTenancy({ stagesOfRouters }: Tenancy, host: object): RouterTenancy {
  const { unverifiedTenant, tenant, authorizeTenant } = stagesOfRouters
  return {
    stages: {
      unverifiedTenant: orNull(unverifiedTenant),
      tenant: orNull(tenant),
      authorizeTenant: orNull(authorizeTenant),
    },
    noteRouterAccess: (admit) => noteRouterAccess(host, admit),
  }
}

function orNull(stage: PublicStage | null): StepFactory | null {
  return stage === null ? null : internalStep(stage)
}

/** The middlewares of an application, separated from its error middlewares. */
interface Sorted {
  readonly handlers: readonly RequestHandler[]
  readonly errorHandlers: readonly {
    readonly handle: ErrorRequestHandler
    readonly place: number
  }[]
}

/**
 * Wraps middlewares so that the handlers after them run in the scope of the request. A middleware that reads a body or
 * queries a pool can call `next` after the async context has been lost, or in the context of another request. If a
 * middleware calls `runWithTenant(id, next)`, that tenant applies from then on.
 *
 * @param all The middlewares as the application lists them. Layers of routers are wrapped in place.
 */
function wrapMiddlewares(all: readonly unknown[], { handlers, errorHandlers }: Sorted): Sorted {
  for (const middleware of all) wrapLayers(middleware, keepHandle)
  return {
    handlers: handlers.map(keepTenant),
    errorHandlers: errorHandlers.map(({ handle, place }) => {
      return { handle: keepHandle(handle, 'error') as ErrorRequestHandler, place }
    }),
  }
}

/**
 * Wraps only `next`, because the scope has already been entered when a request reaches a middleware of its application.
 */
function keepTenant(middleware: RequestHandler): RequestHandler {
  return function runKeepingTenant(req: BlazonRequest, res, next) {
    return middleware(req, res, keepNext(req, next))
  }
}

/**
 * Wraps a router's handler, so that it runs in the scope of the current request. A request without a scope is not
 * changed, because applications without tenants can use the same router. The scope is entered before each handler,
 * because a previous handler can continue by other means than `next`, such as `req.next`.
 */
const keepHandle: WrapHandle = (handle, kind) => {
  if (kind === 'error') {
    return function runKept(this: unknown, error: unknown, req: BlazonRequest, res, next) {
      if (req[kTenantScope] === undefined) return handle.call(this, error, req, res, next)
      return tenantScopes.keep(req, () => handle.call(this, error, req, res, keepNext(req, next)))
    }
  }
  return function runKept(this: unknown, req: BlazonRequest, res, next, ...rest) {
    if (req[kTenantScope] === undefined) return handle.call(this, req, res, next, ...rest)
    return tenantScopes.keep(req, () => handle.call(this, req, res, keepNext(req, next), ...rest))
  } as Handle
}

/** Wraps `next`, so that it continues in the scope of the request. */
function keepNext(req: BlazonRequest, next: NextFunction): NextFunction {
  const goOn = ((argument?: unknown) => {
    // In the usual case, no closure is needed.
    if (req[kTenantScope] === TenantContext.current()) return next(argument)
    if (isInForeignTenant(req)) warnOfForeignScope(req)
    rejoin(req, () => next(argument))
  }) as NextFunction & { [kRequest]?: BlazonRequest }
  goOn[kRequest] = req
  return goOn
}

/**
 * Whether `next` was called in the tenant scope of another request, while this request has no tenant. The middleware
 * may have intended that tenant for this request, so a warning is logged.
 */
function isInForeignTenant({ [kTenantScope]: own }: BlazonRequest): boolean {
  if (own?.id !== undefined || own?.claim !== undefined) return false
  const current = TenantContext.current()
  return current?.id !== undefined && current.origin !== own?.origin
}

const FOREIGN_SCOPE =
  'A middleware called `next` in the tenant scope of another request. That scope is ignored: this request keeps its own. To set a tenant, pass `next` itself: runWithTenant(id, next), or bind the callback: TenantContext.bind(callback).'

/** Logs the warning, once for each application. */
function warnOfForeignScope(req: BlazonRequest): void {
  const host = hostOf(req[kTenantScope])
  if (host === undefined || host.hasWarnedOfScope) return
  host.hasWarnedOfScope = true
  host.logger.warn({}, FOREIGN_SCOPE)
}

/** If the application is mounted in a host application, the host continues in its own async context. */
function returnInOwnContext(run: RunRoute): RunRoute {
  return function bindReturn(req, res) {
    if (req[kPassOn] !== undefined) req[kPassOn] = TenantContext.bind(req[kPassOn])
    run(req, res)
  }
}
