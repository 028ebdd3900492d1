import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Logger, Response } from '../contracts/public.js'
import { toFailure, toMiddlewareFailure } from '../errors/failure.js'
import type { BlazonRequest } from '../http/request.js'
import { sendableRequestId } from '../http/request-id.js'
import { kHasFailed } from '../http/symbol-fields.js'
import {
  composeErrorMiddlewares,
  type OnFailure,
  scopedErrors,
} from '../pipeline/compose-error-middlewares.js'
import { DeadlineSet } from '../pipeline/deadlines.js'
import { explainErrors } from '../pipeline/explain-errors.js'
import {
  clientErrorResponse,
  createFail,
  createRender,
  createStreamEnd,
  type RenderFailure,
} from '../pipeline/fail.js'
import { createFailureLog, type LogFailure } from '../pipeline/log-failure.js'
import { createOnLateError, isUseError, type OnLateError } from '../pipeline/middleware-errors.js'
import { RepeatedFailures } from '../pipeline/repeated-failures.js'
import { joinReports, type ReportError } from '../pipeline/report-error.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import type { OnError } from '../step/step.js'
import type { ResponseText } from './client-error.js'
import { declaresFor } from './compile-inputs.js'
import type { Description } from './describe.js'
import { formatFaults, routeFormats } from './error-formats.js'
import type { SortedMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The error handlers, by the source of the error. */
export interface ErrorPaths {
  /** Handles errors of routes, and the handler timeout. */
  readonly onError: OnFailure
  readonly onMiddlewareError: OnFailure
  /** Handles refusals by the framework itself, before the application's middlewares or instead of a route. */
  readonly onRefusal: OnFailure
  /**
   * Handles errors of code that runs before the application's middlewares: `tenant.strategies`, and the middlewares of
   * `security`.
   */
  readonly onEarlyError: OnFailure
  /** Handles errors of middlewares that have already called `next`. */
  readonly onLateError: OnLateError
  /** Handles errors of streams that have begun. `end` receives the error as JSON, and ends the response. */
  readonly onStreamError: (
    error: unknown,
    req: BlazonRequest,
    res: Response,
    end: (json: string) => void,
  ) => void
  /** Ends requests whose handlers exceed their time limit. */
  readonly deadlines: DeadlineSet
  /** Logs an error of a request. */
  readonly log: LogFailure
  /** Logs the number of errors that were counted but not logged. */
  readonly closeLog: () => void
  /** Creates the responses to errors of Node's parser. */
  readonly parserErrorResponse: ResponseText
}

/** The input of {@link buildErrorPaths}. */
export interface ErrorPathConfig {
  readonly settings: Settings
  readonly description: Pick<Description, 'model'>
  readonly express: Application
  readonly clock: Clock
  readonly logger: Logger
  /** Passes errors to the function in the option `onError`; `null` without this option. */
  readonly report: ReportError | null
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: { readonly onError: ReportError | null } | null
  readonly secrets: RequestSecrets
  readonly features: Pick<RunningFeatures, 'scopes'>
  readonly middlewares: Pick<SortedMiddlewares, 'errorHandlers'>
}

/**
 * Builds the error handlers. Except for late errors and errors of Node's parser, every error passes through the plugins
 * and the error middlewares; then one function renders it.
 */
export function buildErrorPaths(config: ErrorPathConfig): ErrorPaths {
  const { settings, express, clock, logger, observers, secrets } = config
  const report = joinReports(config.report, observers?.onError ?? null)
  const { scopes } = config.features
  const { errorHandlers } = config.middlewares
  const { log, closeLog } = startLog(config, report)
  const { wire, validationStatus } = settings.errors
  const onFault = formatFaults({ logger, report }, log)
  const formatOf = routeFormats(config.description.model)
  const renderAny = createRender({ wire, formatOf, onFault })
  const render: RenderFailure = (failure, req) =>
    renderAny(secrets.hideInFailure(failure, req), req)
  const explaining = {
    plugins: settings.plugins,
    declaresOf: declaresFor(settings),
    validationStatus,
  }
  // An error middleware has the same time limit as a handler.
  const watch = {
    start: (req: BlazonRequest, res: Response) => deadlines.startForErrors(req, res),
    stop: (req: BlazonRequest) => deadlines.stopForErrors(req),
  }
  const pathTo = (last: OnError, isOfRoute: boolean, staysAnError: boolean) => {
    const read = isOfRoute ? toFailure : toMiddlewareFailure
    const ends = { last, log, read, watch, staysAnError }
    const run = composeErrorMiddlewares(errorHandlers, ends)
    return noteFailure(scopedErrors(scopes, explainErrors(explaining, run)))
  }
  const fail = scopedErrors(scopes, createFail({ log, render }))
  const endStream = createStreamEnd({ log, render })
  const failInExpress = createFail({ log, render, read: toMiddlewareFailure })
  const onMiddlewareError = pathTo(failInExpress, false, false)
  const onError = separateUseErrors(pathTo(fail, true, false), onMiddlewareError)
  const { handlerMs } = settings.timeouts
  const deadlines = new DeadlineSet(handlerMs, { clock, onError, fail, scopes })
  return {
    onError,
    onMiddlewareError,
    onRefusal: pathTo(fail, true, true),
    onEarlyError: pathTo(failInExpress, false, true),
    onLateError: createOnLateError(log, { scopes, app: express }),
    onStreamError(error, req, res, end) {
      const pass = explainErrors(explaining, (meaning) => {
        endStream(meaning, req, end)
        // `onError` would destroy the response, which is still sending the items before the error.
        const pass = () => onError(meaning, req, res)
        if (res.writableEnded || res.closed) pass()
        else res.once('close', pass)
      })
      pass(error, req, res)
    },
    deadlines,
    log,
    closeLog,
    parserErrorResponse(error, req) {
      const requestId = req && settings.sendsRequestIds ? sendableRequestId(req) : undefined
      return clientErrorResponse(error, { wire, onFault, requestId })
    },
  }
}

/**
 * Starts the log of failed requests. The lines of repeated errors are omitted only with `logs`, which writes another
 * line for each request.
 */
function startLog(
  { settings, logger, clock, secrets }: ErrorPathConfig,
  report: ReportError | null,
): Pick<ErrorPaths, 'log' | 'closeLog'> {
  const repeated = settings.logs === null ? null : new RepeatedFailures({ logger, clock })
  return {
    log: createFailureLog({ logger, report, secrets, repeated }),
    closeLog: () => repeated?.close(),
  }
}

/** Errors in middlewares of `@Use` follow the rules for other middlewares. */
function separateUseErrors(ofRoute: OnFailure, ofMiddleware: OnFailure): OnFailure {
  return function onRouteError(error, req, res, origin) {
    const handle = isUseError(error, req) ? ofMiddleware : ofRoute
    handle(error, req, res, origin)
  }
}

function noteFailure(onError: OnFailure): OnFailure {
  return function onFailure(error, req, res, origin) {
    req[kHasFailed] = true
    onError(error, req, res, origin)
  }
}
