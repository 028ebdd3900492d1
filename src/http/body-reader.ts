import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { BodyModel } from '../contracts/inputs.js'
import { refuse } from '../errors/refuse.js'
import { readBody, takeArrived } from './read-body.js'
import { type BodyLimits, type DeclaredType, declaredType, parseJsonBody } from './read-json.js'
import { MAX_PARAMETERS } from './request-head.js'

/** One of the ways in which a route reads its body. */
export interface BodyReader {
  /** The maximum size in bytes, both as received and after decompression. */
  readonly size: number
  /** Returns the value of the body. Throws a 400 error for an invalid body. */
  readonly parse: (bytes: Buffer) => unknown
}

/**
 * Returns the index of the body that matches the `Content-Type` of a request; `-1` if no body matches. An exact type
 * has priority over ranges and over types that end in `+json`.
 */
export type FindBody = (req: IncomingMessage) => number

/** Creates the reader for one of a route's bodies. */
export function bodyReader(
  { type, maxBytes, isDescribed }: BodyModel,
  limits: BodyLimits,
): BodyReader {
  const size = maxBytes ?? limits.bodyBytes
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

/** Compiles the function that finds the body for the declared type of a request. */
export function bodyFinder(bodies: readonly BodyModel[]): FindBody {
  const wholes = bodies.map(({ contentTypes }) => contentTypes.includes('*/*'))
  return function findBody(req) {
    const declared = declaredType(req)
    // A body without a declared type can have any type (RFC 9110, section 8.3).
    if (declared === null) return wholes.indexOf(true)
    const exact = bodies.findIndex((body) => isNamed(body, declared))
    return exact === -1 ? bodies.findIndex((body) => isInRange(body, declared)) : exact
  }
}

/** A body that is read as bytes can use any charset. All other bodies must be UTF-8. */
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

/**
 * Returns the bytes of a body, synchronously if they have already arrived. Throws or rejects with a 400, 413 or 415
 * error.
 */
export function readBytes(req: IncomingMessage, size: number): Buffer | Promise<Buffer> {
  return takeArrived(req, size) ?? readBody(req, size)
}

/**
 * The maximum number of opening brackets in the name of a field: the depth to which Express's `extended` parser reads.
 */
const MAX_BRACKETS = 5

/** The fields of a form, without a prototype. A field that was sent more than once is a list. */
type FormFields = Record<string, string | string[]>

/**
 * Parses a form, `application/x-www-form-urlencoded` (URL Standard, section 5.1), from an untrusted client. Brackets in
 * names are not interpreted. Refuses the following with a 400 error:
 *
 * - text that is not UTF-8, before or after percent-decoding;
 * - more fields than the maximum number of query parameters;
 * - names that a later merge could write to a prototype: `__proto__`, `constructor[prototype]`;
 * - names with more than five brackets, which could overflow the stack of recursive parsers.
 */
function parseForm(bytes: Buffer): FormFields {
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8')
  const fields: FormFields = Object.create(null)
  const text = bytes.toString('utf8')
  let count = 0
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) {
      if (++count > MAX_PARAMETERS) throw tooMany()
      addField(fields, text.slice(start, end))
    }
    start = end + 1
  }
  return fields
}

function addField(fields: FormFields, pair: string): void {
  const equals = pair.indexOf('=')
  const name = decode(equals === -1 ? pair : pair.slice(0, equals))
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
  if (isForbiddenName(name)) throw malformed('has a field with a forbidden name')
  const known = fields[name]
  if (known === undefined) fields[name] = value
  else if (typeof known === 'string') fields[name] = [known, value]
  else known.push(value)
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw malformed('has a percent-encoding that is not valid UTF-8')
  }
}

/**
 * Whether a later merge could write a field with this name to a prototype, or could overflow the stack because of the
 * name.
 */
export function isForbiddenName(name: string): boolean {
  const keys = name.split(/[[\].]+/)
  return (
    keys.includes('__proto__') ||
    (keys.includes('constructor') && keys.includes('prototype')) ||
    name.split('[').length - 1 > MAX_BRACKETS
  )
}

function malformed(problem: string): Error {
  return refuse('MALFORMED_BODY', `The form ${problem}`)
}

function tooMany(): Error {
  const message = `The form has more than ${MAX_PARAMETERS} fields; send fewer, or send JSON`
  return refuse('TOO_MANY_PARAMETERS', message)
}
