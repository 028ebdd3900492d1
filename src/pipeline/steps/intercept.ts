import type { Interceptor } from '../../contracts/plugin.js'
import type { OnError, Step } from '../../http/step.js'

/** Puts a plugin's interceptor in front of a handler. */
export function interceptStep(intercept: Interceptor, onError: OnError, next: Step): Step {
  return function runIntercepted(req, res) {
    return intercept(
      req,
      res,
      () => next(req, res),
      (error) => onError(error, req, res),
    )
  }
}
