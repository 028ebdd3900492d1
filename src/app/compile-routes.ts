import type { Clock } from '../contracts/clock.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { FrameworkRoute } from '../contracts/plugin.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { boundsOf } from '../model/bounds.js'
import { compileDispatch, compileFrameworkRoute } from '../pipeline/compile-dispatch.js'
import { compileProbe, compileRoute } from '../pipeline/compile-route.js'
import type { PipelineConfig, RouteParts } from '../pipeline/route-parts.js'
import type { PrepareItem } from '../pipeline/streams/frames.js'
import type { HeldVisibility, RouteVisibility } from '../pipeline/visibility/compile-visibility.js'
import { buildRouter, type Routable, type Router } from '../routing/build-router.js'
import { marksOfRoute } from '../schema/visibility/route-marks.js'
import type { RunRoute, Step } from '../step/step.js'
import { collectParts, type RoutesConfig } from './collect-parts.js'
import { ModelMemory } from './compile-once.js'
import type { ErrorPaths } from './error-paths.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The routes of an application, each compiled to one function. */
export interface CompiledRoutes {
  readonly model: AppModel
  /** Finds the index of a route in `model.routes`. Higher indexes belong to routes of the framework. */
  readonly match: Router
  /** The compiled routes, by index. */
  readonly handlers: readonly RunRoute[]
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** Compiles the function that finds the route of a request and runs it. `buildRequestChain` calls this function. */
  readonly compileDispatch: typeof compileDispatch
  /** The settings that tests need to compare responses with the document. */
  readonly settings: Pick<Settings, 'errors' | 'converters' | 'prefix'>
  /** The marked fields (`visibleTo`) of a route; `null` if it has none. */
  readonly visibilityOf: (route: RouteModel) => RouteVisibility | null
  /**
   * Compiles the steps of a route up to its access checks. If they allow the request, calls `handler` and sends 204.
   */
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
  const visibilityOf = await loadVisibility(model.routes, config.settings.converters)
  const partsOf = await collectParts(config, settingsOf, visibilityOf)
  const handlers = model.routes.map((route) =>
    compileRoute(route, partsOf(route), settingsOf(route)),
  )
  for (const { handle } of frameworkRoutes) {
    handlers.push(compileFrameworkRoute(handle, shared))
  }
  return {
    model,
    ...(await findersOf(model, config)),
    handlers,
    frameworkRoutes,
    settings: config.settings,
    visibilityOf,
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
    deadlines: errors.deadlines.of(),
    validationStatus: wire.validationStatus,
    scopes: features.scopes,
    isObserved: config.observers !== null,
    onStep: config.observers?.onStep ?? null,
    mayFailLate: middlewares.handlers.length > 0,
    mayRespondToErrorsLater: middlewares.errorHandlers.length > 0,
    bodyLimits: limits,
    streamOf,
  }
}

/** Returns the settings of a route with `@Limits`. For all other routes, returns the shared object. */
function withOwnLimits(
  route: RouteModel,
  shared: PipelineConfig,
  { errors }: RoutesConfig,
): PipelineConfig {
  if (route.limits === null) return shared
  return {
    ...shared,
    deadlines: errors.deadlines.of(route),
    bodyLimits: boundsOf(route, shared.bodyLimits),
  }
}

/**
 * Loads the router and the function that uses it. The code for versions is loaded only if the application has versions.
 */
async function findersOf(
  model: AppModel,
  { frameworkRoutes, settings }: RoutesConfig,
): Promise<Pick<CompiledRoutes, 'match' | 'compileDispatch'>> {
  const { versions, prefix } = settings
  const { routes } = model
  const others = frameworkRoutes.map(({ path }, offset) => toRoutable(path, routes.length + offset))
  const build = (chosen: readonly Routable[]) => buildRouter([...chosen, ...others])
  const paths = frameworkRoutes.map(({ path }) => path).join('\n')
  if (versions === null)
    return { match: routers.get(model, paths, () => build(routes)), compileDispatch }
  const { dispatchVersions, versionRouter } = await import('./version-router.js')
  const { header } = versions
  return {
    match: versionRouter(model, { versions, prefix }, build),
    compileDispatch:
      header === null ? compileDispatch : (config) => dispatchVersions(config, header),
  }
}

/** Describes a route of the framework to the router. Only middlewares run before such a route. */
function toRoutable(path: string, index: number): Routable {
  return { index, path, method: 'GET' }
}

/** Loads the modules for fields with `visibleTo`, but only if a route has such fields. */
async function loadVisibility(
  routes: readonly RouteModel[],
  converters: SchemaConverters,
): Promise<(route: RouteModel) => RouteParts['visibility']> {
  const marked = routes
    .map((route) => ({ route, schemas: marksOfRoute(route, converters) }))
    .filter(({ schemas }) => schemas.length > 0)
  if (marked.length === 0) return () => null
  const { compileVisibility } = await import('../pipeline/visibility/compile-visibility.js')
  const { KeptVisibilities } = await import('../pipeline/visibility/kept-visibilities.js')
  const { visibilityStages } = await import('../pipeline/visibility/visibility-stages.js')
  const kept = new KeptVisibilities<HeldVisibility>()
  const compiled = new Map(
    marked.map(({ route, schemas }) => [
      route,
      visibilityStages(compileVisibility(route, { schemas, converters, kept })),
    ]),
  )
  return (route) => compiled.get(route) ?? null
}

/** The parts of an application that streams use. */
interface StreamParts {
  readonly settings: Pick<Settings, 'responses' | 'converters'>
  readonly clock: Clock
  readonly errors: Pick<ErrorPaths, 'onError' | 'onStreamError' | 'log'>
  readonly features: Pick<RunningFeatures, 'scopes'>
}

/** Loads the modules that send streams, but only if a route streams. */
async function loadStreams(
  routes: readonly RouteModel[],
  { settings, clock, errors, features }: StreamParts,
): Promise<PipelineConfig['streamOf']> {
  if (routes.every(({ stream }) => stream === null)) return null
  const { streamCompiler } = await import('../pipeline/streams/compile-stream.js')
  const compile = streamCompiler({ ...errors, clock, scopes: features.scopes })
  const prepareOf = await loadItems(routes, settings)
  const compiled = new Map(
    routes.flatMap((route) => {
      const { stream, name } = route
      return stream === null ? [] : [[route, compile({ name, stream }, prepareOf(route))] as const]
    }),
  )
  return (route) => compiled.get(route) ?? null
}

/**
 * Loads the function that limits or checks the fields of stream items (`responses`, `@ResponseFields`). For a route
 * whose items are sent unchanged, it returns `null`.
 */
async function loadItems(
  routes: readonly RouteModel[],
  { responses, converters }: StreamParts['settings'],
): Promise<(route: RouteModel) => PrepareItem> {
  const modeOf = ({ responseFields }: RouteModel) => responseFields ?? responses.fields
  if (routes.every((route) => route.stream === null || modeOf(route) === 'send')) return () => null
  const { compileItemFields } = await import('../schema/fields/item-fields.js')
  return (route) => {
    const mode = modeOf(route)
    if (route.stream === null || mode === 'send') return null
    return compileItemFields(route.stream.item, mode, converters)
  }
}
