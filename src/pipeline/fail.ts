import type { Response } from '../contracts/handler.js'
import type { FieldError } from '../contracts/schema.js'
import type { ErrorFormat, ErrorWire, Failure } from '../contracts/wire-format.js'
import type { ErrorEnvelope, ProblemDetails } from '../errors/envelope.js'
import { type KnownFailure, toFailure } from '../errors/failure.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import { hasLostConnection } from '../http/close-with-connection.js'
import type { BlazonRequest } from '../http/request.js'
import { JSON_TYPE } from '../http/send/flat-head.js'
import { removeUnwritable, sendError } from '../http/send/send-error.js'
import type { OnError } from '../step/step.js'
import { ignoreRejection } from '../step/thenable.js'
import type { LogFailure } from './log-failure.js'
import { requestIdOf } from './request-id.js'
import { isJsonData } from './send-success.js'

const PROBLEM = 'application/problem+json'
const PROBLEM_TYPE = `${PROBLEM}; charset=utf-8`

/** Reads the part of an error that the client may see. `status` is the status that the response has so far. */
type ReadFailure = (error: unknown, status: number) => KnownFailure

/** The body of an error response, and its media type. */
interface ErrorBody {
  readonly type: string
  readonly text: string
}

/** Writes the body of the response to an error. */
export type RenderFailure = (failure: KnownFailure, req: BlazonRequest) => ErrorBody

/** The input of {@link createFail}. */
export interface FailConfig {
  /** Logs the error. */
  readonly log: LogFailure
  readonly render: RenderFailure
  /** Default: the framework's rules. Pass `toMiddlewareFailure` where the rules of Express apply. */
  readonly read?: ReadFailure
}

/**
 * Creates the function that turns an error into a response. For any thrown value, the client gets a status, a
 * code and a message, and never a stack. The details go to the log.
 */
export function createFail({ log, render, read = toFailure }: FailConfig): OnError {
  return function fail(error, req, res) {
    const failure = read(error, res.statusCode)
    if (failure.status >= 500) log(error, req, { status: failure.status })
    if (res.destroyed || res.writableEnded) return
    // A part of the response has been sent. Closing the connection is the only way to tell the client that it
    // is incomplete.
    if (res.headersSent || hasLostConnection(res)) return void res.destroy()
    try {
      send(failure, { req, res, render })
    } catch {
      // The error contains a field or a header that cannot be sent.
      if (failure.status < 500) log(error, req, { status: GENERIC.status })
      sendGeneric({ req, res, render })
    }
  }
}

/** The error to send if nothing of the original error can be sent. */
const GENERIC = toFailure(undefined)

/**
 * Sends the generic error. If a listener throws even then, the connection is closed, and the process continues.
 */
function sendGeneric(context: Context): void {
  try {
    removeUnwritable(context.res)
    send(GENERIC, context)
  } catch {
    context.res.destroy()
  }
}

interface Context {
  readonly req: BlazonRequest
  readonly res: Response
  readonly render: RenderFailure
}

function send(failure: KnownFailure, { req, res, render }: Context): void {
  const { type, text } = render(failure, req)
  sendError(req, res, { status: failure.status, headers: failure.headers, type, text })
}

/** Gets the reason why a format of errors could not be used. Without `req`, Node's parser has refused the request. */
export type OnFormatFault = (reason: unknown, status: number, req?: BlazonRequest) => void

/** The input of {@link createRender}. */
export interface RenderConfig {
  /** The format of the application. */
  readonly wire: ErrorWire
  /** Returns the format of the route of a request; `null` if no route has one of its own. */
  readonly formatOf: ((req: BlazonRequest) => ErrorFormat | undefined) | null
  readonly onFault: OnFormatFault
}

/** Creates the function that writes the bodies of errors. It is chosen at boot. */
export function createRender({ wire, formatOf, onFault }: RenderConfig): RenderFailure {
  const render = renderOf(wire, onFault)
  if (formatOf === null) return render
  return function renderForRoute(failure, req) {
    const own = formatOf(req)
    return own === undefined ? render(failure, req) : renderOwn(own, { failure, req, onFault })
  }
}

