import type { RouteModel } from '../contracts/route-model.js'

/** The routes of requests that are in a router of `@Use`, which puts its own route into `req.route`. */
const routes = new WeakMap<object, RouteModel>()

/** Notes the route of a request whose `req.route` other code may replace. */
export function noteRoute(req: object, route: RouteModel): void {
  routes.set(req, route)
}

/** Returns the route of a request, also in a router of `@Use`; `undefined` if the request has none. */
export function routeOf(req: { readonly route?: unknown }): RouteModel | undefined {
  const route = req.route as RouteModel | undefined
  // A route of Express has no such field.
  return route?.isEnveloped === undefined ? routes.get(req) : route
}
