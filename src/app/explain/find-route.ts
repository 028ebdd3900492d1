import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import { buildRouter } from '../../routing/build-router.js'
import type { RouteQuery } from './explanation.js'

/** The methods that requests may have; an `@All` route is found by each of them. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** The route that was found, or why it was not, with the routes that the user may have meant. */
export type Found =
  | { readonly kind: 'route'; readonly route: RouteModel }
  | { readonly kind: 'several' | 'method' | 'none'; readonly candidates: readonly RouteModel[] }

/**
 * Finds a route as a request does: by the router. The path of a route is a path of its own requests, too: `:id` and
 * `{id}` are values of the parameter.
 */
export function findRoute({ routes }: AppModel, { method, path }: RouteQuery): Found {
  const match = buildRouter(routes)
  const reached = (name: string): RouteModel[] => {
    const result = match(name, path)
    return result.kind === 'route' ? routes.slice(result.index, result.index + 1) : []
  }
  const all = [...new Set(METHODS.flatMap(reached))]
  const found = method === null ? all : ofMethod(method, all, reached)
  const [route] = found
  if (route !== undefined && found.length === 1) return { kind: 'route', route }
  if (found.length > 1) return { kind: 'several', candidates: found }
  if (all.length > 0) return { kind: 'method', candidates: all }
  return { kind: 'none', candidates: mostSimilarFirst(routes, path) }
}

function ofMethod(
  method: string,
  all: readonly RouteModel[],
  reached: (method: string) => RouteModel[],
): readonly RouteModel[] {
  return method === 'ALL' ? all.filter((route) => route.method === 'ALL') : reached(method)
}

/** Sorts routes by the number of segments that they share with a path, wherever the segments are. */
function mostSimilarFirst(routes: readonly RouteModel[], path: string): RouteModel[] {
  const wanted = new Set(segmentsOf(path))
  const shared = (route: RouteModel) =>
    segmentsOf(route.path).filter((segment) => wanted.has(segment)).length
  return routes.toSorted((a, b) => shared(b) - shared(a))
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split('/').filter(Boolean)
}
