import type { ServerResponse } from 'node:http'
import type { Response } from '../contracts/handler.js'
import type { FieldError } from '../contracts/schema.js'
import type { ErrorFormat, ErrorWire, Failure } from '../contracts/wire-format.js'
import { type ErrorCode, HTTP_CODES } from '../errors/codes.js'
import type { ErrorEnvelope, ProblemDetails } from '../errors/envelope.js'
import { type KnownFailure, toFailure } from '../errors/failure.js'
import { codeOf, titleOf } from '../errors/http-error.js'
import { hasLostConnection } from '../http/close-with-connection.js'
import type { BlazonRequest } from '../http/request.js'
import { knownRequestId, REQUEST_ID_HEADER, requestIdOf } from '../http/request-id.js'
import { cutOff } from '../http/send/end-early.js'
import { removeUnwritable, sendError } from '../http/send/send-error.js'
import { JSON_TYPE } from '../http/send/wire-text.js'
import { ignoreRejection, type OnError } from '../step/step.js'
import { type LogFailure, noteError } from './log-failure.js'
import { isJsonData } from './send-success.js'

const PROBLEM = 'application/problem+json'
const PROBLEM_TYPE = `${PROBLEM}; charset=utf-8`

/** Reads the part of an error that the client is allowed to see. `status` is the current status of the response. */
type ReadFailure = (error: unknown, status: number) => KnownFailure

/** The body of an error response, and its media type. */
interface ErrorBody {
  readonly type: string
  readonly text: string
}

/** Creates the body of the response to an error. */
export type RenderFailure = (failure: KnownFailure, req: BlazonRequest) => ErrorBody

/** The input of {@link createFail}. */
export interface FailConfig {
  readonly log: LogFailure
  readonly render: RenderFailure
  /** Reads the error. If omitted, the framework's rules apply. For the rules of Express, pass `toMiddlewareFailure`. */
  readonly read?: ReadFailure
}

/**
 * Creates the function that turns an error into a response. For any thrown value, the client receives a status, a code
 * and a message, but never a stack trace. The details of errors with a status of 500 or above are logged.
 */
export function createFail({ log, render, read = toFailure }: FailConfig): OnError {
  return function fail(error, req, res) {
    const failure = read(error, res.statusCode)
    noteError(failure, error, req)
    if (failure.status >= 500) log(error, req, { status: failure.status })
    if (res.destroyed || res.writableEnded) return
    // A part of the response has already been sent. The client can detect that the response is incomplete only if the
    // connection is closed.
    if (hasLostConnection(res)) return void res.destroy()
    if (res.headersSent) return cutOff(res)
    try {
      send(failure, { req, res, render })
    } catch {
      // The error contains a field or a header that cannot be sent.
      if (failure.status < 500) log(error, req, { status: GENERIC.status })
      sendGeneric({ req, res, render })
    }
  }
}

/**
 * Creates the function that ends a stream after an error. Every error is logged. The status was sent before the error
 * occurred, so `end` receives the body of the error, which some stream formats can send.
 */
export function createStreamEnd({ log, render }: Omit<FailConfig, 'read'>) {
  return function endStream(error: unknown, req: BlazonRequest, end: (json: string) => void): void {
    const failure = toFailure(error)
    log(error, req, { status: failure.status, message: 'A stream failed' })
    end(render(failure, req).text)
  }
}

/** The error to send if no part of the original error can be sent. */
const GENERIC = toFailure(undefined)

/**
 * Sends the generic error. If this also fails, for example because a listener throws, the connection is closed, and the
 * process continues.
 */
function sendGeneric(context: SendOptions): void {
  try {
    removeUnwritable(context.res)
    send(GENERIC, context)
  } catch {
    context.res.destroy()
  }
}

interface SendOptions {
  readonly req: BlazonRequest
  readonly res: Response
  readonly render: RenderFailure
}

function send(failure: KnownFailure, { req, res, render }: SendOptions): void {
  const { type, text } = render(failure, req)
  sendError(req, res, { status: failure.status, headers: failure.headers, type, text })
}

