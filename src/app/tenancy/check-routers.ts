import type { Middleware } from '../../contracts/handler.js'
import type { Problem } from '../../errors/config-error.js'
import { type ExpressRoute, listRoutes } from '../../http/express-routes.js'
import { guardedRouterOf, isOpenRouter } from './tenant-router.js'

/** The maximum number of routes in a warning. */
const NAMED = 5

/** A middleware with its name for messages. */
export interface NamedMiddleware {
  readonly middleware: Middleware
  /** `middlewares[2]`; `middlewares[2][0]` for a middleware in a nested list. */
  readonly name: string
}

/** The settings that decide whether the routers in `middlewares` are safe. */
export interface RouterSetting {
  readonly middlewares: readonly NamedMiddleware[]
  readonly tenant: object | null
  readonly auth: { readonly guards: readonly unknown[] }
}

/** Returns the problems with the routers of an application: errors and warnings. */
export function checkRouters({ middlewares, tenant, auth }: RouterSetting): Problem[] {
  const hasTenants = tenant !== null
  const hasGuard = auth.guards.length > 0
  return middlewares.flatMap(({ middleware, name }) => {
    let isGuarded = false
    const routes = listRoutes(middleware, (each) => {
      const isGuard = guardedRouterOf(each) !== undefined
      isGuarded ||= isGuard
      return isGuard || isOpenRouter(each)
    })
    return [
      ...(isGuarded && !(hasTenants && hasGuard) ? [unusable(name, hasTenants)] : []),
      ...(hasTenants && routes.length > 0 ? [unprotected(name, routes)] : []),
    ]
  })
}

function unusable(subject: string, hasTenants: boolean): Problem {
  const missing = hasTenants ? '`auth.guard`' : '`tenant`'
  return {
    code: 'E_TENANT_ROUTER',
    subject,
    cause: `tenantRouter() admits the requests that the guard allows and that specify a tenant, but this application has no ${missing}.`,
    remedy:
      'Configure `tenant` and `auth.guard`, or list the router itself, without tenantRouter().',
  }
}

function unprotected(subject: string, routes: readonly ExpressRoute[]): Problem {
  const names = routes.map(
    ({ methods, path }) => `${methods.join('|')} ${path ?? '(path unknown)'}`,
  )
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return {
    code: 'W_TENANT_ROUTER',
    subject,
    cause: `It is a router that handles these requests itself: ${names.slice(0, NAMED).join(', ')}${more}. Neither the guard nor \`tenant.authorize\` runs before it.`,
    remedy:
      'Make both run before it: tenantRouter(router, { path }). If the router is intentionally public, write publicRouter(router).',
  }
}
