import type { AuthGuard } from '../../contracts/guard.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { toFailure } from '../../errors/failure.js'
import { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import type { CarriesCredential } from '../../http/credentials.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { Stage, Step } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import type { LogDenial } from '../log-denials.js'

/** The guard of an application, and the log of its failures. */
export interface GuardConfig {
  /** `null` if the application has no guard. */
  readonly guard: AuthGuard | null
  /** `undefined` before a router, whose routes are not in the model. */
  readonly route: RouteModel | undefined
  /** Logs an error that the guard throws instead of a decision. */
  readonly logDenial: LogDenial
}

/**
 * Lets a request pass if the guard returns exactly `true`. If a route needs a guard and the application has
 * none, no request passes.
 */
export function guardStage(config: GuardConfig): Stage {
  return (next) => guardStep(config, next)
}

/**
 * Runs the guard for requests that carry a credential. All others pass without it. A request whose user a middleware has
 * set needs the guard, too: the guard alone decides who the user is.
 */
export function optionalGuardStage(
  config: GuardConfig,
  carriesCredential: CarriesCredential,
): Stage {
  return (next) => {
    const guarded = guardStep(config, next)
    return function guardCredentials(req, res) {
      const isCaller = carriesCredential(req) || (req.user ?? null) !== null
      return isCaller ? guarded(req, res) : next(req, res)
    }
  }
}

function guardStep({ guard, route, logDenial }: GuardConfig, next: Step): Step {
  if (guard === null) {
    return function denyAll() {
      return deny()
    }
  }
  /**
   * An HTTP error is a decision of the guard (403, 503, …) and keeps its status. Any other error is a failure of
   * the guard: 401.
   */
  function refusalFor(error: unknown, req: BlazonRequest): Refusal {
    if (HttpError.is(error) || toFailure(error).status !== 500) return new Refusal(error)
    logDenial(error, req)
    return deny(error)
  }
  return function guardRequest(req, res) {
    let verdict: unknown
    try {
      verdict = decide(guard, req, route)
    } catch (error) {
      return refusalFor(error, req)
    }
    if (verdict === true) return next(req, res)
    if (!(verdict instanceof Promise)) return deny()
    return whenSettled(
      verdict,
      (settled) => (settled === true ? next(req, res) : deny()),
      (error) => refusalFor(error, req),
    )
  }
}

/**
 * Returns the decision of the guard, or a promise of it. The promise is our own, because another thenable may
 * call back twice, and the result of its `then` might not be a promise. Express lets a request pass if
 * `undefined`, `null`, `0` or `'route'` is thrown. Here every throw denies the request.
 */
function decide(guard: AuthGuard, req: BlazonRequest, route: RouteModel | undefined): unknown {
  const verdict: unknown = guard.canActivate(req, route)
  // A proxy may throw when it is inspected: a value that is neither thenable nor `true` becomes `false` here, and
  // is not touched again.
  return isThenable(verdict) ? Promise.resolve(verdict) : verdict === true
}

function deny(cause?: unknown): Refusal {
  // RFC 9110, 11.6.1: a 401 names the scheme that the server accepts. Each error has its own object, to which an
  // error middleware may add headers.
  const options = { headers: { 'WWW-Authenticate': 'Bearer' }, cause }
  return new Refusal(refuse('UNAUTHORIZED', 'Authentication is required', options))
}