/**
 * Receives the reason why a custom error format could not be used. `req` is `undefined` if Node's parser refused the
 * request.
 */
export type OnFormatFault = (reason: unknown, status: number, req?: BlazonRequest) => void

/** The input of {@link createRender}. */
export interface RenderConfig {
  /** The application's error format. */
  readonly wire: ErrorWire
  /** Returns the error format of a request's route; `null` if no route has a custom format. */
  readonly formatOf: ((req: BlazonRequest) => ErrorFormat | undefined) | null
  readonly onFault: OnFormatFault
}

/** Creates the function that writes error bodies, depending on the formats that the application uses. */
export function createRender({ wire, formatOf, onFault }: RenderConfig): RenderFailure {
  const render = renderOf(wire, onFault)
  if (formatOf === null) return render
  return function renderForRoute(failure, req) {
    const own = formatOf(req)
    return own === undefined ? render(failure, req) : renderOwnOf(own, { failure, req, onFault })
  }
}

function renderOf(wire: ErrorWire, onFault: OnFormatFault): RenderFailure {
  if (wire === 'negotiated') return negotiate
  if (wire === 'problem') return (failure, req) => renderProblem(failure, idIn(failure, req))
  return (failure, req) => renderOwnOf(wire, { failure, req, onFault })
}

function negotiate(failure: KnownFailure, req: BlazonRequest): ErrorBody {
  if (prefersProblem(req)) return renderProblem(failure, idIn(failure, req))
  return renderEnvelope(failure, idIn(failure, req))
}

function renderEnvelope(failure: KnownFailure, requestId: string | undefined): ErrorBody {
  return { type: JSON_TYPE, text: JSON.stringify(toEnvelope(failure, requestId)) }
}

function renderProblem(failure: KnownFailure, requestId: string | undefined): ErrorBody {
  return { type: PROBLEM_TYPE, text: JSON.stringify(toProblem(failure, requestId)) }
}

/**
 * Returns the ID for the response to an error. Every error with a status of 500 or above is logged with an ID. Below
 * 500, the ID is useful only if it has already been read or sent in a header.
 */
function idIn({ status }: KnownFailure, req: BlazonRequest): string | undefined {
  return status >= 500 ? requestIdOf(req) : knownRequestId(req)
}

interface OwnConfig {
  readonly failure: KnownFailure
  /** The request; `undefined` if Node's parser has refused it. */
  readonly req: BlazonRequest | undefined
  readonly requestId: string | undefined
  readonly onFault: OnFormatFault
}

function renderOwnOf(
  own: ErrorFormat,
  config: Omit<OwnConfig, 'req' | 'requestId'> & { readonly req: BlazonRequest },
): ErrorBody {
  return renderOwn(own, { ...config, requestId: idIn(config.failure, config.req) })
}

/** Writes an error in the custom format of the application or route. If this fails, uses the default format. */
function renderOwn(own: ErrorFormat, config: OwnConfig): ErrorBody {
  const { failure, req, requestId } = config
  const text = attempt(own, config)
  if (text !== undefined) return { type: typeOf(own), text }
  return req === undefined ? renderEnvelope(failure, requestId) : negotiate(failure, req)
}

function attempt(
  own: ErrorFormat,
  { failure, req, requestId, onFault }: OwnConfig,
): string | undefined {
  const fault = (reason: unknown) => onFault(reason, failure.status, req)
  try {
    const body: unknown = format(own, toPublic(failure, requestId), req)
    const text = isJsonData(body) ? JSON.stringify(body) : undefined
    if (text !== undefined) return text
    ignoreRejection(body)
    fault(
      new TypeError(
        'The function `format` of `errors`, or of `error` in an envelope, must return the body as JSON data, synchronously.',
      ),
    )
  } catch (reason) {
    fault(reason)
  }
  return undefined
}

/**
 * Calls the custom format. A format must not pass an error to `req.next`, as `res.format` and `res.render` do, because
 * the format would then be called for that error again and again.
 */
function format(own: ErrorFormat, failure: Failure, req: BlazonRequest | undefined): unknown {
  if (req === undefined) return own.format(failure)
  const { next } = req
  req.next = refuseNext
  try {
    return own.format(failure, req)
  } finally {
    req.next = next
  }
}

