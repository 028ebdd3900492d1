import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

/** As much of a request of somebody else's as is looked at. */
interface Foreign extends IncomingMessage {
  body?: unknown
  /** Set by the parsers of Express 4. */
  readonly _body?: boolean
}

/**
 * What `req.body` is to be for a request that another server made: what a parser has left there, `undefined` where there is
 * none. Serverless adapters put the bytes of a body there, and leave them in the stream as well: read from that, they meet
 * the limits and the parsers that they meet on a server. Where the stream has been read, a parser has left what stands
 * there, bytes included.
 */
export function givenBody(req: IncomingMessage): PropertyDescriptor {
  const { body } = Object.getOwnPropertyDescriptors(req as Foreign)
  if (body?.get !== undefined) return readLazily(req, body.get)
  return field(isUnparsed(req) ? unread(req) : (req as Foreign).body)
}

/** Gives a request back what `req.body` was, unless somebody has made something else of it meanwhile. */
export function returnBody(req: IncomingMessage, given: PropertyDescriptor | undefined): void {
  const now = Object.getOwnPropertyDescriptor(req, 'body')
  if (given !== undefined && now?.value === undefined) Object.defineProperty(req, 'body', given)
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}

/** Platforms that parse when somebody looks, as Vercel does, refuse a body there, with an error of their own. */
function readLazily(req: Foreign, get: () => unknown): PropertyDescriptor {
  try {
    return field(get.call(req))
  } catch (cause) {
    const fail = () => {
      throw refuse('MALFORMED_JSON', 'The body is not valid JSON', { cause })
    }
    const set = (value: unknown) => void Object.defineProperty(req, 'body', field(value))
    return { get: fail, set, enumerable: true, configurable: true }
  }
}

/** A connection that is still sending is left alone: what a platform says of its body before that, it has from elsewhere. */
function isUnparsed(req: Foreign): boolean {
  const isBytes = typeof req.body === 'string' || req.body instanceof Uint8Array
  const isUnread = req.readableFlowing === null && !req.readableEnded && req._body !== true
  return isBytes && isUnread && (req.complete || feedsItself(req))
}

/** Whether whoever made the message also made its stream. */
function feedsItself(req: IncomingMessage): boolean {
  return Object.hasOwn(req, '_read')
}

/** Sees to it that the stream gives the bytes, whoever reads it, and whenever. */
function unread(req: Foreign): undefined {
  const bytes = Buffer.from(req.body as string)
  const { 'content-length': length } = req.headers
  // Node's headers are text: an empty body is told by '0'.
  if (length !== undefined) req.headers['content-length'] = String(length)
  // Adapters mark a request as read when their call comes back, though a middleware may wait before it reads.
  Object.defineProperty(req, 'readable', {
    get: () => !req.readableEnded && !req.destroyed,
    set: () => {},
    configurable: true,
  })
  if (feedsItself(req) || req.readableLength > 0) return
  req._read = () => {
    req.push(bytes)
    req.push(null)
  }
}
