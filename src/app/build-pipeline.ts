import type { Server } from 'node:http'
import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { SwaggerOptions } from '../contracts/openapi.js'
import type { InterceptedApp, Interceptor, Plugin, PluginContext } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { type CrossOrigin, crossOriginStep } from '../features/security/cross-origin.js'
import { buildSecurity, type Security } from '../features/security/security.js'
import { createRequestClass } from '../http/request.js'
import { createResponseClass } from '../http/response.js'
import { staticHeaders } from '../http/static-headers.js'
import type { RunRoute } from '../http/step.js'
import { toBytes } from '../http/units.js'
import {
  compileDispatch,
  compileFrameworkRoute,
  type DispatchConfig,
} from '../pipeline/compile-dispatch.js'
import {
  compileAdmission,
  compileProbe,
  compileRoute,
  type PipelineConfig,
  type RouteParts,
} from '../pipeline/compile-route.js'
import { defineNext } from '../pipeline/define-next.js'
import { createOnLateError } from '../pipeline/late-errors.js'
import { limitQuery, refuseQuery } from '../pipeline/limit-query.js'
import { createDenialLog, type LogDenial } from '../pipeline/log-denials.js'
import { createFailureLog } from '../pipeline/log-failure.js'
import { nameRoutes } from '../pipeline/name-routes.js'
import { composeMiddlewares, type MiddlewareEnds } from '../pipeline/run-middlewares.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { buildRouter, type Routable, type Router } from '../routing/build-router.js'
import { type CompileValidator, createValidatorCompiler } from '../schema/compile-validator.js'
import { swaggerList } from './check-swagger.js'
import { Connections } from './connections.js'
import { declaredNames } from './declared-names.js'
import type { Description } from './describe.js'
import { buildErrorPaths, type ErrorPaths } from './error-paths.js'
import {
  adoptPrototypes,
  hostedClasses,
  isForErrors,
  type MessageClasses,
  type SortedMiddlewares,
  sortMiddlewares,
} from './express-host.js'
import type { RunningFeatures } from './features.js'
import type { Harness } from './harness.js'
import { createListener, type Listener } from './listener.js'
import { ModelMemory } from './model-memory.js'
import { namedMiddlewares } from './named-middlewares.js'
import type { AppOptions } from './options.js'
import { createHttpServer } from './server.js'
import { tellStreamIn } from './tell-stream.js'
import { UnderWay } from './under-way.js'
import { watchRouters } from './watch-routers.js'

const SOURCES: readonly InputSource[] = ['params', 'query', 'headers', 'body']
const DEFAULT_BODY_BYTES = 100 * 1024
const DEFAULT_DEPTH = 64
const DEFAULT_HEADERS = 200

/** What a request runs through, and how it is stopped. */
export interface Pipeline {
  readonly server: Server
  readonly listener: Listener
  readonly connections: Connections
  /** What comes another way than through `server`. */
  readonly underWay: UnderWay
  /** Stops what the framework itself keeps going. */
  readonly stop: () => void
}

/** What is known once the container has made everything. */
export interface PipelineInput {
  readonly options: AppOptions
  readonly description: Description
  readonly express: Application
  readonly logger: Logger
  readonly clock: Clock
  readonly isClosing: () => boolean
  readonly controllers: ReadonlyMap<unknown, object>
  readonly guard: AuthGuard | null
  readonly features: RunningFeatures
  readonly get: PluginContext['get']
  /** Routes of the framework itself. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** `undefined` unless the application is under test. */
  readonly harness: Harness | undefined
}

/** A router remembers nothing of requests. */
const routers = new ModelMemory<Router>()

/** Builds the way of a request, from the socket to the controllers. */
export async function buildPipeline(input: PipelineInput): Promise<Pipeline> {
  const { options, express, features } = input
  const { scopes } = features
  const security = await buildSecurity(options.security)
  const classes = createMessageClasses(input, security)
  const { handlers, errorHandlers } = sortedMiddlewares(input)
  const log = createFailureLog(input.logger)
  const logDenial = createDenialLog(log, input.clock)
  noteAdmission(input, logDenial)
  const explaining = { plugins: options.plugins ?? [], declaresOf: declaresFor(options) }
  const errors = buildErrorPaths({ ...input, middlewares: errorHandlers, log, scopes, explaining })
  const { onError, onRefusal, deadlines } = errors
  defineNext(classes.Request, onError)
  const compiled = await compileRoutes(input, {
    deadlines,
    onError,
    logDenial,
    mayFailLate: handlers.length > 0,
    mayAnswerErrorsLater: errorHandlers.length > 0,
  })
  const found = findRoutes(input)
  for (const { handle } of found.own) compiled.push(compileFrameworkRoute(handle, onError))
  const front = {
    handlers: watched(handlers, found, input),
    security,
    features,
    errors,
    onLateError: createOnLateError(log, { scopes, app: express }),
  }
  const dispatch = {
    ...found,
    handlers: nameRoutes(compiled, { routes: found.routes, others: found.own, onError }),
    onError: onRefusal,
    admission: features.admission,
  }
  const run = buildFront(front, compileDispatch(dispatch))
  const refuse = behindSecurity(front, refuseQuery(onRefusal))
  const { isClosing, harness } = input
  const tell = tellStreamIn(scopes)
  const underWay = new UnderWay(tell)
  const listener = createListener({
    classesFor: hostedClasses(express, classes),
    run,
    runExcessive: limitQuery({ express, match: found.match, run, refuse }),
    onError: onRefusal,
    maxHeaders: options.limits?.headers ?? DEFAULT_HEADERS,
    isClosing,
    underWay,
    app: express,
    harness,
  })
  const connections = new Connections(tell)
  const { timeouts = {} } = options
  const server = createHttpServer({ ...classes, listener, connections, timeouts })
  return { server, listener, connections, underWay, stop: () => deadlines?.close() }
}

