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

/** Schemas of what `fail` sends; see `errors/envelope.ts`, whose types say the same. */
export const ERROR_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  ErrorEnvelope: {
    type: 'object',
    description: 'What every error answers with.',
    properties: {
      statusCode: { type: 'string', enum: ['error'] },
      status: errorStatus,
      message: text,
      code: { type: 'string', description: 'Machine-readable.' },
      errors: fieldErrors,
      requestId: text,
    },
    required: ['statusCode', 'status', 'message', 'code'],
  },
  FieldError: {
    type: 'object',
    description: 'A part of the request that its schema rejects.',
    properties: {
      in: { type: 'string', enum: ['body', 'params', 'query', 'headers'] },
      path: { type: 'string', description: 'Dotted, from the root of that part.' },
      message: text,
    },
    required: ['in', 'path', 'message'],
  },
  ProblemDetails: {
    type: 'object',
    description: 'The same for clients that ask for it (RFC 9457).',
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

/** The body of an error, in both forms, with what a client sees of it. */
export function errorContent(status: number): Readonly<Record<string, OpenApiMediaType>> {
  const title = titleOf(status)
  // Of all that may be wrong with a request, what its schemas reject is what clients meet.
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

/** Where the two forms of an error are described. */
export const ERROR_BODIES: readonly [OpenApiSchema, OpenApiSchema] = [
  { $ref: `${COMPONENT}ErrorEnvelope` },
  { $ref: `${COMPONENT}ProblemDetails` },
]

/**
 * The success envelope (specification section 2.1).
 *
 * @param status `null` where only its class is known.
 * @param data `null` where nothing is known of it: then it may be absent.
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

/** Whether a schema describes a whole envelope already. */
export function isEnvelope({ properties }: OpenApiSchema): boolean {
  return ['statusCode', 'status', 'message'].every((name) => Object.hasOwn(properties ?? {}, name))
}
