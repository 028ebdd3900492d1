import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

/** A request that another server received, with the properties that this file uses. */
interface Foreign extends IncomingMessage {
  body?: unknown
  /** The mark that the body parsers of Express 4 set. */
  readonly _body?: boolean
}

/**
 * Returns the descriptor of `req.body` for a request that another server received: the value that a body parser set, or
 * `undefined`. Serverless adapters set `req.body` to the bytes, and also leave the bytes in the stream. The framework
 * reads them from the stream, so that the same limits and parsers apply as on a server. If the stream was already read,
 * a parser set the value, and the framework keeps it, even if it is a buffer.
 */
export function bodyDescriptor(req: IncomingMessage): PropertyDescriptor {
  const { body } = Object.getOwnPropertyDescriptors(req as Foreign)
  if (body?.get !== undefined) return readLazily(req, body.get)
  return field(isUnparsed(req) ? unread(req) : (req as Foreign).body)
}

/** Restores the earlier `req.body` of a request, unless another value was set in between. */
export function returnBody(req: IncomingMessage, given: PropertyDescriptor | undefined): void {
  const now = Object.getOwnPropertyDescriptor(req, 'body')
  if (given !== undefined && now?.value === undefined) Object.defineProperty(req, 'body', given)
}

function field(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}

/**
 * Reads the body on a platform that parses it in a getter, such as Vercel. If the getter throws, reading `req.body`
 * throws the framework's error for malformed JSON instead.
 */
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

/**
 * Whether the stream still contains the body that the platform set as `req.body`. If the message has not arrived
 * completely, the value comes from another source and is not changed.
 */
function isUnparsed(req: Foreign): boolean {
  const isBytes = typeof req.body === 'string' || req.body instanceof Uint8Array
  const isUnread = req.readableFlowing === null && !req.readableEnded && req._body !== true
  return isBytes && isUnread && (req.complete || feedsItself(req))
}

/** Whether the creator of the message also created its stream. */
function feedsItself(req: IncomingMessage): boolean {
  return Object.hasOwn(req, '_read')
}

/** Makes the stream readable at any time, by any reader. */
function unread(req: Foreign): undefined {
  const bytes = Buffer.from(req.body as string)
  const { 'content-length': length } = req.headers
  // Header values must be strings. An adapter can set the number 0, which would look like a missing length.
  if (length !== undefined) req.headers['content-length'] = String(length)
  // Adapters mark a request as read when their function returns, but a middleware can still read it later.
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
