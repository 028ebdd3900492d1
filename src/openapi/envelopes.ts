import type { OpenApiMediaType, OpenApiSchema } from '../contracts/openapi.js'
import type { EnvelopeChoice, ErrorWire } from '../contracts/wire-format.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import type { DocumentSchemas } from './document-schemas.js'
import { COMPONENT, deepCopy } from './map-schema.js'

const text: OpenApiSchema = { type: 'string' }
const fieldErrors: OpenApiSchema = {
  type: 'array',
  maxItems: 20,
  items: { $ref: `${COMPONENT}FieldError` },
}
const errorStatus: OpenApiSchema = { type: 'integer', minimum: 400, maximum: 599 }

/** The schemas of the error bodies that `fail` sends. The types in `errors/envelope.ts` declare the same fields. */
export const ERROR_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  ErrorEnvelope: {
    type: 'object',
    description: 'The body of an error response of the type `application/json`.',
    properties: {
      statusCode: { type: 'string', enum: ['error'] },
      status: errorStatus,
      message: text,
      code: { type: 'string', description: 'A machine-readable error code.' },
      errors: fieldErrors,
      requestId: text,
    },
    required: ['statusCode', 'status', 'message', 'code'],
  },
  FieldError: {
    type: 'object',
    description: 'A field of the request that does not match its schema.',
    properties: {
      in: { type: 'string', enum: ['body', 'params', 'query', 'headers', 'cookies'] },
      path: {
        type: 'string',
        description:
          'The dotted path of the field, within the part of the request that `in` names.',
      },
      message: text,
    },
    required: ['in', 'path', 'message'],
  },
  ProblemDetails: {
    type: 'object',
    description: 'The body of an error response of the type `application/problem+json` (RFC 9457).',
    properties: {
      type: { type: 'string', enum: ['about:blank'] },
      title: text,
      status: errorStatus,
      detail: text,
      code: text,
      errors: fieldErrors,
      requestId: text,
    },
    required: ['type', 'title', 'status', 'detail', 'code'],
  },
}

/** The content of an error response, by media type. */
export type ErrorContent = Readonly<Record<string, OpenApiMediaType>>

interface ErrorBody {
  readonly status: number
  readonly wire: ErrorWire
  /** Whether this is the status for requests that fail validation. */
  readonly isRejected: boolean
  readonly schemas: DocumentSchemas
}

/** Returns the content of an error response. Each of the framework's own bodies has an example. */
export function errorContent({ status, wire, isRejected, schemas }: ErrorBody): ErrorContent {
  if (typeof wire === 'object') {
    const schema = schemas.copy(schemas.of(wire.schema, 'output'))
    return { [wire.mediaType ?? 'application/json']: { schema } }
  }
  const title = titleOf(status)
  // A failed validation is the most common cause of this status, so it is the example.
  const { message, ...facts } = isRejected ? REJECTED : { message: title, code: codeOf(title) }
  const problem = { type: 'about:blank', title, status, detail: message, ...facts }
  const problems = { 'application/problem+json': { schema: ERROR_BODIES[1], example: problem } }
  if (wire === 'problem') return deepCopy(problems)
  const example = { statusCode: 'error', status, message, ...facts }
  return deepCopy({ 'application/json': { schema: ERROR_BODIES[0], example }, ...problems })
}

/** Returns the framework's own error bodies that a format uses. */
export function errorBodiesOf(wire: ErrorWire): readonly OpenApiSchema[] {
  if (wire === 'negotiated') return ERROR_BODIES
  return wire === 'problem' ? [ERROR_BODIES[1]] : []
}

const REJECTED = {
  message: 'Validation failed',
  code: 'VALIDATION_FAILED',
  errors: [{ in: 'body', path: 'name', message: 'is required' }],
}

/** References to the schemas of the two error bodies. */
export const ERROR_BODIES: readonly [OpenApiSchema, OpenApiSchema] = [
  { $ref: `${COMPONENT}ErrorEnvelope` },
  { $ref: `${COMPONENT}ProblemDetails` },
]

/**
 * Returns the schema of the success envelope.
 *
 * @param status `null` if only the status class 2XX is known.
 * @param data `null` if the data is unknown. The property `data` is then optional.
 */
export function successSchema(status: number | null, data: OpenApiSchema | null): OpenApiSchema {
  return {
    type: 'object',
    properties: {
      statusCode: { type: 'string', enum: ['success'] },
      status: {
        type: 'integer',
        ...(status === null ? { minimum: 200, maximum: 299, example: 200 } : { enum: [status] }),
      },
      message: { type: 'string' },
      data: data ?? {},
    },
    required: ['statusCode', 'status', 'message', ...(data === null ? [] : ['data'])],
  }
}

/**
 * Returns the schema of a success response's body.
 *
 * @param data `null` if the data is unknown.
 */
export function wrappedSchema(
  envelope: EnvelopeChoice,
  status: number | null,
  data: OpenApiSchema | null,
): OpenApiSchema {
  if (envelope === true) return successSchema(status, data)
  if (envelope === false) return data ?? {}
  return deepCopy(envelope.schema(data ?? {}))
}
