import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../contracts/openapi.js'
import { titleOf } from '../errors/http-error.js'
import { errorContent, successSchema } from './envelopes.js'
import { ownCopy } from './own-copy.js'

type Headers = Readonly<Record<string, OpenApiHeader>>

const PREFIX = '#/components/responses/'
const text: OpenApiSchema = { type: 'string' }

/** The framework's own errors by status, whichever step of a route causes them. */
const ERRORS: Readonly<Record<number, { description: string; headers?: Headers }>> = {
  400: { description: 'The request is malformed or does not match its schema.' },
  401: {
    description: 'Authentication is missing or invalid.',
    headers: {
      'WWW-Authenticate': { description: 'The accepted authentication scheme.', schema: text },
    },
  },
  403: { description: 'The user has no permission for this operation.' },
  404: { description: 'The resource or the tenant does not exist.' },
  413: { description: 'The request body is too large.' },
  415: { description: 'The media type of the request body is not supported.' },
  429: {
    description: 'Too many requests.',
    headers: {
      RateLimit: {
        description:
          'For each limit: the remaining requests (`r`) and the seconds until the window ends (`t`).',
        schema: text,
      },
      'RateLimit-Policy': {
        description:
          'For each limit: the allowed requests (`q`) per window, and its length in seconds (`w`).',
        schema: text,
      },
      'Retry-After': {
        description: 'The number of seconds to wait before the next request.',
        schema: { type: 'integer' },
      },
    },
  },
  500: { description: 'An unexpected error on the server.' },
  503: { description: 'The request timed out, or the server is temporarily unavailable.' },
}

/** A success response of which neither the status nor the data is known. */
export const UNSTATED: OpenApiResponse = {
  description: 'Success',
  content: { 'application/json': { schema: successSchema(null, null) } },
}

/** Responses that many operations share, by component name. */
const SHARED: ReadonlyMap<string, OpenApiResponse> = new Map([
  ['Success', UNSTATED],
  ...Object.entries(ERRORS).map(
    ([status, facts]) =>
      [componentOf(Number(status)), { ...facts, content: errorContent(Number(status)) }] as const,
  ),
])

/** The component name of an error status: `BadRequest` for 400. */
function componentOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replace(/[^A-Za-z0-9]/g, '')
}

/** The reference of each error status, built once because a document contains thousands of them. */
const ERROR_REFERENCES: ReadonlyMap<number, string> = new Map(
  Object.keys(ERRORS)
    .map(Number)
    .map((status) => [status, PREFIX + componentOf(status)]),
)

/**
 * The response of an error status that a step may cause: a reference to its component, or, for a status that the
 * framework itself does not use, the response itself.
 */
export function errorResponse(status: number): OpenApiResponse | Reference {
  const $ref = ERROR_REFERENCES.get(status)
  if ($ref !== undefined) return { $ref }
  return { description: titleOf(status), content: ownCopy(errorContent(status)) }
}

/**
 * The response to `HEAD` in place of a shared response: its headers, and no body.
 *
 * @param status `NaN` for a success of which only the class is known.
 */
export function headOfShared(status: number): OpenApiResponse {
  const headers = ERRORS[status]?.headers
  const description = STATUS_CODES[status] ?? 'Success'
  return headers === undefined ? { description } : { description, headers: ownCopy(headers) }
}

/** A reference to the response component {@link UNSTATED}. */
export function successReference(): Reference {
  return { $ref: `${PREFIX}Success` }
}

/** Copies of the shared responses that the paths refer to, by component name, sorted. */
export function sharedResponses(paths: Iterable<OpenApiPathItem>): Record<string, OpenApiResponse> {
  const referred = new Set<string>()
  for (const item of paths) {
    for (const { responses } of Object.values(item)) {
      for (const status in responses) {
        const response = responses[status] as OpenApiResponse | Reference
        if ('$ref' in response) referred.add(response.$ref)
      }
    }
  }
  const names = [...SHARED.keys()].filter((name) => referred.has(PREFIX + name)).sort()
  const copyOf = (name: string) => ownCopy(SHARED.get(name) as OpenApiResponse)
  return Object.fromEntries(names.map((name) => [name, copyOf(name)]))
}
