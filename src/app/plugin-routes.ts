import type { FrameworkRoute, Plugin, PluginContext } from '../contracts/plugin.js'
import type { AppModel } from '../contracts/route-model.js'
import { ConfigError, invalid, type Problem } from '../errors/config-error.js'
import { pathProblem } from '../model/path-problem.js'
import { hasShape, pathParameters, pathShape } from '../model/paths.js'
import { ignoreRejection, isThenable } from '../step/step.js'

/** A route, and the plugin that it belongs to. */
export interface PluginRoute {
  readonly plugin: string
  readonly route: FrameworkRoute
}

/** The methods of a controller's route that would take requests from a `GET` route, or lose them to it. */
const TAKEN: readonly string[] = ['GET', 'HEAD', 'ALL']

/** Collects the routes of every plugin. */
export function collectPluginRoutes(
  plugins: readonly Plugin[],
  app: Pick<PluginContext, 'get'>,
): PluginRoute[] {
  return plugins.flatMap((plugin) => {
    const routes: unknown = plugin.routes?.(app) ?? []
    if (Array.isArray(routes)) return routes.map((route) => ({ plugin: plugin.name, route }))
    ignoreRejection(routes)
    const cause = `It returned ${isThenable(routes) ? 'a promise' : typeof routes}.`
    const subject = `plugin '${plugin.name}', routes`
    throw new ConfigError([invalid(subject, cause, 'Return a list of routes, or null.')])
  })
}

/** Finds routes of plugins with an invalid path, or with a path that is already used. */
export function checkPluginRoutes(
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
        cause: `${method} ${path} is already handled by the plugin '${plugin}'.`,
        remedy,
      }))
  })
}

function syntaxProblem(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/')) return 'it does not begin with a slash'
  if (path !== '/' && path.endsWith('/')) return 'it ends with a slash'
  if (pathParameters(path).length > 0) return 'it may have neither parameters nor wildcards'
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
