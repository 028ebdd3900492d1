import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from '../contracts/handler.js'
import { addHeaders, changeAdded } from './send/response-headers.js'
import { kRequestId } from './symbol-fields.js'

/** The header that contains the ID of a request, in both directions. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/**
 * Matches the IDs that are accepted from clients. They are written to logs and headers, so they must be short and
 * contain no separators.
 */
const ACCEPTED = /^[\w.-]{1,128}$/

/** Matches the IDs that a header can contain: visible ASCII characters. A middleware can set any ID. */
const SENDABLE = /^[\x21-\x7e]+$/

/** The maximum number of characters in an ID from a middleware. */
const MAX_LENGTH = 128

/** The properties of a request that determine its ID. */
interface Identified {
  readonly headers: IncomingHttpHeaders
  [kRequestId]?: unknown
}

/** The rules for the request IDs of an application. */
export interface RequestIds<Req extends Identified> {
  /** Whether a valid `X-Request-Id` from the client is used as the ID. */
  readonly trustsClient: boolean
  /** Receives a request after its `id` was set, and the ID that was used before; `null` if IDs are not sent. */
  readonly onSet: ((req: Req, from: string | undefined) => void) | null
}

let isPeeking = false

/**
 * Defines `req.id`. The ID is generated when it is first read, because most requests do not need an ID. A middleware
 * can assign another ID.
 */
export function defineRequestId<Req extends Identified>(
  prototype: Req,
  { trustsClient, onSet }: RequestIds<Req>,
): void {
  Object.defineProperty(prototype, 'id', {
    configurable: true,
    enumerable: true,
    get(this: Req) {
      if (this[kRequestId] === undefined && !isPeeking) {
        this[kRequestId] = (trustsClient ? acceptedId(this) : undefined) ?? randomUUID()
      }
      return this[kRequestId]
    },
    set(this: Req, value: unknown) {
      const from = onSet === null ? undefined : sendableRequestId(this)
      this[kRequestId] = value
      onSet?.(this, from)
    },
  })
}

/** The values of a repeated header are joined with commas, so such a header is not accepted. */
function acceptedId({ headers }: Identified): string | undefined {
  const id = headers['x-request-id']
  return typeof id === 'string' && ACCEPTED.test(id) ? id : undefined
}

/**
 * Returns the ID of a request; `undefined` if an application set an ID that is neither a string nor a number. Never
 * throws.
 */
export function requestIdOf(req: Identified): string | undefined {
  const id = read(req)
  return typeof id === 'string' || typeof id === 'number'
    ? String(id).slice(0, MAX_LENGTH)
    : undefined
}

/** Returns the ID of a request if it has already been read or set. Does not create an ID. Never throws. */
export function knownRequestId(req: Identified): string | undefined {
  isPeeking = true
  try {
    return requestIdOf(req)
  } finally {
    isPeeking = false
  }
}

/** Returns the ID of a request for a header; `undefined` if a header cannot contain it. */
export function sendableRequestId(req: Identified): string | undefined {
  const id = requestIdOf(req)
  return id !== undefined && SENDABLE.test(id) ? id : undefined
}

/** Reads `req.id`. In a host application, it can be a getter that throws. */
function read(req: Identified): unknown {
  try {
    return (req as { id?: unknown }).id
  } catch {
    return undefined
  }
}

/** Adds the ID of a request to its response, before any handler or middleware can respond. */
export function sendRequestId(req: Identified, res: Response): void {
  const id = sendableRequestId(req)
  if (id !== undefined) addHeaders(res, [REQUEST_ID_HEADER, id])
}

/** Updates the header when `req.id` is set. A response whose head was already sent keeps its ID. */
export function resendRequestId(
  req: Identified & { readonly res?: Response },
  from: string | undefined,
): void {
  // There is no response until the listener receives the request.
  if (req.res === undefined) return
  changeAdded(req.res, { name: REQUEST_ID_HEADER, from, to: sendableRequestId(req) })
}
