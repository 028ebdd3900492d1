import type { Response } from '../../contracts/handler.js'
import { hasBody } from '../../http/read-body.js'
import { type BodyLimits, emptyJson, isEmptyJson, isJson, readJson } from '../../http/read-json.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { Step, StepFactory } from '../../step/step.js'

/** The configuration for reading a route's body. */
export interface BodyConfig {
  readonly limits: BodyLimits
  /**
   * Whether the route has a schema for the body. If so, a body of another type is refused with a 415 response, and an
   * empty body that is declared as JSON with a 400 response. Without a schema, the handler decides in both cases.
   */
  readonly isDescribed: boolean
}

/** A settled promise. After it is awaited, Node has parsed the bytes that arrived together with the request head. */
const HEAD_PARSED = Promise.resolve()

/** Reads a JSON body, unless there is no body or a middleware has read it. */
export function bodyStage(config: BodyConfig): StepFactory {
  return (next) => bodyStep(config, next)
}

function bodyStep({ limits, isDescribed }: BodyConfig, next: Step): Step {
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
    // If bytes have already arrived, no wait is needed. If a middleware has started the body stream by listening for
    // `data`, the data must be read now, or it is lost.
    return req.readableLength > 0 || req.readableFlowing === true
      ? readArriving(req, res)
      : HEAD_PARSED.then(() => readArriving(req, res))
  }
}
