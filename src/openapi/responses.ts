import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
} from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { isBodiless, isJsonType, isPlainJson } from '../schema/response-shape.js'
import type { DocumentSchemas } from './document-schemas.js'
import { errorContent, isEnvelope, successSchema } from './envelopes.js'
import type { DocumentedOperation } from './operations.js'
import { ownCopy } from './own-copy.js'
import { errorReference, successReference, UNSTATED } from './shared-responses.js'

type Headers = Readonly<Record<string, OpenApiHeader>>
type Responses = OpenApiOperation['responses']

const text = (): OpenApiSchema => ({ type: 'string' })

/** All answers of an operation: the author's word first, then what the framework knows by itself. */
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
  // In ascending order whatever was written first: that is how objects keep keys that are whole numbers.
  return method === 'head' ? withoutContent(responses) : responses
}

/**
 * What the route itself says of its successes: `@HttpCode` and `@Redirect`. Where neither does, nor the author, the
 * handler may choose any status, and the document claims no more than that it is a success.
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

/** Not modified, or not over yet: neither is the answer to a request without conditions. */
function isSuccessDescribed({ operation }: RouteModel): boolean {
  for (const { status } of operation.responses) {
    if (status >= 200 && status < 400 && status !== 304) return true
  }
  return false
}

/** A success of which no more than its status is known. */
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

/** What is known of a body: only the framework's own media type has the envelope. */
function wholeOf(type: string, envelope: OpenApiSchema): OpenApiSchema {
  if (isPlainJson(type)) return envelope
  return isJsonType(type) ? {} : text()
}

/** The media type of the answers of a route: a header of that name replaces the framework's own. */
function contentTypeOf(headers: RouteModel['headers']): string {
  return headers?.find(([name]) => isContentType(name))?.[1] ?? 'application/json'
}

const isContentType = (name: string) => name.toLowerCase() === 'content-type'

/** As Express writes it: in text or HTML, by what the client accepts. */
function redirection(status: number, headers: RouteModel['headers']): OpenApiResponse {
  return {
    description: STATUS_CODES[status] ?? 'Redirect',
    headers: { ...headersOf(headers).headers, Location: { required: true, schema: text() } },
    content: { 'text/html': { schema: text() }, 'text/plain': { schema: text() } },
  }
}

/** The media type is said where the content is (OpenAPI 3.0.3, 4.7.16.1). */
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

/** An answer to `HEAD` has the headers of one to `GET`, and no body. */
function withoutContent(responses: Responses): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if ('$ref' in response) return [status, { description: STATUS_CODES[status] ?? 'Success' }]
      const { content: _, ...rest } = response
      return [status, rest]
    }),
  )
}
