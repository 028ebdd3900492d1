import type { ContractOf } from '../contracts/route-contract.js'
import { readsBody } from './own-steps.js'

/**
 * Lists the errors with which the steps of a route may respond, for the OpenAPI document. Errors of the handler
 * itself are documented by its author. Each line matches a step in `compileRoute`.
 */
export function errorResponses({ hasDeadline }: { hasDeadline: boolean }): ContractOf {
  return function errorsOf(route) {
    const { isProtected, abilities } = route
    // Any request may be malformed, for example without a valid host, and is refused before its route is known.
    const errors = [400]
    if (isProtected) errors.push(401)
    if (abilities !== null) errors.push(403)
    // 413: too large. 415: another type, or an unknown compression.
    if (readsBody(route)) errors.push(413, 415)
    errors.push(500)
    if (hasDeadline) errors.push(503)
    return { errors }
  }
}
