import type { Interceptor } from '../../contracts/interceptor.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { kIsExpired } from '../../http/symbol-fields.js'
import type { StepFactory } from '../../step/step.js'
import { throwRefusal } from '../../step/throw-refusal.js'

/**
 * Runs an interceptor around the handler. The interceptor may wait, and its code then continues in another async context.
 * Therefore the request enters its scope again before the handler. The handler does not run if the request has ended
 * meanwhile.
 *
 * @param scopes `null` if requests have no scopes.
 */
export function interceptStage(
  interceptor: Interceptor,
  scopes: RequestScopes | null,
): StepFactory {
  return (next) =>
    function runIntercepted(req, res) {
      const run = () => (req[kIsExpired] ? res : throwRefusal(next(req, res)))
      const proceed = scopes === null ? run : () => scopes.keep(req, run)
      return interceptor.intercept(req, proceed, res)
    }
}
