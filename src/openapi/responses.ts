import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
} from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { isBodiless, isEnvelope, isJsonType, isPlainJson } from '../schema/response-shape.js'
import type { DocumentSchemas } from './document-schemas.js'
import { errorContent, successSchema } from './envelopes.js'
import type { DocumentedOperation } from './operations.js'
import { ownCopy } from './own-copy.js'
import { errorReference, successReference, UNSTATED } from './shared-responses.js'

type Headers = Readonly<Record<string, OpenApiHeader>>
type Responses = OpenApiOperation['responses']

const text = (): OpenApiSchema => ({ type: 'string' })

/**
 * All responses of an operation. A response that the author declares replaces the inferred one of the same
 * status.
 */
export function buildResponses(
  { route, method }: DocumentedOperation,
  errors: readonly number[],
  schemas: DocumentSchemas,
): Responses {
  const responses: Record<string, Responses[string]> = {}
  for (const status of errors) responses[status] = errorReference(status)
  inferSuccesses(route, responses)
  for (const declared of route.operation.responses) {
    responses[declared.status] = declaredResponse(declared, route, schemas)
  }
  // JavaScript objects list integer keys in ascending order, so the order of the assignments does not matter.
  return method === 'head' ? withoutContent(responses) : responses
}

/**
 * Adds the success responses that follow from `@HttpCode` and `@Redirect`. When the route has neither, and
 * the author declares no success, the handler may choose any status: the document then lists `2XX`.
 */
function inferSuccesses(route: RouteModel, found: Record<string, Responses[string]>): void {
  const { status, redirect, headers } = route
  if (redirect !== null) found[redirect.status] = redirection(redirect.status, headers)
  if (status !== null) {
    found[status] = success(status, STATUS_CODES[status] ?? 'Success', route)
  } else if (redirect === null && !isSuccessDescribed(route)) {
    found['2XX'] =
      headers === null ? successReference() : success(null, UNSTATED.description, route)
  }
}

/**
 * Whether the author declares a success. A 1XX or a 304 does not count: neither is the final response to an
 * unconditional request.
 */
function isSuccessDescribed({ operation }: RouteModel): boolean {
  for (const { status } of operation.responses) {
    if (status >= 200 && status < 400 && status !== 304) return true
  }
  return false
}

/** A success response of which only the status is known, or only its class. */
function success(
  status: number | null,
  description: string,
  { headers }: RouteModel,
): OpenApiResponse {
  const base = { description, ...headersOf(headers) }
  if (status !== null && (isBodiless(status) || status >= 300)) return base
  const type = contentTypeOf(headers)
  return { ...base, content: { [type]: { schema: wholeOf(type, successSchema(status, null)) } } }
}

/**
 * The schema of a body of which only the media type is known. Only `application/json` responses have the
 * envelope.
 */
function wholeOf(type: string, envelope: OpenApiSchema): OpenApiSchema {
  if (isPlainJson(type)) return envelope
  return isJsonType(type) ? {} : text()
}

/** The media type of a route's responses: its own `Content-Type` header, else `application/json`. */
function contentTypeOf(headers: RouteModel['headers']): string {
  return headers?.find(([name]) => isContentType(name))?.[1] ?? 'application/json'
}

const isContentType = (name: string) => name.toLowerCase() === 'content-type'

/** A redirect as Express writes it: as HTML or text, depending on the `Accept` header. */
function redirection(status: number, headers: RouteModel['headers']): OpenApiResponse {
  return {
    description: STATUS_CODES[status] ?? 'Redirect',
    headers: { ...headersOf(headers).headers, Location: { required: true, schema: text() } },
    content: { 'text/html': { schema: text() }, 'text/plain': { schema: text() } },
  }
}

/** `Content-Type` is left out: the keys of `content` state the media type (OpenAPI 3.0.3, 4.7.16.1). */
function headersOf(headers: RouteModel['headers']): { headers?: Headers } {
  const described = headers?.filter(([name]) => !isContentType(name)) ?? []
  if (described.length === 0) return {}
  return { headers: Object.fromEntries(described.map(([name]) => [name, { schema: text() }])) }
}

function declaredResponse(
  { status, description, schema, raw, contentType }: ApiResponseOptions,
  route: RouteModel,
  schemas: DocumentSchemas,
): OpenApiResponse {
  const isError = status >= 400
  const base = { description, ...(isError ? {} : headersOf(route.headers)) }
  if (isBodiless(status)) return base
  if (schema === undefined) {
    if (isError) return { ...base, content: ownCopy(errorContent(status)) }
    if (route.redirect?.status === status) {
      return { ...redirection(status, route.headers), description }
    }
    if (contentType === undefined && !raw) return success(status, description, route)
    const type = contentType ?? contentTypeOf(route.headers)
    const known = wholeOf(type, raw ? {} : successSchema(status, null))
    return { ...base, content: { [type]: { schema: known } } }
  }
  const described = schemas.of(schema, 'output')
  const body = schemas.copy(described)
  const type = contentType ?? (isError ? 'application/json' : contentTypeOf(route.headers))
  const isWhole = raw || isError || !isPlainJson(type) || isEnvelope(schemas.resolve(described))
  return { ...base, content: { [type]: { schema: isWhole ? body : successSchema(status, body) } } }
}

/** A response to `HEAD` has the headers of the response to `GET`, and no body. */
function withoutContent(responses: Responses): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if ('$ref' in response) return [status, { description: STATUS_CODES[status] ?? 'Success' }]
      const { content: _, ...rest } = response
      return [status, rest]
    }),
  )
}
