import type { Interceptor } from '../../contracts/plugin.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { OnError, Step } from '../../http/step.js'

/** What an interceptor may lead to beside the handler, and in whose name that runs. */
interface Interception {
  readonly onError: OnError
  readonly scopes: RequestScopes | null
}

/** Puts a plugin's interceptor in front of a handler. It may ask a pool first, and go on where that calls back. */
export function interceptStep(
  intercept: Interceptor,
  { onError, scopes }: Interception,
  next: Step,
): Step {
  return function runIntercepted(req, res) {
    return intercept(
      req,
      res,
      () => (scopes === null ? next(req, res) : scopes.keep(req, () => next(req, res))),
      (error) => onError(error, req, res),
    )
  }
}
