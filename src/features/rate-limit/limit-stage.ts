import type { Request, Response } from '../../contracts/handler.js'
import type { RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import type { StepFactory } from '../../contracts/steps.js'
import { noteOf } from '../../http/note-of.js'
import { addHeaders } from '../../http/send/response-headers.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/thenable.js'
import type { ClientKey } from './client-key.js'
import type { PlannedLimit } from './plan-limits.js'

/** The store that counts, and the function that returns the key of the client of a request. */
export interface LimitParts {
  readonly store: RateLimitStore
  readonly clientKey: ClientKey
}

/**
 * Creates the stage of one limit. Its step counts the request, sends the remaining quota in headers
 * (draft-ietf-httpapi-ratelimit-headers), and refuses the request with 429 when it is over the limit. Several
 * limits become several stages in a row: when one refuses a request, the limits after it do not count that
 * request.
 */
export function limitStage(planned: PlannedLimit, { store, clientKey }: LimitParts): StepFactory {
  const { name, limit, windowMs, by } = planned
  const policy = `"${name}";q=${limit};w=${windowMs / 1000}`
  const left = `"${name}";r=`
  const key = typeof by === 'function' ? 'own' : by
  const counted = { policy: name, limit, windowMs, key }
  const refusalFor = (result: RateLimitResult, req: Request, res: Response): Refusal | null => {
    // A remote store may respond after the window has ended, so `resetMs` may be negative.
    const seconds = Math.max(0, Math.ceil(result.resetMs / 1000))
    const rest = `${left}${Math.max(0, result.remaining)};t=${seconds}`
    addHeaders(res, ['RateLimit-Policy', policy, 'RateLimit', rest])
    const verdict = result.isAllowed ? 'counted' : 'refused'
    noteOf(req)?.({ by: 'limit', verdict, facts: { ...counted, remaining: result.remaining } })
    return result.isAllowed ? null : tooMany(seconds)
  }
  return function stageLimit(next) {
    return function limitRequest(req, res) {
      const result = store.consume({ key: clientKey(req), limit, windowMs })
      if (isThenable(result)) {
        return result.then((later) => refusalFor(later, req, res) ?? next(req, res))
      }
      return refusalFor(result, req, res) ?? next(req, res)
    }
  }
}

function tooMany(seconds: number): Refusal {
  const headers = { 'Retry-After': String(seconds) }
  const message = `Too many requests; try again in ${seconds} s`
  return Refusal.of(429, message, { headers })
}
