import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { kHasFailed } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { composeErrorMiddlewares, type OnFailure } from '../pipeline/compose-error-middlewares.js'
import { DeadlineSet } from '../pipeline/deadline-set.js'
import { explainErrors } from '../pipeline/explain-errors.js'
import { createFail } from '../pipeline/fail.js'
import { createOnLateError, type OnLateError } from '../pipeline/late-errors.js'
import { createFailureLog, type LogFailure } from '../pipeline/log-failure.js'
import { scopedErrors } from '../pipeline/scoped-errors.js'
import type { OnError } from '../step/step.js'
import { declaresFor } from './declared-names.js'
import type { RunningFeatures } from './features.js'
import type { SortedMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'

/** The error handlers, by the place where an error comes from. */
export interface ErrorPaths {
  /** For errors of routes, and for the handler timeout. */
  readonly onError: OnFailure
  readonly onMiddlewareError: OnFailure
  /** For refusals by the framework itself, before the middlewares of the application or instead of a route. */
  readonly onRefusal: OnFailure
  /**
   * For errors of code that runs before those middlewares: `tenant.strategies`, and the middlewares of
   * `security`.
   */
  readonly onEarlyError: OnFailure
  /** For errors of middlewares that have called `next` already. */
  readonly onLateError: OnLateError
  /** Ends requests whose handler takes too long. */
  readonly deadlines: DeadlineSet
  /** Logs an error of a request. */
  readonly log: LogFailure
}

/** The input of {@link buildErrorPaths}. */
export interface ErrorPathConfig {
  readonly settings: Settings
  readonly express: Application
  readonly clock: Clock
  readonly logger: Logger
  readonly features: Pick<RunningFeatures, 'scopes'>
  readonly middlewares: Pick<SortedMiddlewares, 'errorHandlers'>
}

/**
 * Builds the error handlers. Every error passes the plugins and the error middlewares, and then one function
 * renders it.
 */
export function buildErrorPaths(config: ErrorPathConfig): ErrorPaths {
  const { settings, express, clock, logger } = config
  const { scopes } = config.features
  const { errorHandlers } = config.middlewares
  const log = createFailureLog(logger)
  const explaining = { plugins: settings.plugins, declaresOf: declaresFor(settings) }
  // An error middleware has the same time limit as a handler.
  const watch = {
    start: (req: BlazonRequest, res: Response) => deadlines.startForErrors(req, res),
    stop: (req: BlazonRequest) => deadlines.stopForErrors(req),
  }
  const pathTo = (last: OnError, staysAnError: boolean) => {
    const ends = { last, log, watch, staysAnError }
    const run = scopedErrors(scopes, composeErrorMiddlewares(errorHandlers, ends))
    return noteFailure(explainErrors(explaining, run))
  }
  const fail = scopedErrors(scopes, createFail(log))
  const failInExpress = createFail(log, toMiddlewareFailure)
  const onError = pathTo(fail, false)
  const { handlerMs } = settings.timeouts
  const deadlines = new DeadlineSet(handlerMs, { clock, onError, fail, scopes })
  return {
    onError,
    onMiddlewareError: pathTo(failInExpress, false),
    onRefusal: pathTo(fail, true),
    onEarlyError: pathTo(failInExpress, true),
    onLateError: createOnLateError(log, { scopes, app: express }),
    deadlines,
    log,
  }
}

function noteFailure(onError: OnFailure): OnFailure {
  return function onFailure(error, req, res, origin) {
    req[kHasFailed] = true
    onError(error, req, res, origin)
  }
}
