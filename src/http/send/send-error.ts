import { validateHeaderValue } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../request.js'
import { endUnread, isUnread } from './end-early.js'
import { dropUnwritableAdded, isForPerson, joinHeader } from './response-headers.js'
import {
  headerLine,
  isUntouched,
  type OwnHeaders,
  type StaticHeaders,
  writeFlatHead,
} from './wire-text.js'

/** The whole response to an error. */
export interface ErrorResponse {
  readonly status: number
  /** The headers of the error itself, in addition to the headers of the body. */
  readonly headers: Readonly<Record<string, unknown>> | null | undefined
  readonly type: string
  readonly text: string
}

/** Headers that describe the handler's intended response. They do not apply to the error that is sent instead. */
const RESPONSE_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Language',
  'Content-Range',
  'Content-Disposition',
  'Cache-Control',
  'Expires',
  'ETag',
  'Last-Modified',
  'Location',
  'Transfer-Encoding',
  'Trailer',
] as const

/**
 * Sends the response to an error. Headers that middlewares set are kept, except for headers that describe another
 * response. For `HEAD` requests, Node sends only the head, with the `Content-Length` that a `GET` request would have
 * (RFC 9110, 9.3.2).
 *
 * @throws if a header that the application set cannot be written.
 */
export function sendError(req: BlazonRequest, res: Response, response: ErrorResponse): void {
  const { status, headers, type, text } = response
  res.statusMessage = ''
  const mustClose = isUnread(req)
  if (!mustClose && (res as Response & Sending)[kSendFlat](response)) return
  // An error on an authenticated route must also not be stored, because it reveals the caller's access.
  const isPrivate = isForPerson(res)
  for (const name of RESPONSE_HEADERS) res.removeHeader(name)
  if (isPrivate) res.setHeader('Cache-Control', 'no-store')
  setHeaders(res, headers)
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(text))
  if (mustClose) endUnread(req, res, text)
  else res.end(text)
}

function setHeaders(res: Response, headers: ErrorResponse['headers']): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    try {
      // The value is set as a string, because Node could check it in one form when it is set, and later write it in
      // another form.
      if (value !== undefined) joinHeader(res, name, textOf(value))
    } catch {
      // A header with characters that HTTP does not allow must not replace this error with another error.
    }
  }
}

function textOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value)
}

/**
 * Removes headers that cannot be written: Node accepts an object as a value until it writes the head, and `addHeaders`
 * accepts any value.
 */
export function removeUnwritable(res: Response): void {
  dropUnwritableAdded(res)
  for (const [name, value] of Object.entries(res.getHeaders())) {
    if (typeof value === 'object') res.removeHeader(name)
  }
}

const kSendFlat = Symbol('sendFlat')

/** The method that this file adds to every response. */
interface Sending {
  /**
   * Sends an error on the fast path. Returns `false`, and does not send the error, if a middleware or a handler could
   * detect the difference, or if the headers of the error require the slow path.
   */
  readonly [kSendFlat]: (response: ErrorResponse) => boolean
}

/** Adds the fast path for errors to an application's responses. */
export function defineSendError(prototype: Response, { text: statics }: StaticHeaders): void {
  const value = function sendFlat(this: Response & OwnHeaders, response: ErrorResponse): boolean {
    const own = isUntouched(this, prototype) ? linesOf(response.headers) : null
    if (own === null) return false
    const { status, type, text } = response
    this.statusCode = status
    const lines = statics + own + headerLine('Content-Type', type)
    writeFlatHead(this, lines, ['Content-Length', Buffer.byteLength(text)])
    this.end(text)
    return true
  }
  Object.defineProperty(prototype, kSendFlat, { value })
}

/**
 * The headers of the framework's own 401, 405 and 429 errors. No other part of a head uses these names, and Node does
 * not process them. An error with any other header is sent on the slow path.
 */
const OWN_NAMES = ['WWW-Authenticate', 'Allow', 'Retry-After']

/** Returns the header lines; `null` if there is an unknown header, or a value that HTTP does not allow. */
function linesOf(headers: ErrorResponse['headers']): string | null {
  let lines = ''
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!OWN_NAMES.includes(name) || typeof value !== 'string' || !isCarried(name, value))
      return null
    lines += headerLine(name, value)
  }
  return lines
}

function isCarried(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
