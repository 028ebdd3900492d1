import type { Interceptor } from '../../contracts/plugin.js'
import type { Step } from '../../http/step.js'

/** Puts a plugin's interceptor in front of a handler. */
export function interceptStep(intercept: Interceptor, next: Step): Step {
  return function runIntercepted(req, res) {
    return intercept(req, res, () => next(req, res))
  }
}
