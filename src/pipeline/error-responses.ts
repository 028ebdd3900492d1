import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf, ContractParameter } from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'
import { readsBody } from '../model/body-methods.js'
import { webhookHeaders } from '../model/webhook-headers.js'
import { handlerMsOf } from './deadline-set.js'

/** The settings that decide which errors the steps of a route may cause. */
interface ErrorFacts {
  readonly timeouts: { readonly handlerMs: number | null }
  readonly errors: { readonly validationStatus: number }
  readonly plugins: readonly Pick<Plugin, 'explain'>[]
}

/**
 * Lists the errors with which the steps of a route may respond, for the OpenAPI document. Errors of the handler
 * itself are documented by its author. Each line matches a step in `compileRoute`.
 */
export function errorResponses({ timeouts, errors, plugins }: ErrorFacts): ContractOf {
  // A plugin may blame a value of any request: a path parameter needs no schema.
  const mayBlame = plugins.some(({ explain }) => explain !== undefined)
  return function errorsOf(route) {
    const { isProtected, isAuthOptional, abilities, bounds, stream, webhook } = route
    // Any request may be malformed, for example without a valid host, and is refused before its route is known.
    const found = [400]
    if (errors.validationStatus !== 400 && (mayBlame || hasSchema(route))) {
      found.push(errors.validationStatus)
    }
    if (isProtected || isAuthOptional || webhook !== null) found.push(401)
    // A delivery that was handled before.
    if (webhook !== null && 'scheme' in webhook) found.push(409)
    if (abilities !== null) found.push(403)
    // 413: too large. 415: another type, or an unknown compression.
    // A stream of two formats, of which the client accepts neither.
    if (stream !== null && stream.formats.length > 1) found.push(406)
    if (readsBody(route)) found.push(413, 415)
    found.push(500)
    if (handlerMsOf(bounds, timeouts.handlerMs) !== null) found.push(503)
    return { errors: found, parameters: webhookHeaders(route).map(signatureHeader) }
  }
}

function signatureHeader(name: string): ContractParameter {
  return { name, in: 'header', required: true, schema: { type: 'string' } }
}

function hasSchema({ inputs, bodies, definedParameters }: RouteModel): boolean {
  return (
    bodies !== null ||
    Object.values(inputs).some((schema) => schema !== null) ||
    (definedParameters ?? []).some(({ input }) => input !== null)
  )
}
