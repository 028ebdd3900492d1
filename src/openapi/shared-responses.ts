import { STATUS_CODES } from 'node:http'
import type {
  OpenApiHeader,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { EnvelopeChoice, ErrorWire } from '../contracts/wire-format.js'
import { errorWireOf } from '../errors/envelope.js'
import { titleOf } from '../errors/http-error.js'
import { operationsIn } from '../schema/path-item.js'
import { envelopeTypeOf } from '../schema/response-shape.js'
import type { DocumentSchemas } from './document-schemas.js'
import { type ErrorContent, errorContent, wrappedSchema } from './envelopes.js'
import { deepCopy } from './map-schema.js'

type Headers = Readonly<Record<string, OpenApiHeader>>

const PREFIX = '#/components/responses/'
const text: OpenApiSchema = { type: 'string' }

interface ErrorFacts {
  readonly description: string
  readonly headers?: Headers
  readonly 'x-max-body-bytes'?: number
}

const RETRY_AFTER: OpenApiHeader = {
  description: 'The number of seconds to wait before the next request.',
  schema: { type: 'integer' },
}

/** The framework's own errors, by status, regardless of the step that causes them. */
const ERRORS: Readonly<Record<number, ErrorFacts>> = {
  400: { description: 'The request is malformed or does not match its schema.' },
  401: {
    description: 'Authentication is missing or invalid.',
    headers: {
      'WWW-Authenticate': { description: 'The accepted authentication scheme.', schema: text },
    },
  },
  403: { description: 'The user does not have permission to perform this operation.' },
  404: { description: 'The resource or the tenant does not exist.' },
  406: { description: 'None of the media types in `Accept` is available.' },
  409: {
    description: 'The request conflicts with stored data, or with another request.',
    headers: { 'Retry-After': RETRY_AFTER },
  },
  410: { description: 'The operation is no longer available.' },
  412: {
    description: 'A precondition of the request failed.',
    headers: {
      ETag: { description: 'The current version of the resource, if it is known.', schema: text },
    },
  },
  413: { description: 'The request body is too large.' },
  415: { description: 'The media type of the request body is not supported.' },
  416: {
    description: 'The requested range is outside the content.',
    headers: {
      'Content-Range': {
        description: 'The total size of the content, in the form `bytes */1000`.',
        schema: text,
      },
    },
  },
  422: { description: 'The request is well-formed but cannot be processed.' },
  428: { description: 'The request requires a condition, such as `If-Match`.' },
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
          'For each limit: the allowed requests (`q`) per window, and the length of the window in seconds (`w`).',
        schema: text,
      },
      'Retry-After': RETRY_AFTER,
    },
  },
  500: { description: 'An unexpected error occurred on the server.' },
  503: {
    description: 'The request timed out, or the server is temporarily unavailable.',
    headers: { 'Retry-After': RETRY_AFTER },
  },
}

const INSUFFICIENT_SCOPE: ErrorFacts = {
  ...(ERRORS[403] as ErrorFacts),
  headers: {
    'WWW-Authenticate': {
      description: 'The required scopes, if the token does not have all of them (RFC 6750, 3.1).',
      schema: text,
    },
  },
}

/** The description of a success response whose status and data are unknown. */
export const UNSTATED = 'Success'

/** The format of the bodies in a document, according to the application's settings. */
export interface DocumentWire {
  /** The envelope for routes that do not specify one. */
  readonly envelope: EnvelopeChoice
  /** The error format for routes that do not specify one. */
  readonly errors: ErrorWire
  /** The status for requests that a schema rejects. */
  readonly validationStatus: number
  /** The maximum size of a request body, in bytes. `@Limits`, `@Body` and `@Upload` override it for a route. */
  readonly bodyBytes: number
}

type Make = () => OpenApiResponse

/** The responses that many operations of one document share. Each response becomes a component. */
export class SharedResponses {
  readonly #wire: DocumentWire
  readonly #schemas: DocumentSchemas
  readonly #makers: Map<string, Make> = new Map()
  readonly #references: Map<string, Reference> = new Map()
  // The application's format comes first, so that its components have names without a number.
  readonly #envelopes: EnvelopeChoice[]
  readonly #errors: ErrorWire[]

  constructor(wire: DocumentWire, schemas: DocumentSchemas) {
    this.#wire = wire
    this.#schemas = schemas
    this.#envelopes = [wire.envelope]
    this.#errors = [wire.errors]
  }

  /** The maximum body size for routes without their own limit, in bytes. */
  get bodyBytes(): number {
    return this.#wire.bodyBytes
  }

