import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../contracts/openapi.js'
import { errorContent, successSchema } from './envelopes.js'
import { ownCopy } from './own-copy.js'

type Headers = Readonly<Record<string, OpenApiHeader>>

const PREFIX = '#/components/responses/'
const text: OpenApiSchema = { type: 'string' }

/** What the framework's own errors say of themselves, whichever step of a route they come from. */
const ERRORS: Readonly<Record<number, { description: string; headers?: Headers }>> = {
  400: { description: 'The request is malformed, or a schema rejects a part of it.' },
  401: {
    description: 'Authentication is missing or not valid.',
    headers: {
      'WWW-Authenticate': { description: 'The scheme that would be accepted.', schema: text },
    },
  },
  403: { description: 'The user may not do this.' },
  404: { description: 'There is nothing under this name, or no such tenant.' },
  413: { description: 'The body is too large.' },
  415: { description: 'The body is of a media type that is not understood.' },
  429: {
    description: 'Too many requests.',
    headers: {
      RateLimit: {
        description: 'What is left of each limit (`r`), and for how many seconds (`t`).',
        schema: text,
      },
      'RateLimit-Policy': {
        description: 'How many requests (`q`) in how many seconds (`w`) each limit allows.',
        schema: text,
      },
      'Retry-After': {
        description: 'After how many seconds to ask again.',
        schema: { type: 'integer' },
      },
    },
  },
  500: { description: 'Something went wrong on the server.' },
  503: { description: 'The answer took too long, or the server cannot answer now.' },
}

/** What is known of a success of which nothing is stated. */
export const UNSTATED: OpenApiResponse = {
  description: 'Success',
  content: { 'application/json': { schema: successSchema(null, null) } },
}

/** Answers that many operations share, by the name of their component. */
const SHARED: ReadonlyMap<string, OpenApiResponse> = new Map([
  ['Success', UNSTATED],
  ...Object.entries(ERRORS).map(
    ([status, facts]) =>
      [componentOf(Number(status)), { ...facts, content: errorContent(Number(status)) }] as const,
  ),
])

/** The component that describes an error of the framework: `BadRequest` for 400. */
function componentOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replace(/[^A-Za-z0-9]/g, '')
}

/** What refers to the answer to each error: a document says so thousands of times. */
const ERROR_REFERENCES: ReadonlyMap<number, string> = new Map(
  Object.keys(ERRORS)
    .map(Number)
    .map((status) => [status, PREFIX + componentOf(status)]),
)

/** A reference to the answer to an error of the framework. */
export function errorReference(status: number): Reference {
  const $ref = ERROR_REFERENCES.get(status)
  if ($ref !== undefined) return { $ref }
  throw new RangeError(`No feature may answer ${status}: shared-responses.ts does not describe it.`)
}

/** A reference to a success of which nothing is stated. */
export function successReference(): Reference {
  return { $ref: `${PREFIX}Success` }
}

/** The components behind references to shared answers, by name, sorted; in objects that stand in no other document. */
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
