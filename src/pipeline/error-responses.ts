import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf, ContractParameter, RouteContract } from '../contracts/route-contract.js'
import type { RouteModel } from '../contracts/route-model.js'
import { boundsOf, readsBody } from '../model/bounds.js'
import { isScheme, webhookHeaders } from '../model/webhooks.js'

/** The settings that determine which errors a route's steps can cause. */
interface ErrorFacts {
  readonly timeouts: { readonly handlerMs: number | null }
  readonly errors: { readonly validationStatus: number }
  readonly plugins: readonly Pick<Plugin, 'explain'>[]
}

/**
 * Lists the errors that a route's steps can respond with, for the OpenAPI document. The result also contains the
 * signature headers of webhooks, and the responses and headers of files. The author of the handler documents the
 * handler's own errors.
 */
export function errorResponses({ timeouts, errors, plugins }: ErrorFacts): ContractOf {
  // A plugin may report a value of any request, because a path parameter needs no schema.
  const mayBlame = plugins.some(({ explain }) => explain !== undefined)
  return function errorsOf(route) {
    const { isProtected, isAuthOptional, abilities, stream, webhook, produces } = route
    // Any request may be malformed, for example without a valid host. Such a request is refused before its route is
    // found.
    const found = [400]
    if (errors.validationStatus !== 400 && (mayBlame || hasSchema(route))) {
      found.push(errors.validationStatus)
    }
    if (isProtected || isAuthOptional || webhook !== null) found.push(401)
    // 409: the webhook delivery has already been handled.
    if (isScheme(webhook)) found.push(409)
    if (abilities !== null) found.push(403)
    // 406: the route has several formats, and the client accepts no format of the route.
    if (produces !== null || (stream !== null && stream.formats.length > 1)) found.push(406)
    // 413: the body is too large. 415: the body has another type or an unknown compression.
    if (readsBody(route)) found.push(413, 415)
    found.push(500)
    if (boundsOf(route, timeouts).handlerMs !== null) found.push(503)
    const parameters = webhookHeaders(route).map(signatureHeader)
    const type = fileTypeOf(route)
    if (type === null) {
      return { errors: found, parameters, ...(produces !== null && { headers: VARY }) }
    }
    return { ...ofFile(type), errors: [...found, 404, 412, 416], parameters }
  }
}

const VARY: NonNullable<RouteContract['headers']> = {
  Vary: { description: 'The response depends on `Accept`.', schema: { type: 'string' } },
}

/**
 * Returns the media type of the file that a route sends; `null` if the route sends no file, or is not a `GET` route.
 */
function fileTypeOf({ method, operation }: RouteModel): string | null {
  if (method !== 'GET') return null
  return operation.responses.find(({ status }) => status === 200)?.content ?? null
}

/**
 * Returns the responses to conditional and range requests for a file, and their headers (RFC 9110, sections 13 and 14).
 */
function ofFile(type: string): Pick<RouteContract, 'responses' | 'headers'> {
  const text = { type: 'string' }
  return {
    responses: [{ status: 206, content: type, contentType: type }, { status: 304 }],
    headers: {
      ETag: { description: 'The version of the content.', schema: text },
      'Accept-Ranges': {
        description: '`bytes`, if the server accepts range requests.',
        schema: text,
      },
    },
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
