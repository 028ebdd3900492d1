import type { IncomingMessage } from 'node:http'
import { refused } from '../errors/http-error.js'
import { parseJson } from './parse-json.js'
import { readBody, takeArrived } from './read-body.js'

/** What a body may be. */
export interface BodyLimits {
  /** Bytes, on the wire and decompressed. */
  readonly size: number
  /** Levels of nesting. */
  readonly depth: number
}

// One strict reading of the type: parsers that were generous here have had validation bypassed by a tab or
// by trailing text (CVE-2026-25223, CVE-2026-3419). Only UTF-8 is JSON on the wire (RFC 8259, 8.1).
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.-]+\+)?json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i

/** Whether the declared type of the body is JSON. */
export function isJson(req: IncomingMessage): boolean {
  const type = req.headers['content-type']
  return type === 'application/json' || (type !== undefined && JSON_TYPE.test(type))
}

/** Reads and parses the JSON body, at once where it is there. Throws or rejects with 400, 413 or 415. */
export function readJson(req: IncomingMessage, limits: BodyLimits): unknown {
  if (!isJson(req)) {
    throw refused('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8')
  }
  const arrived = takeArrived(req, limits.size)
  if (arrived !== null) return parse(arrived, limits)
  return readBody(req, limits.size).then((bytes) => parse(bytes, limits))
}

/** A chunked body of no bytes is announced but absent. */
function parse(bytes: Buffer, { depth }: BodyLimits): unknown {
  return bytes.length === 0 ? undefined : parseJson(bytes, depth)
}
