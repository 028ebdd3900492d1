import type { RouteModel } from '../contracts/route-model.js'
import type { BlazonRequest } from '../http/request.js'

/**
 * Returns our route of a request. An Express router sets `req.route` to its own route, whose path is only a part of the
 * whole.
 */
export function routeOf({ route }: Partial<BlazonRequest>): RouteModel | undefined {
  return route !== undefined && Object.hasOwn(route, 'controller') ? route : undefined
}
