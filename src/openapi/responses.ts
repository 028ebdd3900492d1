import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
} from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { StreamKind, StreamModel } from '../contracts/representation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { boundsOf } from '../model/bounds.js'
import { bytesOfForm } from '../model/compile-upload.js'
import { guardsOfRoute } from '../model/route-guards.js'
import {
  envelopeTypeOf,
  essenceOf,
  headerTypeOf,
  isBodiless,
  isEnvelope,
  isJsonType,
  isSentWithoutEnvelope,
} from '../schema/response-shape.js'
import type { DocumentGuard } from './document-guard.js'
import type { DocumentSchemas } from './document-schemas.js'
import { type ErrorContent, wrappedSchema } from './envelopes.js'
import type { DocumentedOperation } from './list-operations.js'
import { deepCopy } from './map-schema.js'
import type { MergedContract } from './merge-contracts.js'
import { type SharedResponses, UNSTATED } from './shared-responses.js'
import type { OpenApiVersion } from './swagger-options.js'

type Headers = Readonly<Record<string, OpenApiHeader>>
type Responses = OpenApiOperation['responses']

const text = (): OpenApiSchema => ({ type: 'string' })

/** The parts of a document that its responses use. */
export interface ResponseContext {
  readonly schemas: DocumentSchemas
  readonly shared: SharedResponses
  /** The application's guards. */
  readonly guards: readonly DocumentGuard[]
  /** The responses that the application documents for every route. */
  readonly documented: readonly ApiResponseOptions[]
  readonly openapi: OpenApiVersion
}

/**
 * Returns all responses of an operation. A response that the author declares replaces the inferred response with the
 * same status.
 */
export function buildResponses(
  { route, method }: DocumentedOperation,
  { errors, responses: added, headers }: MergedContract,
  context: ResponseContext,
): Responses {
  const { shared, schemas } = context
  const responses: Record<string, Responses[string]> = {}
  for (const status of errors) responses[status] = shared.error(status, route)
  const isScoped = guardsOfRoute(route, context.guards).some((guard) => guard.challengesAbilities)
  if (isScoped && errors.includes(403)) responses[403] = shared.insufficientScope(route)
  const maxBytes = ownMaxBytes(route, shared)
  if (maxBytes !== undefined && errors.includes(413)) {
    responses[413] = tooLarge(maxBytes, shared.errorContent(413, route))
  }
  for (const each of added) responses[each.status] = statedResponse(each, route, context)
  inferSuccesses(route, responses, context)
  if (route.stream !== null) {
    const content = streamContent(route.stream, route, context)
    responses[200] = {
      description: 'The items: one per line or event',
      ...headersOf(route.headers),
      content,
    }
  }
  for (const declared of route.operation.responses) {
    responses[declared.status] = statedResponse(declared, route, context)
  }
  if (route.produces !== null) addRepresentations(responses, route)
  if (headers.length > 0) addHeaders(responses, describeHeaders(headers, schemas), route)
  // The responses need not be sorted, because JavaScript objects list integer keys in ascending order.
  return method === 'head' ? withoutContent(responses, shared, isScoped) : responses
}

function describeHeaders(added: MergedContract['headers'], schemas: DocumentSchemas): Headers {
  return Object.fromEntries(
    added.map(([name, { description, schema }]) => [
      name,
      {
        ...(description !== undefined && { description }),
        schema: schemas.copy(schemas.of(schema, 'output')),
      },
    ]),
  )
}

/** Adds the headers from contracts to every success response and every redirect. */
function addHeaders(
  responses: Record<string, Responses[string]>,
  headers: Headers,
  route: RouteModel,
): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!/^[23]/.test(status)) continue
    // The shared success response belongs to several operations, so it is not changed.
    const own = '$ref' in response ? success(null, UNSTATED, route) : response
    responses[status] = { ...own, headers: { ...deepCopy(headers), ...own.headers } }
  }
}

/**
 * Describes the success responses of a route in each of its representations. The schema of the data applies to JSON.
 */
function addRepresentations(responses: Record<string, Responses[string]>, route: RouteModel): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue
    const own = '$ref' in response ? success(null, UNSTATED, route) : response
    if (own.content === undefined) continue
    const [json] = Object.values(own.content)
    const content = (route.produces ?? []).map(({ type, serialize }) => [
      type,
      serialize === null && json !== undefined ? deepCopy(json) : { schema: producedSchema(type) },
    ])
    responses[status] = { ...own, content: Object.fromEntries(content) }
  }
}

function producedSchema(type: string): OpenApiSchema {
  return /^text\/|[/+](?:xml|yaml|csv)\b/i.test(type)
    ? text()
    : { type: 'string', format: 'binary' }
}

