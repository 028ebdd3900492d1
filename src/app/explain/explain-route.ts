import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import { chainOf, readDecorators } from '../../metadata/read.js'
import { writePath } from '../../model/paths.js'
import { listVersions, routesIn } from '../../model/versions.js'
import { buildRouter } from '../../routing/build-router.js'
import { isForErrors } from '../prepare-middlewares.js'
import { routeTable } from '../route-table.js'
import { explainSteps, type ReadApp } from './explain-steps.js'
import type {
  ExplainedDecorator,
  ExplainResult,
  RouteExplanation,
  RouteQuery,
} from './explanation.js'
import { findPlace } from './find-place.js'
import { nameOf } from './name-of.js'

/** The methods that requests may have; an `@All` route is found by each of them. */
const METHODS = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** The routes that match a query, and those that match its path. */
export interface FoundRoutes {
  readonly found: readonly RouteModel[]
  readonly candidates: readonly RouteModel[]
}

/**
 * Finds routes as a request does: by the router. The path of a route is the path of one of its own requests, too: `:id`
 * and `{id}` are values of the parameter.
 */
export function findRoutes(model: AppModel, { method, path, version }: RouteQuery): FoundRoutes {
  const routes = version === undefined ? model.routes : routesIn(model.routes, version)
  const versions = listVersions(routes)
  const sets = versions.length === 0 ? [routes] : versions.map((name) => routesIn(routes, name))
  const routers = sets.map((own) => ({ own, match: buildRouter(own) }))
  const isOwn = routes.some((route) => route.path === path)
  const url = isOwn ? writePath(path, (name) => `:${name}`) : path
  const reached = (name: string): RouteModel[] => {
    const all = routers.flatMap(({ own, match }) => {
      const result = match(name, url)
      return result.kind === 'route' ? own.filter(({ index }) => index === result.index) : []
    })
    return [...new Set(all)]
  }
  const candidates = [...new Set(METHODS.flatMap(reached))]
  if (method === null) return { found: candidates, candidates }
  const ofAll = candidates.filter((route) => route.method === 'ALL')
  return { found: method === 'ALL' ? ofAll : reached(method), candidates }
}

/** An application before it starts, and the folder that paths of files are relative to. */
export interface ExplainedApp extends ReadApp {
  readonly cwd: string
}

/** Finds a route and explains the steps of its requests. Nothing is constructed, and no plugin is set up. */
export function explainQuery(query: RouteQuery, app: ExplainedApp): ExplainResult {
  const { found, candidates } = findRoutes(app.model, query)
  const [route] = found
  if (route !== undefined && found.length === 1)
    return { kind: 'route', route: explainRoute(route, app) }
  return { kind: 'candidates', candidates: routeTable({ ...app.model, routes: candidates }) }
}

/** Explains the steps of a route's requests. */
export function explainRoute(route: RouteModel, app: ExplainedApp): RouteExplanation {
  const [row] = routeTable({ ...app.model, routes: [route] })
  return {
    ...(row as NonNullable<typeof row>),
    // Error middlewares are left out: a request passes them only after it has failed.
    before: app.settings.middlewares
      .filter(({ middleware }) => !isForErrors(middleware))
      .map(({ middleware, name: from }) => ({ name: nameOf(middleware), from })),
    steps: explainSteps(route, app),
    decorators: explainDecorators(route, app.cwd),
  }
}

/**
 * The decorators of a route with their places: decorators of the class and its base classes, then decorators of the
 * method.
 *
 * @param cwd The folder that the paths are relative to.
 */
function explainDecorators({ controller, handler }: RouteModel, cwd: string): ExplainedDecorator[] {
  const found = chainOf(controller).flatMap((link) =>
    readDecorators(link, handler).map((decorator) => ({ ...decorator, owner: link.name })),
  )
  const ofClass = found.filter(({ member }) => member === null)
  const ofMethod = found.filter(({ member }) => member !== null)
  return [...ofClass, ...ofMethod].map(({ name, owner, member, parameter, ...stacks }) => {
    const method = `${owner}.${String(member)}`
    const target = parameter === null ? method : `parameter ${parameter} of ${method}`
    return {
      name: name.replace('()', ''),
      on: member === null ? `class ${owner}` : target,
      at: findPlace(stacks, cwd),
    }
  })
}
