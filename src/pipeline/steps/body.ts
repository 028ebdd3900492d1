import type { Response } from '../../contracts/handler.js'
import { hasBody } from '../../http/read-body.js'
import { type BodyLimits, isJson, readJson } from '../../http/read-json.js'
import type { BlazonRequest } from '../../http/request.js'
import type { Step } from '../../http/step.js'

/** How a route reads its body. */
export interface BodyConfig {
  readonly limits: BodyLimits
  /** Whether a schema waits for it: then a body of another type is 415, else it is left for the handler. */
  readonly isDescribed: boolean
}

/** Settles once Node has parsed what arrived together with the head. */
const HEAD_PARSED = Promise.resolve()

/** Reads a JSON body, unless a middleware has read it or there is none. */
export function bodyStep({ limits, isDescribed }: BodyConfig, next: Step): Step {
  function readArriving(req: BlazonRequest, res: Response): unknown {
    const body = readJson(req, limits)
    if (!(body instanceof Promise)) return accept(body, req, res)
    return body.then((later) => accept(later, req, res))
  }
  function accept(body: unknown, req: BlazonRequest, res: Response): unknown {
    req.body = body
    return next(req, res)
  }
  return function readBody(req, res) {
    if (req.body !== undefined || !hasBody(req)) return next(req, res)
    if (!isDescribed && !isJson(req)) return next(req, res)
    return req.readableLength > 0
      ? readArriving(req, res)
      : HEAD_PARSED.then(() => readArriving(req, res))
  }
}
