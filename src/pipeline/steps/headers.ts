import type { RouteModel } from '../../contracts/route-model.js'
import type { Step } from '../../http/step.js'

/** Sets the headers of `@Header` before the handler, which may still change them. */
export function headersStep(headers: NonNullable<RouteModel['headers']>, next: Step): Step {
  return function setHeaders(req, res) {
    for (const [name, value] of headers) res.setHeader(name, value)
    return next(req, res)
  }
}
