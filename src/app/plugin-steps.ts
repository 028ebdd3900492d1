import type { Logger } from '../contracts/logger.js'
import type { Plugin, PluginContext, RouteSetup } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { PluginSteps, StepFactory as PublicStage } from '../contracts/steps.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import type { BlazonRequest } from '../http/request.js'
import { NO_STAGES, type RouteStages } from '../pipeline/route-parts.js'
import type { NamedSteps } from '../pipeline/steps/observe.js'
import {
  ignoreRejection,
  internalStep,
  isThenable,
  type Settle,
  whenSettled,
} from '../step/step.js'
import type { ErrorPaths } from './error-paths.js'
import type { StepSource } from './start-features.js'

/** The parts of an application that steps can use. */
export interface StepsConfig {
  /** The plugins, outermost first. */
  readonly plugins: readonly Plugin[]
  readonly get: PluginContext['get']
  readonly logger: Logger
  readonly features: Pick<PluginContext, 'usesTenants'> & {
    readonly stepSources: readonly StepSource[]
  }
  readonly errors: Pick<ErrorPaths, 'onError'>
  /** Creates the function that sends a route's values as responses. */
  readonly settleFor: (route: RouteModel) => Settle
}

/** The steps of one route that plugins and features add. */
export interface CollectedSteps {
  /** The steps of features. */
  readonly stages: RouteStages
  /** The steps of plugins, outermost first. */
  readonly added: readonly NamedSteps[]
}

const OF_PLUGINS = {
  enter: true,
  beforeGuard: true,
  afterGuard: true,
  beforeBody: true,
  beforeHandler: true,
  aroundHandler: true,
  onResponse: true,
  onEnd: true,
} satisfies Record<keyof PluginSteps, true>

/**
 * Collects the steps that features and plugins add to a route, once for each route. Features and plugins return the
 * same form: stages by place. Features have their own places in the list of steps.
 *
 * @throws ConfigError if one of them returns anything other than an object of stages or `null`.
 */
export function collectSteps(config: StepsConfig): (route: RouteModel) => CollectedSteps {
  const { plugins, features } = config
  const known = new Map<RouteModel, CollectedSteps>()
  return (route) => {
    const found = known.get(route)
    if (found !== undefined) return found
    const setup = setupFor(route, config)
    const stages = features.stepSources.map(({ name, steps }) =>
      readSteps(`feature '${name}' steps(${route.name})`, steps(route, setup), NO_STAGES),
    )
    const added = plugins.flatMap((plugin): NamedSteps[] => {
      const subject = `plugin '${plugin.name}' steps(${route.name})`
      const steps = readSteps(subject, plugin.steps?.(route, setup), OF_PLUGINS)
      // `readSteps` has checked that every field that is set is a function, at a place for plugins.
      return steps === null ? [] : [{ plugin: plugin.name, steps: steps as PluginSteps }]
    })
    const collected = { stages: toStages(stages), added }
    known.set(route, collected)
    return collected
  }
}

function setupFor(route: RouteModel, config: StepsConfig): RouteSetup {
  const { get, logger, features, errors, settleFor } = config
  let settle: Settle | undefined
  return {
    get,
    logger,
    usesTenants: features.usesTenants,
    fail: (error, req, res) => errors.onError(error, req as BlazonRequest, res),
    respond(value, req, res) {
      settle ??= settleFor(route)
      const send = (settled: unknown) => settle?.(settled, req as BlazonRequest, res)
      const fail = (error: unknown) => errors.onError(error, req as BlazonRequest, res)
      if (isThenable(value)) whenSettled(value, send, fail)
      else send(value)
    },
  }
}

type Stages = Readonly<Record<string, unknown>>

/** Checks the value that a feature or plugin returned for a route. */
function readSteps(subject: string, returned: unknown, allowed: object): Stages | null {
  const steps = returned ?? null
  if (steps === null) return null
  if (typeof steps !== 'object' || isThenable(steps)) {
    ignoreRejection(steps)
    const what = isThenable(steps) ? 'a promise' : `a value of type ${typeof steps}`
    throw new ConfigError([invalid(subject, `It returned ${what}.`, REMEDY)])
  }
  const places = Object.keys(allowed).join(', ')
  const problems = Object.entries(steps).flatMap(([place, step]) => {
    if (!Object.hasOwn(allowed, place)) {
      const remedy = `The places are: ${places}.`
      return [invalid(`${subject}.${place}`, 'There is no place with this name.', remedy)]
    }
    if (step === undefined || step === null || typeof step === 'function') return []
    return [
      invalid(`${subject}.${place}`, `It is not a function: its type is ${typeof step}.`, REMEDY),
    ]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return steps as Stages
}

/**
 * Merges the stages of features. For a route that uses no features, returns the shared object `NO_STAGES`, by which
 * other code recognizes such routes.
 */
function toStages(found: readonly (Stages | null)[]): RouteStages {
  const used = found
    .flatMap((stages) => Object.entries(stages ?? {}))
    .filter(([, stage]) => stage != null)
  if (used.length === 0) return NO_STAGES
  const own = used.map(([place, stage]) => [place, internalStep(stage as PublicStage)])
  return { ...NO_STAGES, ...Object.fromEntries(own) }
}

const REMEDY = 'Return an object of functions, by place, or null for a route without steps.'
