import type { Clock } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { kHasFailed } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { type DeadlineConfig, Deadlines } from '../pipeline/deadlines.js'
import { type ExplainConfig, explainErrors } from '../pipeline/explain-errors.js'
import { createFail } from '../pipeline/fail.js'
import type { LogFailure } from '../pipeline/log-failure.js'
import {
  composeErrorMiddlewares,
  type OnFailure,
  type PlacedErrorMiddleware,
} from '../pipeline/run-error-middlewares.js'
import { scopedErrors } from '../pipeline/scoped-errors.js'
import type { OnError } from '../step/step.js'
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
  readonly deadlines: Deadlines | null
}

/** What errors of an application meet. */
export interface ErrorPathConfig {
  readonly middlewares: readonly PlacedErrorMiddleware[]
  readonly log: LogFailure
  readonly settings: Settings
  readonly clock: Clock
  /** `null` where requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Who says what errors mean for the client. */
  readonly explaining: ExplainConfig
}

/** Builds the ways of errors: through the error middlewares, to the one place that renders them. */
export function buildErrorPaths({
  middlewares,
  log,
  settings,
  clock,
  scopes,
  explaining,
}: ErrorPathConfig): ErrorPaths {
  // An error middleware may take its time as a handler may, and no more.
  const watch = {
    start: (req: BlazonRequest, res: Response) => deadlines?.startUntilClosed(req, res),
    stop: (req: BlazonRequest) => deadlines?.stop(req),
  }
  const compose = (last: OnError, staysAnError: boolean) => {
    const ends = { last, log, watch, staysAnError }
    const run = scopedErrors(scopes, composeErrorMiddlewares(middlewares, ends))
    return noteFailure(explainErrors(explaining, run))
  }
  const fail = scopedErrors(scopes, createFail(log))
  const failInExpress = createFail(log, toMiddlewareFailure)
  const onError = compose(fail, false)
  const deadlines = createDeadlines(settings, { clock, onError, fail, scopes })
  return {
    onError,
    onMiddlewareError: compose(failInExpress, false),
    onRefusal: compose(fail, true),
    onEarlyError: compose(failInExpress, true),
    deadlines,
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
