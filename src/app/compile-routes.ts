import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { InterceptedApp, Interceptor, Plugin } from '../contracts/plugin.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { compileFrameworkRoute } from '../pipeline/compile-dispatch.js'
import {
  compileProbe,
  compileRoute,
  type PipelineConfig,
  type RouteParts,
} from '../pipeline/compile-route.js'
import { buildRouter, type Routable, type Router } from '../routing/build-router.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import type { RunRoute, Stage } from '../step/step.js'
import type { Access } from './access.js'
import { compileInputs } from './compile-inputs.js'
import { declaresFor } from './declared-names.js'
import type { Description } from './describe.js'
import type { ErrorPaths } from './error-paths.js'
import type { RunningFeatures } from './features.js'
import { ModelMemory } from './model-memory.js'
import type { SortedMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'

/** The input of {@link compileRoutes}. */
export interface RoutesConfig {
  readonly settings: Settings
  readonly description: Pick<Description, 'model'>
  readonly controllers: ReadonlyMap<unknown, object>
  /** The pages of the OpenAPI documents. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  readonly get: InterceptedApp['get']
  readonly features: Pick<RunningFeatures, 'stagesOf' | 'usesTenants' | 'scopes'>
  readonly access: Access
  readonly errors: Pick<ErrorPaths, 'onError' | 'deadlines'>
  readonly middlewares: SortedMiddlewares
  /** Returns a step that tests insert right before the handler of a route, or `null`. */
  readonly beforeHandler: (route: RouteModel) => Stage | null
}

/** The routes of an application. Each is compiled to one function. */
export interface CompiledRoutes {
  readonly model: AppModel
  /** Finds the index of a route in `model.routes`. The routes of the framework come after those. */
  readonly match: Router
  /** The compiled routes, by that index. */
  readonly handlers: readonly RunRoute[]
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** Compiles a route only up to the decision about access. If access is allowed, it sends 204. */
  readonly probeOf: (route: RouteModel) => RunRoute
}

/** Routers by model. A router has no state, so applications with the same model share it. */
const routers = new ModelMemory<Router>()

/** Compiles every route, and the router that finds them. */
export async function compileRoutes(config: RoutesConfig): Promise<CompiledRoutes> {
  const { frameworkRoutes, features } = config
  const { model } = config.description
  const shared = whatRoutesShare(config)
  const partsOf = await collectParts(config)
  const handlers = model.routes.map((route) => compileRoute(route, partsOf(route), shared))
  for (const { handle } of frameworkRoutes) {
    handlers.push(compileFrameworkRoute(handle, shared.onError))
  }
  return {
    model,
    match: routerFor(model, frameworkRoutes),
    handlers,
    frameworkRoutes,
    probeOf: (route) => compileProbe(route, features.stagesOf(route), shared),
  }
}

function whatRoutesShare(config: RoutesConfig): PipelineConfig {
  const { access, errors, features, middlewares } = config
  const { limits } = config.settings
  return {
    ...access,
    onError: errors.onError,
    deadlines: errors.deadlines,
    scopes: features.scopes,
    mayFailLate: middlewares.handlers.length > 0,
    mayRespondToErrorsLater: middlewares.errorHandlers.length > 0,
    bodyLimits: { size: limits.bodyBytes, depth: limits.depth },
  }
}

/** Prepares what routes need in addition to their model: compiled schemas and the interceptors of plugins. */
async function collectParts({
  settings,
  description: { model },
  controllers,
  features,
  get,
  beforeHandler,
}: RoutesConfig): Promise<(route: RouteModel) => RouteParts> {
  const { routes } = model
  const { plugins, converters } = settings
  const compile = createValidatorCompiler(converters)
  const inputs = await compileInputs(routes, { compile, declaresOf: declaresFor(settings) })
  const fieldsOf = await loadFields(routes, settings)
  const datesOf = await loadDates(routes, converters)
  const interceptedApp = { get, usesTenants: features.usesTenants }
  return (route) => {
    const fields = fieldsOf(route)
    return {
      instance: controllers.get(route.controller) as object,
      inputs: inputs[route.index] ?? [],
      stages: features.stagesOf(route),
      fields,
      // The copy that has the described fields only has its dates as text already.
      dates: fields === null ? datesOf(route) : null,
      interceptors: interceptorsOf(route, plugins, interceptedApp),
      underTest: beforeHandler(route),
    }
  }
}

/** Loads the module that limits the fields of responses, but only if a route uses it. */
async function loadFields(
  routes: readonly RouteModel[],
  { responses, converters }: Settings,
): Promise<(route: RouteModel) => RouteParts['fields']> {
  const modeOf = ({ responseFields }: RouteModel) => responseFields ?? responses.fields
  if (routes.every((route) => modeOf(route) === 'send')) return () => null
  const { compileResponseFields } = await import('../schema/fields/response-fields.js')
  return (route) => {
    const mode = modeOf(route)
    if (mode === 'send') return null
    const byStatus = compileResponseFields(route.operation.responses, converters)
    return byStatus.size === 0 ? null : { mode, byStatus }
  }
}

/** Loads the module that serializes dates, but only if a route has a documented success response. */
async function loadDates(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['dates']> {
  const isDescribed = ({ operation: { responses } }: RouteModel) =>
    responses.some(({ status, schema }) => status < 400 && schema !== undefined)
  if (!routes.some(isDescribed)) return () => null
  const { compileResponseDates } = await import('../schema/response-dates.js')
  return (route) =>
    isDescribed(route) ? () => compileResponseDates(route.operation.responses, converters) : null
}

function interceptorsOf(
  route: RouteModel,
  plugins: readonly Plugin[],
  app: InterceptedApp,
): readonly Interceptor[] {
  const interceptors: Interceptor[] = []
  for (const plugin of plugins) {
    const interceptor = plugin.intercept?.(route, app) ?? null
    if (interceptor !== null) interceptors.push(interceptor)
  }
  return interceptors
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
  return { index, path, method: 'GET', pathParameters: [] }
}
