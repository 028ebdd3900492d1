import type { Interceptor } from '../../contracts/plugin.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { OnError, Stage } from '../../step/step.js'

/** The parts of an application that an interceptor depends on. */
interface Interception {
  /** Takes an error that the interceptor reports by its last argument. */
  readonly onError: OnError
  /** `null` where requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/**
 * Puts the interceptor of a plugin before the handler. The interceptor may first wait for a pool and go on in a
 * callback of it, where the async context is another: therefore the request enters its scope again.
 */
export function interceptStage(intercept: Interceptor, { onError, scopes }: Interception): Stage {
  return (next) =>
    function runIntercepted(req, res) {
      return intercept(
        req,
        res,
        () => (scopes === null ? next(req, res) : scopes.keep(req, () => next(req, res))),
        (error) => onError(error, req, res),
      )
    }
}
