import type { OperationContributor } from '../contracts/openapi.js'
import { METHODS_WITH_BODY } from './compile-route.js'

/**
 * The errors that the steps of a route may answer with; what the handler throws itself is for its author to
 * describe. The counterpart of `compileRoute`: each line stands for a step there.
 */
export function errorResponses({ hasDeadline }: { hasDeadline: boolean }): OperationContributor {
  return function errorsOf({ method, isProtected, abilities, inputs }) {
    // Whether a schema describes it or not.
    const takesBody = inputs.body !== null || METHODS_WITH_BODY.includes(method)
    // Any request may be malformed, and is then refused before its route is known: one that names no valid host, or two.
    const errors = [400]
    if (isProtected) errors.push(401)
    if (abilities !== null) errors.push(403)
    // Too large; of another type, or compressed in a way that is not understood.
    if (takesBody) errors.push(413, 415)
    errors.push(500)
    if (hasDeadline) errors.push(503)
    return { errors }
  }
}
