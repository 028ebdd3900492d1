import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import { writePath } from '../../model/paths.js'
import { buildRouter } from '../../routing/build-router.js'
import type { RouteQuery } from './explanation.js'

/** The methods that requests may have; an `@All` route is found by each of them. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** The routes that match a query, and those that match its path. */
export interface FoundRoutes {
  readonly found: readonly RouteModel[]
  readonly candidates: readonly RouteModel[]
}

/**
 * Finds routes as a request does: by the router. The path of a route is the path of one of its own requests, too: `:id`
 * and `{id}` are values of the parameter.
 */
export function findRoutes({ routes }: AppModel, { method, path }: RouteQuery): FoundRoutes {
  const match = buildRouter(routes)
  const isOwn = routes.some((route) => route.path === path)
  const url = isOwn ? writePath(path, (name) => `:${name}`) : path
  const reached = (name: string): RouteModel[] => {
    const result = match(name, url)
    return result.kind === 'route' ? routes.slice(result.index, result.index + 1) : []
  }
  const candidates = [...new Set(METHODS.flatMap(reached))]
  if (method === null) return { found: candidates, candidates }
  const ofAll = candidates.filter((route) => route.method === 'ALL')
  return { found: method === 'ALL' ? ofAll : reached(method), candidates }
}
