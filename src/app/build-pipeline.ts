import type { Server } from 'node:http'
import type { Application } from 'express'
import type { AuthGuard } from '../contracts/guard.js'
import type { ErrorRequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { buildSecurity } from '../features/security/security.js'
import { createRequestClass } from '../http/request.js'
import { createResponseClass } from '../http/response.js'
import { staticHeaders } from '../http/static-headers.js'
import { toBytes, toSeconds } from '../http/units.js'
import { compileDispatch } from '../pipeline/compile-dispatch.js'
import { compileRoute, type PipelineConfig } from '../pipeline/compile-route.js'
import { type DeadlineEnds, Deadlines } from '../pipeline/deadlines.js'
import { defineNext } from '../pipeline/define-next.js'
import { createFail, createLogOnly } from '../pipeline/fail.js'
import { composeErrorMiddlewares, composeMiddlewares } from '../pipeline/run-middlewares.js'
import type { OnError, RunRoute } from '../pipeline/step.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { buildRouter } from '../routing/build-router.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import type { Description } from './describe.js'
import { adoptPrototypes, sortMiddlewares } from './express-host.js'
import { createListener, type Listener } from './listener.js'
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
  readonly isClosing: () => boolean
  readonly controllers: ReadonlyMap<unknown, object>
  readonly guard: AuthGuard | null
}

/** Builds the way of a request, from the socket to the controllers. */
export async function buildPipeline(input: PipelineInput): Promise<Pipeline> {
  const { options, description, express } = input
  const { routes } = description.model
  const security = buildSecurity(options.security)
  const Request = createRequestClass(express)
  const Response = createResponseClass(express, staticHeaders(security.headers))
  adoptPrototypes(express, Request, Response)
  const all = [
    ...security.middlewares,
    ...(options.middlewares ?? []),
    ...(options.plugins ?? []).flatMap(({ middlewares = [] }) => middlewares),
  ]
  const { handlers, errorHandlers } = sortMiddlewares(all, express)
  const { onError, onMiddlewareError, deadlines } = buildErrorPaths(errorHandlers, input)
  defineNext(Request, onError)
  const compiled = await compileRoutes(input, { deadlines, onError })
  const match = buildRouter(description.model)
  const dispatch = compileDispatch({ match, routes, handlers: compiled, onError })
  const run =
    handlers.length === 0
      ? dispatch
      : composeMiddlewares(handlers, {
          done: dispatch,
          onError: onMiddlewareError,
          onLateError: createLogOnly(input.logger),
        })
  const maxHeaders = options.limits?.headers ?? DEFAULT_HEADERS
  const { isClosing } = input
  const listener = createListener({ Request, Response, run, onError, maxHeaders, isClosing })
  const server = createHttpServer({ Request, Response, listener, timeouts: options.timeouts ?? {} })
  return { server, listener, stop: () => deadlines?.close() }
}

/** Where errors go: those of routes, those of middlewares, and requests whose time has passed. */
interface ErrorPaths {
  readonly onError: OnError
  readonly onMiddlewareError: OnError
  readonly deadlines: Deadlines | null
}

function buildErrorPaths(
  errorHandlers: readonly ErrorRequestHandler[],
  { logger, options }: PipelineInput,
): ErrorPaths {
  // An error middleware may take its time as a handler may, and no more.
  const watch: RunRoute = (req, res) => deadlines?.startUntilClosed(req, res)
  const compose = (last: OnError) => composeErrorMiddlewares(errorHandlers, last, watch)
  const fail = createFail(logger)
  const onError = compose(fail)
  const onMiddlewareError = compose(createFail(logger, toMiddlewareFailure))
  const deadlines = createDeadlines(options, { onError, fail })
  return { onError, onMiddlewareError, deadlines }
}

function createDeadlines({ timeouts }: AppOptions, ends: DeadlineEnds): Deadlines | null {
  const handler = timeouts?.handler ?? DEFAULT_HANDLER_SECONDS
  return handler === false
    ? null
    : new Deadlines(toSeconds(handler) ?? DEFAULT_HANDLER_SECONDS, ends)
}

async function compileRoutes(
  { description, controllers, guard, options }: PipelineInput,
  shared: Pick<PipelineConfig, 'deadlines' | 'onError'>,
): Promise<RunRoute[]> {
  const { limits, auth } = options
  const config: PipelineConfig = {
    ...shared,
    guard,
    can: auth?.can,
    bodyLimits: {
      size: toBytes(limits?.body ?? DEFAULT_BODY_BYTES) ?? DEFAULT_BODY_BYTES,
      depth: limits?.depth ?? DEFAULT_DEPTH,
    },
  }
  const inputs = await compileInputs(description.model.routes)
  return description.model.routes.map((route) => {
    const instance = controllers.get(route.controller) as object
    return compileRoute(route, { instance, inputs: inputs[route.index] ?? [] }, config)
  })
}

/** Compiles every schema, and says of all that do not compile where they are. */
async function compileInputs(routes: readonly RouteModel[]): Promise<CompiledInput[][]> {
  const compile = createValidatorCompiler()
  const problems: Problem[] = []
  const compileInput = async (route: RouteModel, source: InputSource) => {
    try {
      return { source, validate: await compile(route.inputs[source] as Schema, source) }
    } catch (error) {
      problems.push(invalidSchema(route, source, error))
      return undefined
    }
  }
  const compiled = await Promise.all(
    routes.map(async (route) => {
      const sources = SOURCES.filter((source) => route.inputs[source] !== null)
      const inputs = await Promise.all(sources.map((source) => compileInput(route, source)))
      return inputs.filter((input) => input !== undefined)
    }),
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return compiled
}

function invalidSchema(route: RouteModel, source: InputSource, error: unknown): Problem {
  return {
    code: 'E_SCHEMA_INVALID',
    subject: route.name,
    cause: `The JSON Schema of its ${source} does not compile: ${(error as Error).message}.`,
    remedy: 'Correct the schema. Its draft is 2020-12 unless `$schema` names 2019-09 or draft-07.',
  }
}
