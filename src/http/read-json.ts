import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parse } from 'secure-json-parse'
import type { HttpError } from '../errors/http-error.js'
import { refuse, withoutStack } from '../errors/refuse.js'
import { readBody, takeArrived } from './read-body.js'

// Strict patterns for the content type (RFC 9110, section 8.3.1). In lenient parsers, a tab or trailing characters
// could bypass validation (CVE-2026-25223, CVE-2026-3419). Each repetition starts with a character that the part before
// it cannot match, so the patterns do not backtrack.
const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+"
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
// `utf8` is not a registered name, but many clients send it.
const UTF_8 = 'charset=(?:utf-?8|"utf-?8")'
const VALUE = `${TOKEN}=(?:${TOKEN}|${QUOTED})`
const OTHER = `(?!charset=)${VALUE}`

const parameters = (one: string) => `[ \t]*(?:;[ \t]*(?:${one}[ \t]*)?)*$`

/**
 * The parameters of a type whose bodies are UTF-8 text. Parameters other than `charset`, and empty parameters, have no
 * effect.
 */
const IN_UTF_8 = parameters(`(?:${UTF_8}|${OTHER})`)

// JSON that is sent over a network must be UTF-8 (RFC 8259, section 8.1).
const JSON_TYPE = new RegExp(`^application/(?:[a-z0-9!#$&^_.-]+[+])?json${IN_UTF_8}`, 'i')
const TEXT_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})${IN_UTF_8}`, 'i')
const ANY_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})${parameters(VALUE)}`, 'i')

/** Whether the declared type of the body is JSON. */
export function isJson(req: IncomingMessage): boolean {
  const type = req.headers['content-type']
  return type === 'application/json' || (type !== undefined && JSON_TYPE.test(type))
}

/** A declared media type, in lower case and without parameters; `''` for a malformed type. */
export interface DeclaredType {
  readonly essence: string
  /** Whether the body counts as UTF-8: no parameter specifies another charset. */
  readonly isInUtf8: boolean
}

/** Reads `Content-Type`; `null` if it is missing. */
export function declaredType({ headers }: IncomingMessage): DeclaredType | null {
  const type = headers['content-type']
  if (type === undefined) return null
  const inUtf8 = TEXT_TYPE.exec(type)?.[1]
  const essence = inUtf8 ?? ANY_TYPE.exec(type)?.[1] ?? ''
  return { essence: essence.toLowerCase(), isInUtf8: inUtf8 !== undefined }
}

/** Limits for a body. */
export interface BodyLimits {
  /** The maximum size in bytes, both as received and after decompression. */
  readonly bodyBytes: number
  /** The maximum depth of nesting. */
  readonly depth: number
}

/** The rules for reading a body that is declared as JSON. */
export interface JsonRules extends BodyLimits {
  /** Whether an empty body counts as no body. Otherwise, an empty body is malformed. */
  readonly mayBeEmpty: boolean
}

/**
 * Whether a request without a body announces a JSON body of zero bytes, which is not valid JSON. Call this function
 * only if `hasBody` returned `false`.
 */
export function isEmptyJson(req: IncomingMessage): boolean {
  return req.headers['content-length'] !== undefined && isJson(req)
}

/**
 * Reads and parses the JSON body. Returns the value directly if the body has already arrived, otherwise a promise.
 * Throws or rejects with a 400, 413 or 415 error.
 */
export function readJson(req: IncomingMessage, rules: JsonRules): unknown {
  if (!isJson(req)) {
    throw refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8')
  }
  const arrived = takeArrived(req, rules.bodyBytes)
  if (arrived !== null) return parseJsonBody(arrived, rules)
  // True if a middleware has read the body without setting `req.body`.
  const isTaken = req.readableEnded
  return readBody(req, rules.bodyBytes).then((bytes) =>
    isTaken ? undefined : parseJsonBody(bytes, rules),
  )
}

/** Parses the bytes of a JSON body. Throws a 400 error for an invalid body. */
export function parseJsonBody(
  bytes: Buffer,
  { depth, mayBeEmpty }: Omit<JsonRules, 'bodyBytes'>,
): unknown {
  if (bytes.length > 0) return parseJson(bytes, depth)
  if (mayBeEmpty) return undefined
  throw emptyJson()
}

