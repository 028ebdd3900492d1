import type { Logger } from '../contracts/logger.js'
import type { Plugin, PluginContext, RouteSetup } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { PluginSteps } from '../contracts/steps.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import type { BlazonRequest } from '../http/request.js'
import type { NamedSteps } from '../pipeline/steps/observe.js'
import { ignoreRejection, isThenable } from '../step/thenable.js'
import type { ErrorPaths } from './error-paths.js'
import type { Settings } from './settings/settings.js'

/** The parts of an application that the steps of plugins may use. */
export interface StepsConfig {
  readonly settings: Pick<Settings, 'plugins'>
  readonly get: PluginContext['get']
  readonly logger: Logger
  readonly features: Pick<PluginContext, 'usesTenants'>
  readonly errors: Pick<ErrorPaths, 'onError'>
}

const PLACES = {
  enter: true,
  beforeGuard: true,
  afterGuard: true,
  beforeBody: true,
  beforeHandler: true,
  aroundHandler: true,
  onResponse: true,
  onEnd: true,
} satisfies Record<keyof PluginSteps, true>

const NONE: readonly never[] = Object.freeze([])

/**
 * Asks the plugins for the steps that they add to a route. A plugin is asked once for each route.
 *
 * @throws ConfigError if the answer of a plugin is not an object of stages.
 */
export function collectSteps(config: StepsConfig): (route: RouteModel) => readonly NamedSteps[] {
  const plugins = config.settings.plugins.filter(({ steps }) => steps !== undefined)
  if (plugins.length === 0) return () => NONE
  const { get, logger, features, errors } = config
  const setup: RouteSetup = {
    get,
    logger,
    usesTenants: features.usesTenants,
    fail: (error, req, res) => errors.onError(error, req as BlazonRequest, res),
  }
  const known = new Map<RouteModel, readonly NamedSteps[]>()
  return (route) => {
    const added = known.get(route) ?? plugins.flatMap((plugin) => stepsOf(plugin, route, setup))
    known.set(route, added)
    return added
  }
}

function stepsOf(plugin: Plugin, route: RouteModel, setup: RouteSetup): NamedSteps[] {
  const steps: unknown = plugin.steps?.(route, setup) ?? null
  if (steps === null) return []
  const { name } = plugin
  const subject = `plugin '${name}' steps(${route.name})`
  if (typeof steps !== 'object' || isThenable(steps)) {
    ignoreRejection(steps)
    const what = isThenable(steps) ? 'a promise' : typeof steps
    throw new ConfigError([invalid(subject, `It returned ${what}.`, REMEDY)])
  }
  const places = Object.keys(PLACES).join(', ')
  const misspelt = Object.keys(steps)
    .filter((place) => !Object.hasOwn(PLACES, place))
    .map((place) =>
      invalid(`${subject}.${place}`, 'No place has this name.', `The places are: ${places}.`),
    )
  const wrong = Object.entries(steps)
    .filter(
      ([place, step]) =>
        Object.hasOwn(PLACES, place) &&
        step !== undefined &&
        step !== null &&
        typeof step !== 'function',
    )
    .map(([place, step]) => invalid(`${subject}.${place}`, `It is ${typeof step}.`, REMEDY))
  const problems = [...misspelt, ...wrong]
  if (problems.length > 0) throw new ConfigError(problems)
  return [{ plugin: name, steps: steps as PluginSteps }]
}

const REMEDY = 'Return an object of functions, by place, or null for a route without steps.'
