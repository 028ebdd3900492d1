import type { OperationContributor } from '../contracts/openapi.js'
import { METHODS_WITH_BODY } from './compile-route.js'

/**
 * Lists the errors with which the steps of a route may respond, for the OpenAPI document. Errors of the handler
 * itself are documented by its author. Each line matches a step in `compileRoute`.
 */
export function errorResponses({ hasDeadline }: { hasDeadline: boolean }): OperationContributor {
  return function errorsOf({ method, isProtected, isAuthOptional, abilities, inputs }) {
    // The body is read with or without a schema.
    const takesBody = inputs.body !== null || METHODS_WITH_BODY.includes(method)
    // Any request may be malformed, for example without a valid host, and is refused before its route is known.
    const errors = [400]
    if (isProtected || isAuthOptional) errors.push(401)
    if (abilities !== null) errors.push(403)
    // 413: too large. 415: another type, or an unknown compression.
    if (takesBody) errors.push(413, 415)
    errors.push(500)
    if (hasDeadline) errors.push(503)
    return { errors }
  }
}
