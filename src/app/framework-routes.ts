import type { FrameworkRoute, Plugin, PluginContext } from '../contracts/plugin.js'
import type { AppModel } from '../contracts/route-model.js'
import { ConfigError, invalid, type Problem } from '../errors/config-error.js'
import { pathProblem } from '../model/path-problem.js'
import { hasShape, pathParameters, pathShape } from '../model/paths.js'
import { ignoreRejection, isThenable } from '../step/step.js'
import { checkDocsRoutes } from './check-docs.js'
import { isFatal } from './describe.js'
import { type AppDocument, buildDocsRoutes } from './documents.js'
import type { Settings } from './settings/settings.js'

/** The input of {@link listFrameworkRoutes}. */
export interface AddedTo {
  readonly documents: readonly AppDocument[]
  readonly plugins: readonly Plugin[]
  readonly model: AppModel
  readonly app: Pick<PluginContext, 'get'>
  readonly settings: Pick<Settings, 'strict'>
}

/** Routes without a controller, with the problems of the routes and their documents. */
export interface AddedRoutes {
  readonly frameworkRoutes: readonly FrameworkRoute[]
  readonly problems: readonly Problem[]
}

/**
 * Lists the routes that no controller declares: the routes of documents, then the routes of plugins. Builds the served
 * documents, because their errors prevent a start.
 */
export function listFrameworkRoutes({
  documents,
  plugins,
  model,
  app,
  settings,
}: AddedTo): AddedRoutes {
  const served = documents.filter(({ isEnabled }) => isEnabled)
  // If the problems of a document prevent the start, no pages are built.
  const ofDocuments = served.flatMap((each) => each.problems)
  const isBroken = ofDocuments.some((problem) => isFatal(problem, settings))
  const pages = isBroken ? [] : buildDocsRoutes(served)
  const added = collectPluginRoutes(plugins, app)
  return {
    frameworkRoutes: [...pages, ...added.map(({ route }) => route)],
    problems: [
      ...ofDocuments,
      ...checkDocsRoutes(model, served),
      ...checkPluginRoutes(added, model, pages),
    ],
  }
}

/** A route and its plugin. */
interface PluginRoute {
  readonly plugin: string
  readonly route: FrameworkRoute
}

/**
 * The methods of controller routes that conflict with a `GET` route on the same path: one route would receive requests
 * for the other.
 */
const TAKEN: readonly string[] = ['GET', 'HEAD', 'ALL']

function collectPluginRoutes(
  plugins: readonly Plugin[],
  app: Pick<PluginContext, 'get'>,
): PluginRoute[] {
  return plugins.flatMap((plugin) => {
    const routes: unknown = plugin.routes?.(app) ?? []
    if (Array.isArray(routes)) return routes.map((route) => ({ plugin: plugin.name, route }))
    ignoreRejection(routes)
    const cause = `It returned ${isThenable(routes) ? 'a promise' : `a value of type ${typeof routes}`}.`
    const subject = `plugin '${plugin.name}', routes`
    throw new ConfigError([invalid(subject, cause, 'Return a list of routes, or null.')])
  })
}

/** Finds plugin routes with an invalid path, or with a path that is already used. */
function checkPluginRoutes(
  found: readonly PluginRoute[],
  { routes }: AppModel,
  documents: readonly FrameworkRoute[],
): Problem[] {
  const owners = new Map(documents.map(({ path }) => [pathShape(path), 'the documentation']))
  return found.flatMap(({ plugin, route }) => {
    const { path, remedy = `Move the route, or configure the plugin '${plugin}'.` } = route
    const syntax = syntaxProblem(path)
    if (syntax !== null) return [notAPath({ plugin, path, syntax })]
    const shape = pathShape(path)
    const earlier = owners.get(shape)
    owners.set(shape, `the plugin '${plugin}'`)
    if (earlier !== undefined) {
      const cause = `GET ${path} is already handled by ${earlier}.`
      return [{ code: 'E_ROUTE_DUPLICATE' as const, subject: `plugin '${plugin}'`, cause, remedy }]
    }
    return routes
      .filter((each) => TAKEN.includes(each.method) && hasShape(each, shape))
      .map(({ name, method }) => ({
        code: 'E_ROUTE_DUPLICATE' as const,
        subject: name,
        cause: `${method} ${path} conflicts with the GET route of the plugin '${plugin}'.`,
        remedy,
      }))
  })
}

function syntaxProblem(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/')) return 'it does not begin with a slash'
  if (path !== '/' && path.endsWith('/')) return 'it ends with a slash'
  if (pathParameters(path).length > 0) return 'it cannot contain parameters or wildcards'
  return pathProblem(path)?.cause ?? null
}

function notAPath(given: { plugin: string; path: string; syntax: string }): Problem {
  return {
    code: 'E_PATH_SYNTAX',
    subject: `plugin '${given.plugin}'`,
    cause: `\`routes\` returns the path ${JSON.stringify(given.path)}: ${given.syntax}.`,
    remedy: "Return a path of literal segments, such as '/status'.",
  }
}
