import type { Response } from '../contracts/handler.js'
import type { ErrorEnvelope, ProblemDetails } from '../errors/envelope.js'
import { type Failure, toFailure } from '../errors/failure.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import { hasLostConnection } from '../http/close-with-connection.js'
import type { BlazonRequest } from '../http/request.js'
import { endUnread, isUnread } from '../http/send/end-unread.js'
import { sendText } from '../http/send/send-error.js'
import { JSON_TYPE } from '../http/send/send-json.js'
import type { OnError } from '../step/step.js'
import type { LogFailure } from './log-failure.js'
import { requestIdOf } from './request-id.js'

const PROBLEM = 'application/problem+json'
const PROBLEM_TYPE = `${PROBLEM}; charset=utf-8`

/** Headers that describe the answer a handler meant to send, not the error that is sent instead. */
const ANSWER_HEADERS = [
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

type ReadFailure = (error: unknown, answerStatus: number) => Failure

/**
 * Makes the one function that turns an error into an answer. Whatever was thrown, the client learns
 * the status, a code and a message, never a stack; the log learns the rest.
 *
 * @param read What the client may know; `toMiddlewareFailure` where Express' rules hold.
 */
export function createFail(log: LogFailure, read: ReadFailure = toFailure): OnError {
  return function fail(error, req, res) {
    const failure = read(error, res.statusCode)
    if (failure.status >= 500) log(error, req, { status: failure.status })
    if (res.destroyed || res.writableEnded) return
    // Half an answer is on the wire: only a cut connection tells the client that it is not whole.
    if (res.headersSent || hasLostConnection(res)) return void res.destroy()
    try {
      send(failure, req, res)
    } catch {
      // What the error brought along, fields or headers, cannot be written.
      if (failure.status < 500) log(error, req, { status: GENERIC.status })
      sendGeneric(req, res)
    }
  }
}

/** What is said when nothing of the error can be. */
const GENERIC = toFailure(undefined)

/** Where even this cannot be sent, because what waits for the head throws, only the connection ends, and not the process. */
function sendGeneric(req: BlazonRequest, res: Response): void {
  try {
    removeUnwritable(res)
    send(GENERIC, req, res)
  } catch {
    res.destroy()
  }
}

/** An object passes for the text of a header until the head is written. */
function removeUnwritable(res: Response): void {
  for (const [name, value] of Object.entries(res.getHeaders())) {
    if (typeof value === 'object') res.removeHeader(name)
  }
}

function send(failure: Failure, req: BlazonRequest, res: Response): void {
  const isProblem = prefersProblem(req)
  const text = JSON.stringify(isProblem ? toProblem(failure, req) : toEnvelope(failure, req))
  const type = isProblem ? PROBLEM_TYPE : JSON_TYPE
  const { status } = failure
  res.statusMessage = ''
  const mustClose = isUnread(req)
  if (!mustClose && sendText(res, { status, headers: failure.headers, type, text })) return
  for (const name of ANSWER_HEADERS) res.removeHeader(name)
  setHeaders(res, failure.headers)
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(text))
  if (mustClose) endUnread(req, res, text)
  else res.end(text)
}

function toEnvelope(failure: Failure, req: BlazonRequest): ErrorEnvelope {
  const { status, message, code, errors } = failure
  return { statusCode: 'error', status, message, code, ...optional(errors, req) }
}

function toProblem(failure: Failure, req: BlazonRequest): ProblemDetails {
  const { status, message, code, errors } = failure
  const title = titleOf(status)
  return { type: 'about:blank', title, status, detail: message, code, ...optional(errors, req) }
}

function optional(errors: Failure['errors'], req: BlazonRequest) {
  const requestId = requestIdOf(req)
  return {
    ...(errors === undefined ? {} : { errors }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** Only a client that names the type gets it; a wildcard means JSON. */
function prefersProblem(req: BlazonRequest): boolean {
  if (!req.headers.accept?.includes(PROBLEM)) return false
  return req.accepts(['application/json', PROBLEM]) === PROBLEM
}

function setHeaders(res: Response, headers: Failure['headers']): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    try {
      // As text from now on: Node writes what was set in another way than it has checked it.
      if (value !== undefined) res.setHeader(name, textOf(value))
    } catch {
      // A header that HTTP cannot carry must not turn one error into another.
    }
  }
}

function textOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value)
}

/** What Node's parser refuses has no request to answer; statuses as Node itself would send them. */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The answer, as bytes for the wire, to what Node's parser could not read as a request. */
export function clientErrorAnswer(error: NodeJS.ErrnoException): string {
  const status = PARSER_STATUS[error.code ?? ''] ?? 400
  const title = titleOf(status)
  const code = codeOf(title)
  const envelope: ErrorEnvelope = { statusCode: 'error', status, message: title, code }
  const body = JSON.stringify(envelope)
  return [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
