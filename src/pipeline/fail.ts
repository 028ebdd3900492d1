import type { Response } from '../contracts/handler.js'
import type { ErrorEnvelope, ProblemDetails } from '../errors/envelope.js'
import { type Failure, toFailure } from '../errors/failure.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import { hasLostConnection } from '../http/close-with-connection.js'
import type { BlazonRequest } from '../http/request.js'
import { JSON_TYPE } from '../http/send/flat-head.js'
import { removeUnwritable, sendError } from '../http/send/send-error.js'
import type { OnError } from '../step/step.js'
import type { LogFailure } from './log-failure.js'
import { requestIdOf } from './request-id.js'

const PROBLEM = 'application/problem+json'
const PROBLEM_TYPE = `${PROBLEM}; charset=utf-8`

/** Reads the part of an error that the client may see. `status` is the status that the response has so far. */
type ReadFailure = (error: unknown, status: number) => Failure

/**
 * Creates the function that turns an error into a response. For any thrown value, the client gets a status, a
 * code and a message, and never a stack. The details go to the log.
 *
 * @param log Logs the error.
 * @param read Default: the framework's rules. Pass `toMiddlewareFailure` where the rules of Express apply.
 */
export function createFail(log: LogFailure, read: ReadFailure = toFailure): OnError {
  return function fail(error, req, res) {
    const failure = read(error, res.statusCode)
    if (failure.status >= 500) log(error, req, { status: failure.status })
    if (res.destroyed || res.writableEnded) return
    // A part of the response has been sent. Closing the connection is the only way to tell the client that it
    // is incomplete.
    if (res.headersSent || hasLostConnection(res)) return void res.destroy()
    try {
      send(failure, req, res)
    } catch {
      // The error contains a field or a header that cannot be sent.
      if (failure.status < 500) log(error, req, { status: GENERIC.status })
      sendGeneric(req, res)
    }
  }
}

/** The error to send if nothing of the original error can be sent. */
const GENERIC = toFailure(undefined)

/**
 * Sends the generic error. If a listener throws even then, the connection is closed, and the process continues.
 */
function sendGeneric(req: BlazonRequest, res: Response): void {
  try {
    removeUnwritable(res)
    send(GENERIC, req, res)
  } catch {
    res.destroy()
  }
}

function send(failure: Failure, req: BlazonRequest, res: Response): void {
  const isProblem = prefersProblem(req)
  const text = JSON.stringify(isProblem ? toProblem(failure, req) : toEnvelope(failure, req))
  const type = isProblem ? PROBLEM_TYPE : JSON_TYPE
  sendError(req, res, { status: failure.status, headers: failure.headers, type, text })
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

/** Whether the client asks for problem details by name (RFC 9457). A wildcard means JSON. */
function prefersProblem(req: BlazonRequest): boolean {
  if (!req.headers.accept?.includes(PROBLEM)) return false
  return req.accepts(['application/json', PROBLEM]) === PROBLEM
}

/**
 * The statuses for errors of Node's parser, as Node itself would send them. At that point there is no request
 * and no response object.
 */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Returns the response to input that Node's parser could not read as a request, as text to be sent. */
export function clientErrorResponse(error: NodeJS.ErrnoException): string {
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
