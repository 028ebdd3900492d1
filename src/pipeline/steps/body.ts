import type { Response } from '../../contracts/handler.js'
import { hasBody } from '../../http/read-body.js'
import { type BodyLimits, emptyJson, isEmptyJson, isJson, readJson } from '../../http/read-json.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal, type Step } from '../../http/step.js'

/** How a route reads its body. */
export interface BodyConfig {
  readonly limits: BodyLimits
  /** Whether a schema waits for it: then one of another type is 415, and an empty one that says JSON 400; else both are left to the handler. */
  readonly isDescribed: boolean
}

/** Settles once Node has parsed what arrived together with the head. */
const HEAD_PARSED = Promise.resolve()

/** Reads a JSON body, unless a middleware has read it or there is none. */
export function bodyStep({ limits, isDescribed }: BodyConfig, next: Step): Step {
  const rules = { ...limits, mayBeEmpty: !isDescribed }
  function readArriving(req: BlazonRequest, res: Response): unknown {
    const body = readJson(req, rules)
    if (!(body instanceof Promise)) return accept(body, req, res)
    return body.then((later) => accept(later, req, res))
  }
  function accept(body: unknown, req: BlazonRequest, res: Response): unknown {
    req.body = body
    return next(req, res)
  }
  function withoutBody(req: BlazonRequest, res: Response): unknown {
    return isDescribed && isEmptyJson(req) ? new Refusal(emptyJson()) : next(req, res)
  }
  return function readBody(req, res) {
    if (req.body !== undefined) return next(req, res)
    if (!hasBody(req)) return withoutBody(req, res)
    if (!isDescribed && !isJson(req)) return next(req, res)
    // A middleware that listens for `data` has made the body flow: a piece that nobody takes now is lost.
    return req.readableLength > 0 || req.readableFlowing === true
      ? readArriving(req, res)
      : HEAD_PARSED.then(() => readArriving(req, res))
  }
}
