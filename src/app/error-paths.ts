import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { kHasFailed } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { composeErrorMiddlewares, type OnFailure } from '../pipeline/compose-error-middlewares.js'
import { type DeadlineConfig, Deadlines } from '../pipeline/deadlines.js'
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

/** Where errors go, by where they come from. */
export interface ErrorPaths {
  /** Of routes, and of requests whose time has passed. */
  readonly onError: OnFailure
  readonly onMiddlewareError: OnFailure
  /** Of what the framework itself asks of requests, before the middlewares of the application and in the place of a route. */
  readonly onRefusal: OnFailure
  /** Of what others are asked before those middlewares: `tenant.strategies`, and the middlewares of `security`. */
  readonly onEarlyError: OnFailure
  /** Of middlewares that have passed the request on before they fail. */
  readonly onLateError: OnLateError
  /** Ends the requests whose handler takes too long; `null` where handlers may take any time. */
  readonly deadlines: Deadlines | null
  /** Tells the log of an error of a request. */
  readonly log: LogFailure
}

/** What the handling of errors is built from. */
export interface ErrorPathConfig {
  readonly settings: Settings
  readonly express: Application
  readonly clock: Clock
  readonly logger: Logger
  readonly features: Pick<RunningFeatures, 'scopes'>
  readonly middlewares: Pick<SortedMiddlewares, 'errorHandlers'>
}

/** Builds what handles errors: the way through the plugins and the error middlewares to the one place that renders errors. */
export function buildErrorPaths(config: ErrorPathConfig): ErrorPaths {
  const { settings, express, clock, logger } = config
  const { scopes } = config.features
  const { errorHandlers } = config.middlewares
  const log = createFailureLog(logger)
  const explaining = { plugins: settings.plugins, declaresOf: declaresFor(settings) }
  // An error middleware may take its time as a handler may, and no more.
  const watch = {
    start: (req: BlazonRequest, res: Response) => deadlines?.startUntilClosed(req, res),
    stop: (req: BlazonRequest) => deadlines?.stop(req),
  }
  const pathTo = (last: OnError, staysAnError: boolean) => {
    const ends = { last, log, watch, staysAnError }
    const run = scopedErrors(scopes, composeErrorMiddlewares(errorHandlers, ends))
    return noteFailure(explainErrors(explaining, run))
  }
  const fail = scopedErrors(scopes, createFail(log))
  const failInExpress = createFail(log, toMiddlewareFailure)
  const onError = pathTo(fail, false)
  const deadlines = createDeadlines(settings, { clock, onError, fail, scopes })
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

function createDeadlines({ timeouts }: Settings, config: DeadlineConfig): Deadlines | null {
  const { handlerMs } = timeouts
  return handlerMs === null ? null : new Deadlines(handlerMs, config)
}