  /** Returns a reference to the response for one of the framework's own errors. */
  error(status: number, route: RouteModel): Reference {
    const facts = errorFacts(status, this.#wire)
    return this.#refer(this.#errorName(status, route), () => ({
      ...deepCopy(facts),
      content: this.errorContent(status, route),
    }))
  }

  /** Returns a reference to the 403 response of an operation whose guard specifies which scopes a token needs. */
  insufficientScope(route: RouteModel): Reference {
    const wire = errorWireOf(route, this.#wire.errors)
    return this.#refer(numbered('InsufficientScope', this.#errors, wire), () => ({
      ...deepCopy(INSUFFICIENT_SCOPE),
      content: this.errorContent(403, route),
    }))
  }

  /**
   * Returns a reference to an error response that the application documents for every route. It replaces the
   * framework's own response with the same status, to which no operation then refers.
   */
  documented(status: number, route: RouteModel, make: Make): Reference {
    const name = this.#errorName(status, route)
    this.#makers.set(name, make)
    return this.#refer(name, make)
  }

  /** Returns a reference to a success response whose status and data are unknown. */
  success(route: RouteModel): Reference {
    const { envelope } = route
    return this.#refer(numbered('Success', this.#envelopes, envelope), () => ({
      description: UNSTATED,
      content: { [envelopeTypeOf(route)]: { schema: wrappedSchema(envelope, null, null) } },
    }))
  }

  /**
   * Returns the `HEAD` variant of a shared response, with its headers and without a body.
   *
   * @param status `NaN` for a success response if only its status class is known.
   * @param isScoped Whether the 403 response comes from `insufficientScope`.
   */
  head(status: number, isScoped: boolean): OpenApiResponse {
    const facts = isScoped && status === 403 ? INSUFFICIENT_SCOPE : errorFacts(status, this.#wire)
    const { headers } = facts
    const description = STATUS_CODES[status] ?? UNSTATED
    return headers === undefined ? { description } : { description, headers: deepCopy(headers) }
  }

  /** Returns the content of a route's error response. */
  errorContent(status: number, route: RouteModel): ErrorContent {
    const wire = errorWireOf(route, this.#wire.errors)
    const isRejected = status === this.#wire.validationStatus
    return errorContent({ status, wire, isRejected, schemas: this.#schemas })
  }

  /** Returns the media type of a route's errors, for clients that accept any type. */
  errorType(route: RouteModel): string {
    const wire = errorWireOf(route, this.#wire.errors)
    if (typeof wire === 'object') return wire.mediaType ?? 'application/json'
    return wire === 'problem' ? 'application/problem+json' : 'application/json'
  }

  /** Returns the responses to which the paths refer, sorted by component name. */
  all(paths: Iterable<OpenApiPathItem>): Record<string, OpenApiResponse> {
    const referred = referencesIn(paths)
    const names = [...this.#makers.keys()].filter((name) => referred.has(PREFIX + name)).sort()
    return Object.fromEntries(names.map((name) => [name, (this.#makers.get(name) as Make)()]))
  }

  #errorName(status: number, route: RouteModel): string {
    return numbered(componentOf(status), this.#errors, errorWireOf(route, this.#wire.errors))
  }

  /** Returns a reference. A document contains thousands of references, so each reference string is built only once. */
  #refer(name: string, make: Make): Reference {
    const known = this.#references.get(name)
    if (known !== undefined) return { ...known }
    this.#makers.set(name, make)
    const reference = { $ref: PREFIX + name }
    this.#references.set(name, reference)
    return { ...reference }
  }
}

function errorFacts(status: number, wire: DocumentWire): ErrorFacts {
  const { validationStatus, bodyBytes } = wire
  if (status === 413) return { ...(ERRORS[413] as ErrorFacts), 'x-max-body-bytes': bodyBytes }
  if (validationStatus !== 400) {
    if (status === 400) return { description: 'The request is malformed.' }
    if (status === validationStatus)
      return { description: 'The request does not match its schema.' }
  }
  return ERRORS[status] ?? { description: titleOf(status) }
}

/** Returns the component name for an error status, such as `BadRequest` for 400. */
function componentOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replace(/[^A-Za-z0-9]/g, '')
}

/** Returns the component name for a format. A second format has its own components, such as `BadRequest_2`. */
function numbered<T>(name: string, formats: T[], format: T): string {
  if (!formats.includes(format)) formats.push(format)
  const index = formats.indexOf(format)
  return index === 0 ? name : `${name}_${index + 1}`
}

function referencesIn(paths: Iterable<OpenApiPathItem>): ReadonlySet<string> {
  const referred = new Set<string>()
  for (const item of paths) {
    for (const { responses } of Object.values(operationsIn(item))) {
      // The values are read directly, because `for … in` would convert each status to a string.
      for (const response of Object.values(responses)) {
        if ('$ref' in response) referred.add(response.$ref)
      }
    }
  }
  return referred
}
