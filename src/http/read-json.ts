import type { IncomingMessage } from 'node:http'
import type { HttpError } from '../errors/http-error.js'
import { refuse } from '../errors/refuse.js'
import { parseJson } from './parse-json.js'
import { readBody, takeArrived } from './read-body.js'

/** What a body may be. */
export interface BodyLimits {
  /** Bytes, on the wire and decompressed. */
  readonly size: number
  /** Levels of nesting. */
  readonly depth: number
}

/** How one that says that it is JSON is read. */
export interface JsonRules extends BodyLimits {
  /** Whether one of no bytes is no body; else it is malformed. */
  readonly mayBeEmpty: boolean
}

// One strict reading of the type (RFC 9110, 8.3.1): parsers that were generous here have had validation bypassed by a tab or
// by trailing text (CVE-2026-25223, CVE-2026-3419). Only UTF-8 is JSON on the wire (RFC 8259, 8.1); any other parameter, and an
// empty one, changes nothing. Every turn of a loop begins with a character that none before it can take.
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

/** Whether a request announces that its body has no bytes, and that it is JSON: no text is none. */
export function isEmptyJson(req: IncomingMessage): boolean {
  return req.headers['content-length'] !== undefined && isJson(req)
}

/** Reads and parses the JSON body, at once where it is there. Throws or rejects with 400, 413 or 415. */
export function readJson(req: IncomingMessage, rules: JsonRules): unknown {
  if (!isJson(req)) {
    throw refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8')
  }
  const arrived = takeArrived(req, rules.size)
  if (arrived !== null) return parse(arrived, rules)
  // A middleware has read everything, and kept it to itself.
  const isTaken = req.readableEnded
  return readBody(req, rules.size).then((bytes) => (isTaken ? undefined : parse(bytes, rules)))
}

function parse(bytes: Buffer, { depth, mayBeEmpty }: JsonRules): unknown {
  if (bytes.length > 0) return parseJson(bytes, depth)
  if (mayBeEmpty) return undefined
  throw emptyJson()
}

/** Refuses what says that it is JSON and is nothing. */
export function emptyJson(): HttpError {
  const message =
    'The body is empty, which is not JSON: send no Content-Type where there is no body, or send null'
  return refuse('MALFORMED_JSON', message)
}
