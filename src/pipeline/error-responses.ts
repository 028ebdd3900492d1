import type { ContractOf } from '../contracts/route-contract.js'
import { readsBody } from '../model/body-methods.js'
import { handlerMsOf } from './deadline-set.js'

/** The time limit of handlers without `@Limits`. */
interface TimeLimit {
  /** In milliseconds; `null` for no limit. */
  readonly defaultMs: number | null
}

/**
 * Lists the errors with which the steps of a route may respond, for the OpenAPI document. Errors of the handler
 * itself are documented by its author. Each line matches a step in `compileRoute`.
 */
export function errorResponses({ defaultMs }: TimeLimit): ContractOf {
  return function errorsOf(route) {
    const { isProtected, abilities, bounds } = route
    // Any request may be malformed, for example without a valid host, and is refused before its route is known.
    const errors = [400]
    if (isProtected) errors.push(401)
    if (abilities !== null) errors.push(403)
    // 413: too large. 415: another type, or an unknown compression.
    if (readsBody(route)) errors.push(413, 415)
    errors.push(500)
    if (handlerMsOf(bounds, defaultMs) !== null) errors.push(503)
    return { errors }
  }
}