function renderOf(wire: ErrorWire, onFault: OnFormatFault): RenderFailure {
  if (wire === 'negotiated') return negotiate
  if (wire === 'problem') return renderProblem
  return (failure, req) => renderOwn(wire, { failure, req, onFault })
}

function negotiate(failure: KnownFailure, req: BlazonRequest): ErrorBody {
  if (prefersProblem(req)) return renderProblem(failure, req)
  return { type: JSON_TYPE, text: JSON.stringify(toEnvelope(failure, req)) }
}

function renderProblem(failure: KnownFailure, req?: BlazonRequest): ErrorBody {
  return { type: PROBLEM_TYPE, text: JSON.stringify(toProblem(failure, req)) }
}

interface OwnConfig {
  readonly failure: KnownFailure
  /** `undefined` if Node's parser has refused the request. */
  readonly req: BlazonRequest | undefined
  readonly onFault: OnFormatFault
}

/** Writes an error in the format of the application or of a route; in the default format if that fails. */
function renderOwn(own: ErrorFormat, { failure, req, onFault }: OwnConfig): ErrorBody {
  const text = attempt(own, { failure, req, onFault })
  if (text !== undefined) return { type: typeOf(own), text }
  if (req !== undefined) return negotiate(failure, req)
  return { type: JSON_TYPE, text: JSON.stringify(toEnvelope(failure)) }
}

function attempt(own: ErrorFormat, { failure, req, onFault }: OwnConfig): string | undefined {
  const fault = (reason: unknown) => onFault(reason, failure.status, req)
  try {
    const body: unknown = own.format(toPublic(failure, req), req)
    const text = isJsonData(body) ? JSON.stringify(body) : undefined
    if (text !== undefined) return text
    ignoreRejection(body)
    fault(new TypeError('The `format` of errors must return the body as JSON data, at once.'))
  } catch (reason) {
    fault(reason)
  }
  return undefined
}

function typeOf({ mediaType = JSON_TYPE }: ErrorFormat): string {
  return mediaType === 'application/json' ? JSON_TYPE : mediaType
}

/** The failure as a format receives it. The format cannot change the list of a shared error. */
function toPublic({ status, code, message, errors }: KnownFailure, req?: BlazonRequest): Failure {
  const listed = Array.isArray(errors) ? errors.map(frozenCopy) : undefined
  return Object.freeze({ status, code, message, ...optional(listed && Object.freeze(listed), req) })
}

function frozenCopy(error: FieldError): FieldError {
  return Object.freeze({ ...error })
}

function toEnvelope(failure: KnownFailure, req?: BlazonRequest): ErrorEnvelope {
  const { status, message, code, errors } = failure
  return { statusCode: 'error', status, message, code, ...optional(errors, req) }
}

function toProblem(failure: KnownFailure, req?: BlazonRequest): ProblemDetails {
  const { status, message, code, errors } = failure
  const title = titleOf(status)
  return { type: 'about:blank', title, status, detail: message, code, ...optional(errors, req) }
}

function optional(errors: KnownFailure['errors'], req: BlazonRequest | undefined) {
  const requestId = req && requestIdOf(req)
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
export function clientErrorResponse(
  error: NodeJS.ErrnoException,
  { wire, onFault }: Pick<RenderConfig, 'wire' | 'onFault'>,
): string {
  const status = PARSER_STATUS[error.code ?? ''] ?? 400
  const title = titleOf(status)
  const failure = toFailureOf(status)
  const { type, text } = renderWithoutRequest(failure, wire, onFault)
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}

function toFailureOf(status: number): KnownFailure {
  const message = titleOf(status)
  return { status, code: codeOf(message), message, errors: undefined, headers: undefined }
}

function renderWithoutRequest(
  failure: KnownFailure,
  wire: ErrorWire,
  onFault: OnFormatFault,
): ErrorBody {
  if (wire === 'problem') return renderProblem(failure)
  if (wire !== 'negotiated') return renderOwn(wire, { failure, req: undefined, onFault })
  return { type: JSON_TYPE, text: JSON.stringify(toEnvelope(failure)) }
}
