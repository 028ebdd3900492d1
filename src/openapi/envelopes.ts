import type { OpenApiMediaType, OpenApiSchema } from '../contracts/openapi.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import { COMPONENT } from './map-schema.js'

const text: OpenApiSchema = { type: 'string' }
const fieldErrors: OpenApiSchema = {
  type: 'array',
  maxItems: 20,
  items: { $ref: `${COMPONENT}FieldError` },
}
const errorStatus: OpenApiSchema = { type: 'integer', minimum: 400, maximum: 599 }

/**
 * Schemas of the error bodies that `fail` sends. The types in `errors/envelope.ts` declare the same fields.
 */
export const ERROR_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  ErrorEnvelope: {
    type: 'object',
    description: 'The body of every error response.',
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
      in: { type: 'string', enum: ['body', 'params', 'query', 'headers'] },
      path: {
        type: 'string',
        description: 'The dotted path of the field within that part of the request.',
      },
      message: text,
    },
    required: ['in', 'path', 'message'],
  },
  ProblemDetails: {
    type: 'object',
    description:
      'The body of an error response when the client accepts `application/problem+json` (RFC 9457).',
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

/** The content of an error response in both media types, each with an example. */
export function errorContent(status: number): Readonly<Record<string, OpenApiMediaType>> {
  const title = titleOf(status)
  // Of all causes of a 400, a failed validation is the one that clients meet most often, so it is the
  // example.
  const { message, ...facts } = status === 400 ? REJECTED : { message: title, code: codeOf(title) }
  return {
    'application/json': {
      schema: ERROR_BODIES[0],
      example: { statusCode: 'error', status, message, ...facts },
    },
    'application/problem+json': {
      schema: ERROR_BODIES[1],
      example: { type: 'about:blank', title, status, detail: message, ...facts },
    },
  }
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
 * The schema of the success envelope.
 *
 * @param status `null` when only the class 2XX is known.
 * @param data `null` when nothing is known about the data: then `data` is optional.
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
