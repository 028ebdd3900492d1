import type { AuthGuard } from '../../contracts/guard.js'
import { toFailure } from '../../errors/failure.js'
import { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { follow, isThenable, Refusal, type Step } from '../../http/step.js'
import type { LogDenial } from '../log-denials.js'

/** Who is asked, and who is told of what it throws. */
export interface GuardConfig {
  /** `null` where there is none. */
  readonly guard: AuthGuard | null
  readonly logDenial: LogDenial
}

/** Lets a request pass on exactly `true`. A route that needs a guard where there is none lets nobody pass. */
export function guardStep({ guard, logDenial }: GuardConfig, next: Step): Step {
  if (guard === null) {
    return function denyAll() {
      return deny()
    }
  }
  /** An HTTP error is a decision of the guard (403, 503, …) and keeps its status; anything else is a failed check. */
  function turnAway(error: unknown, req: BlazonRequest): Refusal {
    if (HttpError.is(error) || toFailure(error).status !== 500) return new Refusal(error)
    logDenial(error, req)
    return deny(error)
  }
  return function guardRequest(req, res) {
    let verdict: unknown
    try {
      verdict = judge(guard, req)
    } catch (error) {
      return turnAway(error, req)
    }
    if (verdict === true) return next(req, res)
    if (!(verdict instanceof Promise)) return deny()
    return follow(
      verdict,
      (settled) => (settled === true ? next(req, res) : deny()),
      (error) => turnAway(error, req),
    )
  }
}

/**
 * The verdict, or a promise of it: a promise of our own, because any other thenable may call back twice,
 * and what its `then` returns need not be one. Express takes a thrown `undefined`, `null`, `0` or
 * `'route'` for permission to go on; here every throw denies.
 */
function judge(guard: AuthGuard, req: BlazonRequest): unknown {
  const verdict: unknown = guard.canActivate(req)
  // What is neither is not looked at any more: to ask a proxy what it is may throw.
  return isThenable(verdict) ? Promise.resolve(verdict) : verdict === true
}

function deny(cause?: unknown): Refusal {
  // RFC 9110, 11.6.1: a 401 names the scheme that would be accepted. An object of its own, which an error middleware may add to.
  const options = { headers: { 'WWW-Authenticate': 'Bearer' }, cause }
  return new Refusal(refuse('UNAUTHORIZED', 'Authentication is required', options))
}
