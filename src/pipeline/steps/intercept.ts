import type { Interceptor } from '../../contracts/plugin.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { OnError, Stage } from '../../step/step.js'

/** The parts of an application that an interceptor depends on. */
interface Interception {
  /** Takes an error that the interceptor reports by its last argument. */
  readonly onError: OnError
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/**
 * Runs the interceptor of a plugin before the handler. The interceptor may wait for a pool, whose callback runs
 * in another async context. Therefore the request enters its scope again.
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