function createMessageClasses(
  { express, features: { scopes, addsHeaders } }: PipelineInput,
  { headers, crossOrigin }: Security,
): MessageClasses {
  const Request = createRequestClass(express, scopes)
  const Response = createResponseClass(express, {
    statics: staticHeaders(headers),
    addsHeaders: addsHeaders || crossOrigin?.headersOf != null,
    scopes,
  })
  adoptPrototypes(express, Request, Response)
  return { Request, Response }
}

function sortedMiddlewares({ options, express, features }: PipelineInput): SortedMiddlewares {
  const middlewares = namedMiddlewares(options).map(({ middleware }) => middleware)
  const sorted = sortMiddlewares(middlewares, express)
  return features.keepMiddlewares?.(middlewares, sorted) ?? sorted
}

/** What answers, and how it is found. */
interface FoundRoutes extends Pick<DispatchConfig, 'match' | 'routes'> {
  /** Routes of the framework itself, which come behind those of the application. */
  readonly own: readonly (FrameworkRoute & { index: number })[]
}

function findRoutes({
  description: { model },
  frameworkRoutes,
  harness,
}: PipelineInput): FoundRoutes {
  const { routes } = model
  const own = frameworkRoutes.map((route, offset) => ({ ...route, index: routes.length + offset }))
  const match = routers.get(model, own.map(({ path }) => path).join('\n'), () =>
    buildRouter([...routes, ...own.map(toRoutable)]),
  )
  harness?.built({ model, match })
  return { match, routes, own }
}

function watched(
  handlers: readonly RequestHandler[],
  { match, routes, own }: FoundRoutes,
  { options, logger }: PipelineInput,
): readonly RequestHandler[] {
  const named = namedMiddlewares(options).filter(({ middleware }) => !isForErrors(middleware))
  return watchRouters(handlers, { match, routes: [...routes, ...own], named, logger })
}

interface FrontConfig extends Pick<MiddlewareEnds, 'onLateError'> {
  /** The application's own middlewares. */
  readonly handlers: readonly RequestHandler[]
  readonly security: Security
  readonly features: RunningFeatures
  readonly errors: ErrorPaths
}

/** Puts everything that a request meets before its route is looked up in front of that. */
function buildFront(config: FrontConfig, dispatch: RunRoute): RunRoute {
  const { handlers, features, errors, onLateError } = config
  const { onEarlyError, onMiddlewareError } = errors
  const own = composed(handlers, { onError: onMiddlewareError, onLateError, done: dispatch })
  const entered = features.enter?.({ run: own, onError: onEarlyError }) ?? own
  return behindSecurity(config, entered)
}

/** What a browser may see of a refusal is for CORS to say, whoever refuses. */
function behindSecurity({ security, errors, onLateError }: FrontConfig, run: RunRoute): RunRoute {
  const compose: Compose = (list, done) =>
    composed(list, { onError: errors.onEarlyError, onLateError, done })
  const shared = shareWithOrigins(security.crossOrigin, compose, run)
  return compose(security.middlewares, shared)
}

/** Routers that need a tenant ask what routes ask; without a guard there is nothing to ask. */
function noteAdmission(
  { options, guard, features: { ofRouters } }: PipelineInput,
  logDenial: LogDenial,
): void {
  if (ofRouters === null || options.tenant === undefined || options.auth?.guard === undefined)
    return
  const { can } = options.auth
  ofRouters.noteAdmission(compileAdmission(ofRouters.stagesOfRouters, { guard, logDenial, can }))
}

/** Puts middlewares in front of what comes after them. */
type Compose = (list: readonly RequestHandler[], done: RunRoute) => RunRoute

function composed(list: readonly RequestHandler[], ends: MiddlewareEnds): RunRoute {
  return list.length === 0 ? ends.done : composeMiddlewares(list, ends)
}

