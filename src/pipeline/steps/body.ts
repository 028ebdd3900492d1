import { hasBody } from '../../http/read-body.js'
import { type BodyLimits, isJson, readJson } from '../../http/read-json.js'
import type { Step } from '../../http/step.js'

/** How a route reads its body. */
export interface BodyConfig {
  readonly limits: BodyLimits
  /** Whether a schema waits for it: then a body of another type is 415, else it is left for the handler. */
  readonly isDescribed: boolean
}

/** Reads a JSON body, unless a middleware has read it or there is none. */
export function bodyStep({ limits, isDescribed }: BodyConfig, next: Step): Step {
  return function readBody(req, res) {
    if (req.body !== undefined || !hasBody(req)) return next(req, res)
    if (!isDescribed && !isJson(req)) return next(req, res)
    return readJson(req, limits).then((body) => {
      req.body = body
      return next(req, res)
    })
  }
}
