import type { AuthGuard } from '../../contracts/guard.js'
import { toFailure } from '../../errors/failure.js'
import { HttpError, UnauthorizedError, withoutStack } from '../../errors/http-error.js'
import type { BlazonRequest } from '../../http/request.js'
import { follow, isThenable, Refusal, type Step } from '../../http/step.js'

/** Lets a request pass on exactly `true`. A route that needs a guard where there is none lets nobody pass. */
export function guardStep(guard: AuthGuard | null, next: Step): Step {
  if (guard === null) {
    return function denyAll() {
      return deny()
    }
  }
  return function guardRequest(req, res) {
    const verdict = judge(guard, req)
    if (verdict === true) return next(req, res)
    if (verdict instanceof Refusal) return verdict
    if (!(verdict instanceof Promise)) return deny()
    return follow(verdict, (settled) => (settled === true ? next(req, res) : deny()), refuse)
  }
}

/**
 * The verdict, a refusal, or a promise of a verdict: a promise of our own, because any other thenable may call back twice,
 * and what its `then` returns need not be one. Express takes a thrown `undefined`, `null`, `0` or
 * `'route'` for permission to go on; here every throw denies.
 */
function judge(guard: AuthGuard, req: BlazonRequest): unknown {
  try {
    const verdict: unknown = guard.canActivate(req)
    // What is neither is not looked at any more: to ask a proxy what it is may throw.
    return isThenable(verdict) ? Promise.resolve(verdict) : verdict === true
  } catch (error) {
    return refuse(error)
  }
}

/** An HTTP error is a decision of the guard (403, 503, …) and keeps its status; anything else is a failed check. */
function refuse(error: unknown): Refusal {
  const isDecision = HttpError.is(error) || toFailure(error).status !== 500
  return isDecision ? new Refusal(error) : deny(error)
}

function deny(cause?: unknown): Refusal {
  // RFC 9110, 11.6.1: a 401 names the scheme that would be accepted. An object of its own, which an error middleware may add to.
  const options = { headers: { 'WWW-Authenticate': 'Bearer' }, cause }
  return new Refusal(
    withoutStack(() => new UnauthorizedError('Authentication is required', options)),
  )
}
