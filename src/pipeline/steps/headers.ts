import type { RouteModel } from '../../contracts/route-model.js'
import { joinHeader } from '../../http/send/join-header.js'
import type { StepFactory } from '../../step/step.js'

/** Sets the headers of `@Header` before the handler runs. The handler may still change them. */
export function headersStage(headers: NonNullable<RouteModel['headers']>): StepFactory {
  return (next) =>
    function setHeaders(req, res) {
      for (const [name, value] of headers) joinHeader(res, name, value)
      return next(req, res)
    }
}
