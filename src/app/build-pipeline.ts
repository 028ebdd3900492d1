import type { Server } from 'node:http'
import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { ErrorRequestHandler, RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { SwaggerOptions } from '../contracts/openapi.js'
import type { InterceptedApp, Interceptor, Plugin, PluginContext } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { type CrossOrigin, crossOriginStep } from '../features/security/cross-origin.js'
import { buildSecurity } from '../features/security/security.js'
import { createRequestClass } from '../http/request.js'
import { createResponseClass } from '../http/response.js'
import { staticHeaders } from '../http/static-headers.js'
import type { OnError, RunRoute } from '../http/step.js'
import { toBytes, toSeconds } from '../http/units.js'
import { compileDispatch, compileFrameworkRoute } from '../pipeline/compile-dispatch.js'
import {
  compileAdmission,
  compileProbe,
  compileRoute,
  type PipelineConfig,
  type RouteParts,
} from '../pipeline/compile-route.js'
import { type DeadlineConfig, Deadlines } from '../pipeline/deadlines.js'
import { defineNext } from '../pipeline/define-next.js'
import { createFail, createLogOnly } from '../pipeline/fail.js'
import { composeErrorMiddlewares, composeMiddlewares } from '../pipeline/run-middlewares.js'
import { scopedErrors } from '../pipeline/scoped-errors.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { buildRouter, type Routable, type Router } from '../routing/build-router.js'
import { type CompileValidator, createValidatorCompiler } from '../schema/compile-validator.js'
import { swaggerList } from './check-swagger.js'
import { declaredNames } from './declared-names.js'
import type { Description } from './describe.js'
import { adoptPrototypes, sortMiddlewares } from './express-host.js'
import type { RunningFeatures } from './features.js'
import type { Harness } from './harness.js'
import { createListener, type Listener } from './listener.js'
import { ModelMemory } from './model-memory.js'
import type { AppOptions } from './options.js'
import { createHttpServer } from './server.js'

const SOURCES: readonly InputSource[] = ['params', 'query', 'headers', 'body']
const DEFAULT_HANDLER_SECONDS = 30
const DEFAULT_BODY_BYTES = 100 * 1024
const DEFAULT_DEPTH = 64
const DEFAULT_HEADERS = 200

/** What a request runs through, and how it is stopped. */
export interface Pipeline {
  readonly server: Server
  readonly listener: Listener
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
  const { options, description, express, features } = input
  const { routes } = description.model
  const security = await buildSecurity(options.security)
  const Request = createRequestClass(express, features.scopes)
  const Response = createResponseClass(express, {
    statics: staticHeaders(security.headers),
    addsHeaders: features.addsHeaders || security.crossOrigin?.headersOf != null,
    scopes: features.scopes,
  })
  adoptPrototypes(express, Request, Response)
  const middlewares = [
    ...(options.middlewares ?? []),
    ...(options.plugins ?? []).flatMap(({ middlewares = [] }) => middlewares),
  ]
  const sorted = sortMiddlewares(middlewares, express)
  const { handlers, errorHandlers } = features.keepMiddlewares?.(middlewares, sorted) ?? sorted
  noteAdmission(input)
  const { onError, onMiddlewareError, deadlines } = buildErrorPaths(errorHandlers, input)
  defineNext(Request, onError)
  const compiled = await compileRoutes(input, { deadlines, onError })
  const ownRoutes = input.frameworkRoutes.map((route, offset) => ({
    ...route,
    index: routes.length + offset,
  }))
  for (const { handle } of ownRoutes) compiled.push(compileFrameworkRoute(handle, onError))
  const match = routers.get(description.model, ownRoutes.map(({ path }) => path).join('\n'), () =>
    buildRouter([...routes, ...ownRoutes.map(toRoutable)]),
  )
  input.harness?.built({ model: description.model, match })
  const { admission } = features
  const dispatch = compileDispatch({ match, routes, handlers: compiled, onError, admission })
  const onLateError = scopedErrors(features.scopes, createLogOnly(input.logger))
  const compose: Compose = (list, done) =>
    list.length === 0
      ? done
      : composeMiddlewares(list, { done, onError: onMiddlewareError, onLateError })
  const own = compose(handlers, dispatch)
  const entered = features.enter?.({ run: own, onError: onMiddlewareError }) ?? own
  // What a browser may see of a refusal is for CORS to say, whoever refuses.
  const shared = shareWithOrigins(security.crossOrigin, compose, entered)
  const run = compose(security.middlewares, shared)
  const maxHeaders = options.limits?.headers ?? DEFAULT_HEADERS
  const { isClosing, harness } = input
  const config = { Request, Response, run, onError, maxHeaders, isClosing, harness }
  const listener = createListener(config)
  const server = createHttpServer({ Request, Response, listener, timeouts: options.timeouts ?? {} })
  return { server, listener, stop: () => deadlines?.close() }
}

/** Routers that need a tenant ask what routes ask; without a guard there is nothing to ask. */
function noteAdmission({ options, guard, features: { ofRouters } }: PipelineInput): void {
  if (ofRouters === null || options.tenant === undefined || options.auth?.guard === undefined)
    return
  const { can } = options.auth
  ofRouters.noteAdmission(compileAdmission(ofRouters.stagesOfRouters, { guard, can }))
}

/** Puts middlewares in front of what comes after them. */
type Compose = (list: readonly RequestHandler[], done: RunRoute) => RunRoute

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

/** Where errors go: those of routes, those of middlewares, and requests whose time has passed. */
interface ErrorPaths {
  readonly onError: OnError
  readonly onMiddlewareError: OnError
  readonly deadlines: Deadlines | null
}

function buildErrorPaths(
  errorHandlers: readonly ErrorRequestHandler[],
  { logger, options, clock, features: { scopes } }: PipelineInput,
): ErrorPaths {
  // An error middleware may take its time as a handler may, and no more.
  const watch: RunRoute = (req, res) => deadlines?.startUntilClosed(req, res)
  const compose = (last: OnError) =>
    noteFailure(scopedErrors(scopes, composeErrorMiddlewares(errorHandlers, last, watch)))
  const fail = scopedErrors(scopes, createFail(logger))
  const onError = compose(fail)
  const onMiddlewareError = compose(createFail(logger, toMiddlewareFailure))
  const deadlines = createDeadlines(options, { clock, onError, fail, scopes })
  return { onError, onMiddlewareError, deadlines }
}

function noteFailure(onError: OnError): OnError {
  return function onFailure(error, req, res) {
    req.hasFailed = true
    onError(error, req, res)
  }
}

function createDeadlines({ timeouts }: AppOptions, config: DeadlineConfig): Deadlines | null {
  const handler = timeouts?.handler ?? DEFAULT_HANDLER_SECONDS
  return handler === false
    ? null
    : new Deadlines(toSeconds(handler) ?? DEFAULT_HANDLER_SECONDS, config)
}

async function compileRoutes(
  { description, controllers, guard, options, features, harness, get }: PipelineInput,
  shared: Pick<PipelineConfig, 'deadlines' | 'onError'>,
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
  const converters = Object.assign({}, ...swaggerList(options).map((each) => each.converters))
  const compile = createValidatorCompiler(converters)
  const isGeneric = options.validation?.messages === 'generic'
  const declaresOf = (schema: Schema) => (isGeneric ? declaredNames(schema, converters) : null)
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