/** Returns the maximum body size of a route, in bytes; `undefined` if the route has no limit of its own. */
function ownMaxBytes(route: RouteModel, { bodyBytes }: SharedResponses): number | undefined {
  const { limits, upload } = route
  if (upload === null) return limits?.bodyBytes
  return bytesOfForm(upload, boundsOf(route, { bodyBytes }).bodyBytes)
}

/**
 * Returns the 413 response of an operation whose `@Limits`, `@Body` or `@Upload` sets the maximum body size. The
 * response contains this size for clients.
 */
function tooLarge(bytes: number, content: ErrorContent): OpenApiResponse {
  const description = `The request body is larger than ${bytes} bytes.`
  return { description, 'x-max-body-bytes': bytes, content }
}

/**
 * Adds the success responses that result from `@HttpCode`, `defaultStatus` and `@Redirect`. Without these, and without
 * a declared success response, the handler can choose any status, so the document contains `2XX`.
 */
function inferSuccesses(
  route: RouteModel,
  found: Record<string, Responses[string]>,
  { shared }: ResponseContext,
): void {
  const { status, redirect, headers } = route
  if (route.stream !== null) return
  if (redirect !== null) found[redirect.status] = redirection(redirect.status, headers)
  if (status !== null) {
    found[status] = success(status, STATUS_CODES[status] ?? 'Success', route)
  } else if (redirect === null && !isSuccessDescribed(route)) {
    found['2XX'] = headers === null ? shared.success(route) : success(null, UNSTATED, route)
  }
}

/**
 * Whether the author declares a success response. A 1XX or 304 response does not count, because neither is the final
 * response to an unconditional request.
 */
function isSuccessDescribed({ operation }: RouteModel): boolean {
  for (const { status } of operation.responses) {
    if (status >= 200 && status < 400 && status !== 304) return true
  }
  return false
}

/** Returns a success response if only its status or status class is known. */
function success(status: number | null, description: string, route: RouteModel): OpenApiResponse {
  const base = { description, ...headersOf(route.headers) }
  if (status !== null && (isBodiless(status) || status >= 300)) return base
  const type = contentTypeOf(route)
  const known = wrappedSchema(route.envelope, status, null)
  return { ...base, content: { [type]: { schema: wholeOf(type, known, route) } } }
}

/**
 * Returns the schema of a body if only its media type is known. Only responses with the envelope's media type have the
 * envelope.
 */
function wholeOf(type: string, envelope: OpenApiSchema, route: RouteModel): OpenApiSchema {
  if (essenceOf(type) === essenceOf(envelopeTypeOf(route))) return envelope
  return isJsonType(type) ? {} : text()
}

/** Returns the media type of a route's responses: its own `Content-Type` header, otherwise the envelope's type. */
function contentTypeOf(route: RouteModel): string {
  return headerTypeOf(route) ?? envelopeTypeOf(route)
}

const isContentType = (name: string) => name.toLowerCase() === 'content-type'

/** Returns a redirect response, which Express sends as HTML or text, depending on the `Accept` header. */
function redirection(status: number, headers: RouteModel['headers']): OpenApiResponse {
  return {
    description: STATUS_CODES[status] ?? 'Redirect',
    headers: { ...headersOf(headers).headers, Location: { required: true, schema: text() } },
    content: { 'text/html': { schema: text() }, 'text/plain': { schema: text() } },
  }
}

/**
 * Returns the documented headers. `Content-Type` is omitted, because the keys of `content` specify the media type
 * (OpenAPI 3.0.3, 4.7.17.1).
 */
function headersOf(headers: RouteModel['headers']): { headers?: Headers } {
  const described = headers?.filter(([name]) => !isContentType(name)) ?? []
  if (described.length === 0) return {}
  return { headers: Object.fromEntries(described.map(([name]) => [name, { schema: text() }])) }
}

/**
 * Returns a response that the author describes. Error responses that the application documents for every route are
 * shared.
 */
function statedResponse(
  stated: ApiResponseOptions,
  route: RouteModel,
  context: ResponseContext,
): Responses[string] {
  const make = () => declaredResponse(stated, route, context)
  const isShared = stated.status >= 400 && context.documented.includes(stated)
  return isShared ? context.shared.documented(stated.status, route, make) : make()
}

