import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { BodyModel } from '../contracts/inputs.js'
import { refuse } from '../errors/refuse.js'
import { type DeclaredType, declaredType } from './declared-type.js'
import { parseForm } from './parse-form.js'
import { readBody, takeArrived } from './read-body.js'
import { type BodyLimits, parseJsonBody } from './read-json.js'

/** One way in which a route reads its body. */
export interface BodyReader {
  /** The most bytes, as received and after decompression. */
  readonly size: number
  /** Returns the value of the body. Throws 400. */
  readonly parse: (bytes: Buffer) => unknown
}

/**
 * Returns the index of the body that a request declares by its `Content-Type`; `-1` if it declares no such body. A type
 * that is named comes before a range, and before the types that end in `+json`.
 */
export type FindBody = (req: IncomingMessage) => number

/** Compiles the way in which a body is read. */
export function bodyReader(
  { type, maxBytes, isDescribed }: BodyModel,
  limits: BodyLimits,
): BodyReader {
  const size = maxBytes ?? limits.size
  if (type === 'json') {
    const rules = { ...limits, mayBeEmpty: !isDescribed }
    return { size, parse: (bytes) => parseJsonBody(bytes, rules) }
  }
  if (type === 'form') return { size, parse: parseForm }
  return { size, parse: type === 'text' ? parseText : (bytes) => bytes }
}

function parseText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refuse('MALFORMED_BODY', 'The body is not valid UTF-8')
  return bytes.toString('utf8')
}

/** Compiles the function that finds the body of a request by its declared type. */
export function bodyFinder(bodies: readonly BodyModel[]): FindBody {
  const wholes = bodies.map(({ contentTypes }) => contentTypes.includes('*/*'))
  return function findBody(req) {
    const declared = declaredType(req)
    // A body without a declared type is of any type (RFC 9110, section 8.3).
    if (declared === null) return wholes.indexOf(true)
    const exact = bodies.findIndex((body) => isNamed(body, declared))
    return exact === -1 ? bodies.findIndex((body) => isInRange(body, declared)) : exact
  }
}

/** Bytes may be text in any charset. Everything else is UTF-8. */
function isReadable({ type }: BodyModel, { isInUtf8 }: DeclaredType): boolean {
  return isInUtf8 || type === 'bytes'
}

function isNamed(body: BodyModel, declared: DeclaredType): boolean {
  return body.contentTypes.includes(declared.essence) && isReadable(body, declared)
}

function isInRange(body: BodyModel, declared: DeclaredType): boolean {
  const { type, contentTypes } = body
  const { essence } = declared
  if (essence === '' || !isReadable(body, declared)) return false
  if (type === 'json') return contentTypes.includes('application/json') && isSuffixed(essence)
  const [main] = essence.split('/', 1)
  return contentTypes.includes('*/*') || contentTypes.includes(`${main}/*`)
}

function isSuffixed(essence: string): boolean {
  return /^application\/[^+]+\+json$/.test(essence)
}

/** Returns the bytes of a body, at once if they have arrived already. Throws or rejects with 400, 413 or 415. */
export function readBytes(req: IncomingMessage, size: number): Buffer | Promise<Buffer> {
  return takeArrived(req, size) ?? readBody(req, size)
}
