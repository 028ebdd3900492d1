import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { usesTenants } from '../../features/tenancy/tenant-rules.js'
import { isAtRoot, type Layer, routerIn } from '../../http/express-routers.js'
import { writePath } from '../../model/paths.js'
import { endsAll, isEnd, MOUNT_REMEDY } from '../check-middlewares.js'
import type { UnstartedApp } from '../declared-app.js'
import { ignoredOverrides } from '../describe.js'
import { loadPlugins } from '../features.js'
import { listFrameworkRoutes } from '../framework-routes.js'
import type { Settings } from '../settings/settings.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import { checkProduction, type ProductionProblem } from './production-options.js'

/** The parts of an application that the doctor examines. */
export interface ExaminedApp {
  /**
   * The problems that boot would report, and settings that are unsafe in production. Without `strict`, only problems
   * with an `E_` code prevent the start.
   */
  readonly problems: readonly (Problem | ProductionProblem)[]
  readonly usesTenants: boolean
}

/**
 * Examines an application that has not started: no provider is created, and no plugin is set up.
 *
 * @throws ConfigError with all errors in the options and decorators.
 */
export async function examineApp(unstarted: UnstartedApp): Promise<ExaminedApp> {
  const { context, declared } = unstarted
  const { settings, documents, description } = declared
  const { model, warnings } = description
  const plugins = await loadPlugins(settings, model)
  const added = listFrameworkRoutes({ documents, plugins, model, app: context, settings })
  return {
    problems: [
      ...warnings,
      ...added.problems,
      ...ignoredOverrides(settings),
      ...findHiddenRoutes(settings, model),
      ...checkProduction(settings, model),
    ],
    usesTenants: usesTenants(settings.tenant, model),
  }
}

/**
 * Finds routers in `middlewares` with a handler for many paths that has no parameter `next` and matches a route of the
 * application. Boot checks only handlers without a path.
 */
function findHiddenRoutes({ middlewares }: Settings, { routes }: AppModel): Problem[] {
  return middlewares.flatMap((named) => {
    // `W_MIDDLEWARE_DEAD_END` already reports that all routes are hidden.
    if (endsAll(named.middleware)) return []
    const hidden = routes.filter((route) => hides(named.middleware, route))
    return hidden.length === 0 ? [] : [problemOf(named, hidden)]
  })
}

function hides(middleware: unknown, route: RouteModel): boolean {
  return routerIn(middleware)?.stack.some((layer) => layerHides(layer, route)) === true
}

function layerHides(layer: Layer, route: RouteModel): boolean {
  if (isAtRoot(layer)) return hides(layer.handle, route)
  if (!matches(layer, exampleOf(route))) return false
  if (layer.route === undefined) return routerIn(layer.handle) === undefined && isEnd(layer.handle)
  const { path, methods, stack } = layer.route
  // A route with a specific path is intentional.
  if (typeof path === 'string' && !path.includes('*')) return false
  const method = route.method.toLowerCase()
  const isFor = methods['_all'] === true || methods[method] === true
  return isFor && stack.some((each) => isForMethod(each, method) && isEnd(each.handle))
}

/** Whether a route handler applies to a method. The layer of a handler for all methods has no method. */
function isForMethod(layer: Layer, method: string): boolean {
  const own = (layer as { method?: string }).method
  return own === undefined || own === method
}

/**
 * Whether a layer matches a path. Some versions of `match` return `true`, and others return the match. The layers of
 * other routers have no such method.
 */
function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean((layer as { match?: (path: string) => unknown }).match?.(path))
  } catch {
    return false
  }
}

/** An example of a request path for a route. */
function exampleOf({ path }: RouteModel): string {
  return writePath(path, () => 'x')
}

function problemOf({ name }: NamedMiddleware, hidden: readonly RouteModel[]): Problem {
  const [first] = hidden as [RouteModel]
  const others = hidden.length === 1 ? '' : ` In total, ${hidden.length} routes are hidden.`
  return {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    subject: name,
    cause: `It contains a handler for many paths that has no parameter \`next\` and responds to ${first.method} ${first.path}, so the request never reaches ${first.name}.${others}`,
    remedy: `Remove the handler, or add the parameter \`next\` and call it for the paths of routes. ${MOUNT_REMEDY}`,
  }
}