function declaredResponse(
  stated: ApiResponseOptions,
  route: RouteModel,
  { schemas, shared }: ResponseContext,
): OpenApiResponse {
  const { status, schema, raw, contentType } = stated
  const { description = STATUS_CODES[status] ?? `Status ${status}` } = stated
  const isError = status >= 400
  const base = { description, ...(isError ? {} : headersOf(route.headers)) }
  if (isBodiless(status)) return base
  if (stated.content !== undefined) return fileResponse(stated.content, { ...base, status })
  if (schema === undefined) {
    if (isError) return { ...base, content: shared.errorContent(status, route) }
    if (route.redirect?.status === status) {
      return { ...redirection(status, route.headers), description }
    }
    if (contentType === undefined && !raw) return success(status, description, route)
    const type = contentType ?? contentTypeOf(route)
    const known = raw ? {} : wrappedSchema(route.envelope, status, null)
    return { ...base, content: { [type]: { schema: wholeOf(type, known, route) } } }
  }
  const described = schemas.of(schema, 'output')
  const body = schemas.copy(described)
  const type = contentType ?? (isError ? shared.errorType(route) : contentTypeOf(route))
  const isWhole =
    isSentWithoutEnvelope(stated, route) ||
    (route.envelope === true && isEnvelope(schemas.resolve(described)))
  const whole = isWhole ? body : wrappedSchema(route.envelope, status, body)
  return { ...base, content: { [type]: { schema: whole } } }
}

interface FileBase {
  readonly status: number
  readonly description: string
  readonly headers?: Headers
}

/** Returns a response with bytes. A 206 response specifies the range that it contains (RFC 9110, 14.4). */
function fileResponse(type: string, { status, ...base }: FileBase): OpenApiResponse {
  const content = { [type]: { schema: { type: 'string', format: 'binary' } } } as const
  if (status !== 206) return { ...base, content }
  const range = {
    description: 'The byte range of this response, such as `bytes 0-99/1000`.',
    required: true,
  }
  const headers = { ...base.headers, 'Content-Range': { ...range, schema: text() } }
  return { ...base, headers, content }
}

/** Returns the responses to `HEAD`, which have the headers of the responses to `GET` but no body. */
function withoutContent(
  responses: Responses,
  shared: SharedResponses,
  isScoped: boolean,
): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if ('$ref' in response) return [status, shared.head(Number(status), isScoped)]
      const { content: _, ...rest } = response
      return [status, rest]
    }),
  )
}

type Content = Readonly<Record<string, OpenApiMediaType>>

interface StreamContext {
  readonly schemas: DocumentSchemas
  readonly shared: SharedResponses
  readonly openapi: OpenApiVersion
}

const TYPES: Readonly<Record<StreamKind, string>> = {
  sse: 'text/event-stream',
  jsonLines: 'application/jsonl',
}

const WHOLE: Readonly<Record<StreamKind, string>> = {
  sse: 'Server-Sent Events. The data of each event is one item as JSON. An `end` event follows the last item. An `error` event contains the error that ended the stream.',
  jsonLines: 'Each line is one item as JSON.',
}

/**
 * Describes the bodies of a stream. Only OpenAPI 3.2 has a field for items. In earlier versions, the whole body is
 * described as a string, and `x-item-schema` contains the schema of an item.
 */
function streamContent(
  { item, formats }: StreamModel,
  route: RouteModel,
  { schemas, shared, openapi }: StreamContext,
): Content {
  const ofItem = () => schemas.copy(schemas.of(item, 'output'))
  const error = () => Object.values(shared.errorContent(500, route))[0]?.schema ?? {}
  const media = (kind: StreamKind): OpenApiMediaType => {
    const own = { 'x-item-schema': ofItem() }
    const description = WHOLE[kind]
    if (openapi !== '3.2') return { schema: { type: 'string', description }, ...own }
    const itemSchema = kind === 'sse' ? eventOf(ofItem(), error()) : ofItem()
    // OpenAPI 3.2 describes a streamed body by its items.
    return { schema: { type: 'array', description }, itemSchema, ...own }
  }
  return Object.fromEntries(formats.map(({ kind }) => [TYPES[kind], media(kind)]))
}

/**
 * Returns the schema of an event, with the fields that OpenAPI 3.2 describes (Media Type Object, "Server-Sent Event
 * Streams").
 */
function eventOf(item: OpenApiSchema, error: OpenApiSchema): OpenApiSchema {
  const json = (contentSchema: OpenApiSchema): OpenApiSchema => {
    return { type: 'string', contentMediaType: 'application/json', contentSchema }
  }
  const named = (name: string, data: OpenApiSchema): OpenApiSchema => {
    const properties = { event: { type: 'string', const: name } as const, data }
    return { type: 'object', properties, required: ['event', 'data'] }
  }
  const ofItem: OpenApiSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      event: { type: 'string', not: { enum: ['end', 'error'] } },
      retry: { type: 'integer', minimum: 0 },
      data: json(item),
    },
    required: ['data'],
  }
  return {
    oneOf: [ofItem, named('end', { type: 'string', maxLength: 0 }), named('error', json(error))],
  }
}
