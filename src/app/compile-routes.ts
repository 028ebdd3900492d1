import type { Clock } from '../contracts/clock.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { Logger } from '../contracts/logger.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { Plugin, PluginContext } from '../contracts/plugin.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { RouteAudience } from '../pipeline/audience/compile-audience.js'
import { compileFrameworkRoute } from '../pipeline/compile-dispatch.js'
import {
  compileProbe,
  compileRoute,
  compileSettle,
  type PipelineConfig,
  type RouteParts,
} from '../pipeline/compile-route.js'
import { fieldsModeOf, hasKnownDates } from '../pipeline/own-steps.js'
import { buildRouter, type Routable, type Router } from '../routing/build-router.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import type { RunRoute, Stage, Step } from '../step/step.js'
import type { Access } from './access.js'
import { compileBodies } from './compile-bodies.js'
import { compileCookies } from './compile-cookies.js'
import { compileInputs } from './compile-inputs.js'
import { compileParameters } from './compile-parameters.js'
import { compileUploads } from './compile-uploads.js'
import { declaresFor } from './declared-names.js'
import type { Description } from './describe.js'
import type { ErrorPaths } from './error-paths.js'
import { loadAudience } from './load-audience.js'
import { loadStreams } from './load-streams.js'
import type { InterceptorsOf } from './make-interceptors.js'
import { ModelMemory } from './model-memory.js'
import type { RequestObservers } from './observe-requests.js'
import { collectSteps } from './plugin-steps.js'
import type { SortedMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The input of {@link compileRoutes}. */
export interface RoutesConfig {
  readonly settings: Settings
  readonly description: Pick<Description, 'model'>
  /** The plugins that may add steps, the outermost first. */
  readonly plugins: readonly Plugin[]
  readonly controllers: ReadonlyMap<unknown, object>
  /** The pages of the OpenAPI documents. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  readonly clock: Clock
  readonly get: PluginContext['get']
  readonly logger: Logger
  readonly interceptors: InterceptorsOf
  readonly features: Pick<
    RunningFeatures,
    'stepSources' | 'usesTenants' | 'scopes' | 'wrapMiddlewares'
  >
  readonly access: Access
  readonly errors: Pick<
    ErrorPaths,
    'onError' | 'onLateError' | 'onStreamError' | 'deadlines' | 'log'
  >
  readonly middlewares: SortedMiddlewares
  /** `null` if no plugin observes all requests. */
  readonly observers: RequestObservers | null
  /** Returns a step that tests insert right before the handler of a route, or `null`. */
  readonly beforeHandler: (route: RouteModel) => Stage | null
}

/** The routes of an application. Each is compiled to one function. */
export interface CompiledRoutes {
  readonly model: AppModel
  /** Finds the index of a route in `model.routes`. The routes of the framework come after them. */
  readonly match: Router
  /** The compiled routes, by that index. */
  readonly handlers: readonly RunRoute[]
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** The settings that tests compare responses with. */
  readonly settings: Pick<Settings, 'errors' | 'converters'>
  /** The marked fields (`visibleTo`) of a route; `null` if it has none. */
  readonly audienceOf: (route: RouteModel) => RouteAudience | null
  /** Compiles a route only up to the decision about access. If access is allowed, it calls `handler` and sends 204. */
  readonly probeOf: (route: RouteModel, handler: Step) => RunRoute
}

/** Routers by model. A router has no state, so applications with the same model share it. */
const routers = new ModelMemory<Router>()

/** Compiles every route, and the router that finds them. */
export async function compileRoutes(config: RoutesConfig): Promise<CompiledRoutes> {
  const { frameworkRoutes } = config
  const { model } = config.description
  const shared = whatRoutesShare(config, await loadStreams(model.routes, config))
  const settingsOf = (route: RouteModel) => withOwnLimits(route, shared, config)
  const audienceOf = await loadAudience(model.routes, config.settings.converters)
  const partsOf = await collectParts(config, settingsOf, audienceOf)
  const handlers = model.routes.map((route) =>
    compileRoute(route, partsOf(route), settingsOf(route)),
  )
  for (const { handle } of frameworkRoutes) {
    handlers.push(compileFrameworkRoute(handle, shared))
  }
  return {
    model,
    match: routerFor(model, frameworkRoutes),
    handlers,
    frameworkRoutes,
    settings: config.settings,
    audienceOf,
    probeOf: (route, handler) =>
      compileProbe(route, { ...partsOf(route), handler }, settingsOf(route)),
  }
}

function whatRoutesShare(
  config: RoutesConfig,
  streamOf: PipelineConfig['streamOf'],
): PipelineConfig {
  const { access, errors, features, middlewares } = config
  const { limits, errors: wire } = config.settings
  return {
    ...access,
    onError: errors.onError,
    onLateError: errors.onLateError,
    log: errors.log,
    deadlines: errors.deadlines.of(null),
    validationStatus: wire.validationStatus,
    scopes: features.scopes,
    isObserved: config.observers !== null,
    onStep: config.observers?.onStep ?? null,
    mayFailLate: middlewares.handlers.length > 0,
    mayRespondToErrorsLater: middlewares.errorHandlers.length > 0,
    bodyLimits: { size: limits.bodyBytes, depth: limits.depth },
    streamOf,
  }
}

/** The settings of a route with `@Limits`; for all others, the shared object. */
function withOwnLimits(
  { bounds }: RouteModel,
  shared: PipelineConfig,
  { errors }: RoutesConfig,
): PipelineConfig {
  if (bounds === null) return shared
  const { size, depth } = shared.bodyLimits
  return {
    ...shared,
    deadlines: errors.deadlines.of(bounds),
    bodyLimits: { size: bounds.bodyBytes ?? size, depth: bounds.depth ?? depth },
  }
}

const NONE: readonly never[] = Object.freeze([])

/** Prepares the parts that routes need in addition to their model: compiled schemas, and the steps of plugins. */
async function collectParts(
  config: RoutesConfig,
  settingsOf: (route: RouteModel) => PipelineConfig,
  audienceOf: (route: RouteModel) => RouteParts['audience'],
): Promise<(route: RouteModel) => RouteParts> {
  const { settings, controllers, features, beforeHandler } = config
  const { routes } = config.description.model
  const { converters } = settings
  const compile = createValidatorCompiler(converters)
  const compiler = { compile, declaresOf: declaresFor(settings) }
  const inputs = await compileInputs(routes, compiler)
  const bodiesOf = await compileBodies(routes, { ...compiler, ...config, inputs, settingsOf })
  const uploadOf = await compileUploads(routes, { converters, settingsOf })
  const cookiesOf = await compileCookies(routes, settings.cookies.keys)
  const parametersOf = await compileParameters(routes, {
    ...compiler,
    validationStatus: settings.errors.validationStatus,
  })
  const negotiateOf = await loadNegotiation(routes, settingsOf)
  const fieldsOf = await loadFields(routes, settings)
  const datesOf = await loadDates(routes, converters)
  const instanceOf = (route: RouteModel) => controllers.get(route.controller) as object
  const stepsOf = collectSteps({
    ...config,
    settleFor: (route) => compileSettle(route, instanceOf(route), settingsOf(route)),
  })
  return (route) => {
    const fields = fieldsOf(route)
    const audience = audienceOf(route)
    const { stages, added } = stepsOf(route)
    // Without a spread: an object of so many fields is then made in one piece.
    return {
      stages,
      added,
      instance: instanceOf(route),
      inputs: inputs[route.index] ?? [],
      bodies: bodiesOf(route),
      negotiate: negotiateOf(route),
      upload: uploadOf(route),
      cookies: cookiesOf(route),
      fields,
      audience,
      // The copy with the described fields only has its dates as text already.
      dates: fields === null && audience === null ? datesOf(route) : null,
      middlewares: middlewaresOf(route, features),
      interceptors: config.interceptors(route),
      parameters: parametersOf(route),
      underTest: beforeHandler(route),
    }
  }
}

/** The middlewares of `@Use`. If requests have scopes, each of them runs in the scope of its request. */
function middlewaresOf(
  { uses }: RouteModel,
  { wrapMiddlewares }: RoutesConfig['features'],
): RouteParts['middlewares'] {
  const handlers = uses?.middlewares ?? NONE
  if (wrapMiddlewares === null || handlers.length === 0) return handlers
  return wrapMiddlewares(handlers, { handlers, errorHandlers: NONE }).handlers
}

/** Loads the module that chooses representations, but only if a route has `@Produces`. */
async function loadNegotiation(
  routes: readonly RouteModel[],
  settingsOf: (route: RouteModel) => PipelineConfig,
): Promise<(route: RouteModel) => RouteParts['negotiate']> {
  if (routes.every(({ produces }) => produces === null)) return () => null
  const { negotiateStage } = await import('../pipeline/steps/negotiate.js')
  return (route) =>
    route.produces === null ? null : negotiateStage({ ...settingsOf(route), route })
}

/** Loads the module that limits the fields of responses, but only if a route uses it. */
async function loadFields(
  routes: readonly RouteModel[],
  { responses, converters }: Settings,
): Promise<(route: RouteModel) => RouteParts['fields']> {
  if (routes.every((route) => fieldsModeOf(route, responses.fields) === 'send')) return () => null
  const { compileResponseFields } = await import('../schema/fields/response-fields.js')
  return (route) => {
    const mode = fieldsModeOf(route, responses.fields)
    return mode === 'send' ? null : { mode, byStatus: compileResponseFields(route, converters) }
  }
}

/** Loads the module that serializes dates, but only if a route has a documented success response. */
async function loadDates(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['dates']> {
  if (!routes.some(hasKnownDates)) return () => null
  const { compileResponseDates } = await import('../schema/response-dates.js')
  return (route) => (hasKnownDates(route) ? () => compileResponseDates(route, converters) : null)
}

function routerFor(model: AppModel, frameworkRoutes: readonly FrameworkRoute[]): Router {
  const { routes } = model
  return routers.get(model, frameworkRoutes.map(({ path }) => path).join('\n'), () =>
    buildRouter([
      ...routes,
      ...frameworkRoutes.map(({ path }, offset) => toRoutable(path, routes.length + offset)),
    ]),
  )
}

/** Describes a route of the framework to the router. Of all steps, only the middlewares run before it. */
function toRoutable(path: string, index: number): Routable {
  return { index, path, method: 'GET' }
}
