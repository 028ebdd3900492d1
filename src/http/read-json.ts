import type { IncomingMessage } from 'node:http'
import type { HttpError } from '../errors/http-error.js'
import { refuse } from '../errors/refuse.js'
import { isJson } from './declared-type.js'
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
  if (arrived !== null) return parseJsonBody(arrived, rules)
  // A middleware has read the body and not set `req.body`.
  const isTaken = req.readableEnded
  return readBody(req, rules.size).then((bytes) =>
    isTaken ? undefined : parseJsonBody(bytes, rules),
  )
}

/** Parses the bytes of a JSON body. Throws 400. */
export function parseJsonBody(
  bytes: Buffer,
  { depth, mayBeEmpty }: Omit<JsonRules, 'size'>,
): unknown {
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