function refuseNext(error?: unknown): never {
  const text =
    'The function `format` of `errors`, or of `error` in an envelope, called `req.next`, but must return the body synchronously.'
  throw new TypeError(text, { cause: error })
}

function typeOf({ mediaType = JSON_TYPE }: ErrorFormat): string {
  return mediaType === 'application/json' ? JSON_TYPE : mediaType
}

/**
 * Returns the failure in the form that custom formats receive. The list of field errors is a frozen copy, because the
 * error may be shared.
 */
function toPublic(failure: KnownFailure, requestId: string | undefined): Failure {
  const { status, code, message, errors } = failure
  const listed = Array.isArray(errors) ? errors.map(frozenCopy) : undefined
  const rest = optional(listed && Object.freeze(listed), requestId)
  return Object.freeze({ status, code, message, ...rest })
}

function frozenCopy(error: FieldError): FieldError {
  return Object.freeze({ ...error })
}

function toEnvelope(failure: KnownFailure, requestId: string | undefined): ErrorEnvelope {
  const { status, message, code, errors } = failure
  return { statusCode: 'error', status, message, code, ...optional(errors, requestId) }
}

function toProblem(failure: KnownFailure, requestId: string | undefined): ProblemDetails {
  const { status, message, code, errors } = failure
  const title = titleOf(status)
  const rest = optional(errors, requestId)
  return { type: 'about:blank', title, status, detail: message, code, ...rest }
}

function optional(errors: KnownFailure['errors'], requestId: string | undefined) {
  return {
    ...(errors === undefined ? {} : { errors }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** Whether the client's `Accept` header requests problem details (RFC 9457). A wildcard means JSON. */
function prefersProblem(req: BlazonRequest): boolean {
  // The names of media types are case-insensitive (RFC 9110, 8.3.1).
  if (!req.headers.accept?.toLowerCase().includes(PROBLEM)) return false
  return req.accepts(['application/json', PROBLEM]) === PROBLEM
}

/**
 * The statuses for errors of Node's parser, as Node itself would send them. There is no request or response object for
 * such errors.
 */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The input of {@link clientErrorResponse}. */
interface ParserErrorConfig extends Pick<RenderConfig, 'wire' | 'onFault'> {
  /** The ID of the request with the malformed body; `undefined` if IDs are not sent, or if there is no request yet. */
  readonly requestId: string | undefined
}

/** Returns the response to input that Node's parser could not read as a request, as the raw text to send. */
export function clientErrorResponse(
  error: NodeJS.ErrnoException,
  { wire, onFault, requestId }: ParserErrorConfig,
): string {
  const status = PARSER_STATUS[error.code ?? ''] ?? 400
  const title = titleOf(status)
  const failure = toFailureOf(status)
  const { type, text } = renderWithoutRequest(failure, { wire, onFault, requestId })
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(requestId === undefined ? [] : [`${REQUEST_ID_HEADER}: ${requestId}`]),
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}

/**
 * Responds in the default format for an application that cannot respond itself: it has not started, or the request is
 * an HTTP/2 request, whose messages have other classes. The response is a plain Node response.
 */
export function respondWithoutApp(res: ServerResponse, code: ErrorCode): void {
  // The client may have disconnected while the application was starting. Writing to the connection would then end the
  // process.
  if (res.destroyed || res.headersSent) return void res.destroy()
  const status = HTTP_CODES[code]
  const { type, text } = renderEnvelope(toFailureOf(status), undefined)
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

function toFailureOf(status: number): KnownFailure {
  const message = titleOf(status)
  return { status, code: codeOf(message), message, errors: undefined, headers: undefined }
}

function renderWithoutRequest(
  failure: KnownFailure,
  { wire, onFault, requestId }: ParserErrorConfig,
): ErrorBody {
  if (wire === 'problem') return renderProblem(failure, requestId)
  if (wire === 'negotiated') return renderEnvelope(failure, requestId)
  return renderOwn(wire, { failure, req: undefined, requestId, onFault })
}
