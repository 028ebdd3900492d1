import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { FrameworkRoute, Plugin, PluginContext } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { compileSettle } from '../pipeline/compile-route.js'
import { fieldsModeOf, hasKnownDates } from '../pipeline/pipeline-steps.js'
import type { PipelineConfig, RouteParts } from '../pipeline/route-parts.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import type { StepFactory } from '../step/step.js'
import type { Access } from './access.js'
import { compileBodies, compileUploads } from './compile-bodies.js'
import { compileInputs, compileParameters, declaresFor } from './compile-inputs.js'
import type { Description } from './describe.js'
import type { ErrorPaths } from './error-paths.js'
import type { InterceptorsOf } from './make-interceptors.js'
import type { RequestObservers } from './observe-requests.js'
import { collectSteps } from './plugin-steps.js'
import type { SortedMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The input of {@link compileRoutes}. */
export interface RoutesConfig {
  readonly settings: Settings
  readonly description: Pick<Description, 'model'>
  /** The plugins that can add steps, outermost first. */
  readonly plugins: readonly Plugin[]
  readonly controllers: ReadonlyMap<unknown, object>
  /** The pages of the OpenAPI documents, and the routes of plugins. */
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
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: RequestObservers | null
  /** Returns a step that tests insert immediately before the handler of a route, or `null`. */
  readonly beforeHandler: (route: RouteModel) => StepFactory | null
}

const NONE: readonly never[] = Object.freeze([])

/** Prepares the parts that routes need in addition to their model: compiled schemas, and the steps of plugins. */
export async function collectParts(
  config: RoutesConfig,
  settingsOf: (route: RouteModel) => PipelineConfig,
  visibilityOf: (route: RouteModel) => RouteParts['visibility'],
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
    const visibility = visibilityOf(route)
    const { stages, added } = stepsOf(route)
    // This object has no spread, so that the engine allocates all of its many fields at once.
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
      visibility,
      // If `fields` or `visibility` is set, a copy of the data is sent, which already contains dates as strings.
      dates: fields === null && visibility === null ? datesOf(route) : null,
      middlewares: middlewaresOf(route, features),
      interceptors: config.interceptors(route),
      parameters: parametersOf(route),
      underTest: beforeHandler(route),
    }
  }
}

/** The middlewares of `@Use`. If requests have scopes, each middleware runs in the scope of its request. */
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

/** Loads the module that limits or checks the fields of responses, but only if a route uses it. */
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

/**
 * Loads the module that serializes dates, but only if the positions of dates in a route's success responses are known.
 */
async function loadDates(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['dates']> {
  if (!routes.some(hasKnownDates)) return () => null
  const { compileResponseDates } = await import('../schema/response-dates.js')
  return (route) => (hasKnownDates(route) ? () => compileResponseDates(route, converters) : null)
}

/**
 * Creates the steps that parse cookies. Their module and the parser are loaded only if a route has `@Cookies`.
 *
 * @throws ConfigError with the routes that have signed cookies, if the application has no keys.
 */
async function compileCookies(
  routes: readonly RouteModel[],
  keys: readonly string[],
): Promise<(route: RouteModel) => StepFactory | null> {
  if (routes.every(({ cookies }) => cookies === null)) return () => null
  const unsigned = routes.filter(({ cookies }) => keys.length === 0 && cookies?.signed.length)
  if (unsigned.length > 0) {
    const cause = 'Its @Cookies lists signed cookies, but the application has no keys for them.'
    const remedy =
      'Set the option cookies: { keys: ({ get }) => get(Env).COOKIE_KEYS }, or a list of keys.'
    throw new ConfigError(unsigned.map(({ name }) => invalid(name, cause, remedy)))
  }
  const { cookiesStage } = await import('../pipeline/steps/cookies.js')
  return ({ cookies }) => (cookies === null ? null : cookiesStage({ ...cookies, keys }))
}