function shareWithOrigins(
  crossOrigin: CrossOrigin | null,
  compose: Compose,
  run: RunRoute,
): RunRoute {
  if (crossOrigin === null) return run
  return crossOriginStep(crossOrigin, {
    preflighted: compose([crossOrigin.preflight], run),
    run,
  })
}

/** The framework's own pages are as open to middlewares as any route, and walk no other step. */
function toRoutable({ index, path }: FrameworkRoute & { index: number }): Routable {
  return { index, path, method: 'GET', pathParameters: [] }
}

async function compileRoutes(
  { description, controllers, guard, options, features, harness, get }: PipelineInput,
  shared: Omit<PipelineConfig, 'guard' | 'scopes' | 'can' | 'bodyLimits'>,
): Promise<RunRoute[]> {
  const { limits, auth } = options
  const config: PipelineConfig = {
    ...shared,
    guard,
    scopes: features.scopes,
    can: auth?.can,
    bodyLimits: {
      size: toBytes(limits?.body ?? DEFAULT_BODY_BYTES) ?? DEFAULT_BODY_BYTES,
      depth: limits?.depth ?? DEFAULT_DEPTH,
    },
  }
  const converters = convertersOf(options)
  const compile = createValidatorCompiler(converters)
  const declaresOf = declaresFor(options)
  const inputs = await compileInputs(description.model.routes, { compile, declaresOf })
  const datesOf = await loadDates(description.model.routes, converters)
  const intercepted = { get, usesTenants: features.usesTenants }
  return description.model.routes.map((route) => {
    const instance = controllers.get(route.controller) as object
    const stages = features.stagesOf(route)
    const underTest = harness?.wrapHandler(route) ?? null
    const interceptors = interceptorsOf(route, options.plugins ?? [], intercepted)
    const own = inputs[route.index] ?? []
    const parts = { instance, inputs: own, stages, dates: datesOf(route), interceptors, underTest }
    const run = compileRoute(route, parts, config)
    return harness?.wrapRoute(run, compileProbe(route, stages, config)) ?? run
  })
}

function convertersOf(options: AppOptions): SwaggerOptions['converters'] {
  return Object.assign({}, ...swaggerList(options).map((each) => each.converters))
}

/** What makes errors generic, where they are to be. */
function declaresFor(options: AppOptions): InputCompiler['declaresOf'] {
  const isGeneric = options.validation?.messages === 'generic'
  const converters = convertersOf(options)
  return (schema) => (isGeneric ? declaredNames(schema, converters) : null)
}

/** What knows the dates of documented answers is loaded where answers are documented. */
async function loadDates(
  routes: readonly RouteModel[],
  converters: SwaggerOptions['converters'],
): Promise<(route: RouteModel) => RouteParts['dates']> {
  const isDescribed = ({ operation: { responses } }: RouteModel) =>
    responses.some(({ status, schema }) => status < 400 && schema !== undefined)
  if (!routes.some(isDescribed)) return () => null
  const { compileAnswerDates } = await import('../schema/answer-dates.js')
  return (route) =>
    isDescribed(route) ? () => compileAnswerDates(route.operation.responses, converters) : null
}

function interceptorsOf(
  route: RouteModel,
  plugins: readonly Plugin[],
  app: InterceptedApp,
): readonly Interceptor[] {
  const list: Interceptor[] = []
  for (const plugin of plugins) {
    const interceptor = plugin.intercept?.(route, app) ?? null
    if (interceptor !== null) list.push(interceptor)
  }
  return list
}

interface InputCompiler {
  readonly compile: CompileValidator
  readonly declaresOf: (schema: Schema) => CompiledInput['declares']
}

/** Compiles every schema, and says of all that do not compile where they are. */
async function compileInputs(
  routes: readonly RouteModel[],
  { compile, declaresOf }: InputCompiler,
): Promise<CompiledInput[][]> {
  const problems: Problem[] = []
  const compileInput = async (route: RouteModel, source: InputSource, schema: Schema) => {
    try {
      const validate = await compile(schema, source)
      return { index: route.index, input: { source, validate, declares: declaresOf(schema) } }
    } catch (error) {
      problems.push(invalidSchema(route, source, error))
      return undefined
    }
  }
  const compiling: ReturnType<typeof compileInput>[] = []
  for (const route of routes) {
    for (const source of SOURCES) {
      const schema = route.inputs[source]
      if (schema !== null) compiling.push(compileInput(route, source, schema))
    }
  }
  const inputs = routes.map((): CompiledInput[] => [])
  for (const compiled of await Promise.all(compiling)) {
    if (compiled !== undefined) inputs[compiled.index]?.push(compiled.input)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return inputs
}

function invalidSchema(route: RouteModel, source: InputSource, error: unknown): Problem {
  return {
    code: 'E_SCHEMA_INVALID',
    subject: route.name,
    cause: `The JSON Schema of its ${source} does not compile: ${(error as Error).message}.`,
    remedy: 'Correct the schema. Its draft is 2020-12 unless `$schema` names 2019-09 or draft-07.',
  }
}