/** Creates the error for an empty body that is declared as JSON. */
export function emptyJson(): HttpError {
  const message =
    'An empty body is not valid JSON: omit the Content-Type header, or send null as the body'
  return refuse('MALFORMED_JSON', message)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK = 0xfeff

/**
 * Parses a JSON body from an untrusted client. Refuses the following with a 400 error:
 *
 * - text that is not UTF-8 (RFC 8259, section 8.1);
 * - the keys `__proto__` and `constructor.prototype`, because a later merge could write to a prototype;
 * - numbers that would become `Infinity`, which JSON does not have (RFC 8259, section 6);
 * - nesting deeper than `maxDepth`, which could overflow the stack of recursive validators. With AsyncLocalStorage,
 *   such an overflow cannot be caught (CVE-2025-59466).
 */
export function parseJson(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  if (hasMoreOpeners(text, maxDepth) && countDepth(bytes, maxDepth) > maxDepth) {
    throw malformed(`The body is nested deeper than ${maxDepth} levels`)
  }
  const value = parseText(text)
  if (mayOverflow(text) && overflows(value)) {
    throw malformed('The body contains a number that is too large')
  }
  return value
}

function parseText(text: string): unknown {
  try {
    // The parser's error is only used as the cause of another error, so its stack is not needed.
    return withoutStack(() => (isPlain(text) ? JSON.parse(text) : parseStrictly(text)))
  } catch (cause) {
    throw malformed('The body is not valid JSON', cause)
  }
}

function parseStrictly(text: string): unknown {
  return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
}

/**
 * Whether the text certainly contains no forbidden key. Every spelling of such a key contains its letters or a
 * backslash. The result is `false` for a text with a byte order mark, which only the strict parser accepts. For a text
 * of 333 bytes, this check takes 0.1 µs, while the patterns of the strict parser take 0.5 µs.
 */
function isPlain(text: string): boolean {
  return (
    !text.includes('\\') &&
    !text.includes('__proto__') &&
    !text.includes('constructor') &&
    text.charCodeAt(0) !== BYTE_ORDER_MARK
  )
}

function malformed(message: string, cause?: unknown): Error {
  return refuse('MALFORMED_JSON', message, { cause })
}

/**
 * Whether the text has enough opening brackets, including brackets in strings, to be nested too deeply. For a text of
 * 333 bytes, searching from bracket to bracket takes 0.1 µs, while visiting every byte takes 0.3 µs.
 */
function hasMoreOpeners(text: string, most: number): boolean {
  let count = 0
  for (let i = text.indexOf('{'); i !== -1; i = text.indexOf('{', i + 1)) {
    if (++count > most) return true
  }
  for (let i = text.indexOf('['); i !== -1; i = text.indexOf('[', i + 1)) {
    if (++count > most) return true
  }
  return false
}

/** Counts the depth of nested brackets outside strings, and stops when it is too large. */
function countDepth(bytes: Buffer, maxDepth: number): number {
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length && depth <= maxDepth; i++) {
    const byte = bytes[i] as number
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (isOpener(byte)) depth++
    else if (isCloser(byte)) depth--
  }
  return depth
}

function isOpener(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b
}

function isCloser(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d
}

/**
 * Matches an exponent of at least three digits. With a shorter exponent, only a number that itself has at least 200
 * digits can be too large.
 */
const LARGE_EXPONENT = /\d[eE]\+?\d\d\d/

/** At this distance, at least three positions fall within a run of 200 digits. */
const STRIDE = 64

/**
 * Whether the text can contain a number that is too large. Such a number has an exponent of at least three digits, or
 * at least 200 digits. For a text of 333 bytes, this check takes 0.07 µs, while visiting every value takes 0.14 µs.
 */
function mayOverflow(text: string): boolean {
  if (LARGE_EXPONENT.test(text)) return true
  let row = 0
  for (let i = 0; i < text.length; i += STRIDE) {
    row = isDigit(text.charCodeAt(i)) ? row + 1 : 0
    if (row === 3) return true
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Whether a value contains `Infinity`. The recursion is safe, because the nesting has already been checked. */
function overflows(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(overflows)
}
