import type { IncomingMessage } from 'node:http'
import type { HttpError } from '../errors/http-error.js'
import { refuse } from '../errors/refuse.js'
import { parseJson } from './parse-json.js'
import { readBody, takeArrived } from './read-body.js'

/** Limits for a body. */
export interface BodyLimits {
  /** The most bytes, as received and after decompression. */
  readonly size: number
  /** The most levels of nesting. */
  readonly depth: number
}

/** How a body that is declared as JSON is read. */
export interface JsonRules extends BodyLimits {
  /** Whether a body of zero bytes counts as no body. Otherwise it is malformed. */
  readonly mayBeEmpty: boolean
}

// A strict pattern for the content type (RFC 9110, section 8.3.1). In lenient parsers, a tab or trailing text
// has bypassed validation (CVE-2026-25223, CVE-2026-3419). On the wire, only UTF-8 is JSON (RFC 8259, section
// 8.1). Any other parameter, or an empty one, has no effect. Each repetition starts with a character that the
// part before it cannot match, so the pattern does not backtrack.
const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+"
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
const UTF_8 = 'charset=(?:utf-8|"utf-8")'
const OTHER = `(?!charset=)${TOKEN}=(?:${TOKEN}|${QUOTED})`
const PARAMETERS = `[ \t]*(?:;[ \t]*(?:(?:${UTF_8}|${OTHER})[ \t]*)?)*`
const JSON_TYPE = new RegExp(`^application/(?:[a-z0-9!#$&^_.-]+[+])?json${PARAMETERS}$`, 'i')

/** Whether the declared type of the body is JSON. */
export function isJson(req: IncomingMessage): boolean {
  const type = req.headers['content-type']
  return type === 'application/json' || (type !== undefined && JSON_TYPE.test(type))
}

/** Whether a request announces a JSON body of zero bytes. Empty text is not valid JSON. */
export function isEmptyJson(req: IncomingMessage): boolean {
  return req.headers['content-length'] !== undefined && isJson(req)
}

/**
 * Reads and parses the JSON body. Returns the value directly if the body has arrived already, otherwise a
 * promise. Throws or rejects with 400, 413 or 415.
 */
export function readJson(req: IncomingMessage, rules: JsonRules): unknown {
  if (!isJson(req)) {
    throw refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8')
  }
  const arrived = takeArrived(req, rules.size)
  if (arrived !== null) return parse(arrived, rules)
  // A middleware has read the body and not set `req.body`.
  const isTaken = req.readableEnded
  return readBody(req, rules.size).then((bytes) => (isTaken ? undefined : parse(bytes, rules)))
}

function parse(bytes: Buffer, { depth, mayBeEmpty }: JsonRules): unknown {
  if (bytes.length > 0) return parseJson(bytes, depth)
  if (mayBeEmpty) return undefined
  throw emptyJson()
}

/** Creates the error for a body that is declared as JSON and is empty. */
export function emptyJson(): HttpError {
  const message =
    'The body is empty, which is not JSON: send no Content-Type where there is no body, or send null'
  return refuse('MALFORMED_JSON', message)
}
