import type { ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import type { ApiResponseOptions } from '../../contracts/operation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { isAsyncIterable } from '../../http/async-iterable.js'
import type { BlazonRequest } from '../../http/request.js'
import { representationOf } from '../../http/request-notes.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import {
  discardAfter,
  discardBody,
  FileResponse,
  type RawBody,
  toRawBody,
} from '../../http/send/raw-body.js'
import { type RawOptions, sendRaw } from '../../http/send/send-raw.js'
import { kHasFailed, kTenantScope } from '../../http/symbol-fields.js'
import { remedyFor, unsendableKind } from '../../schema/fields/to-plain.js'
import { Refusal } from '../../step/refusal.js'
import {
  isThenable,
  type OnError,
  type RunRoute,
  type Settle,
  type Step,
  whenSettled,
} from '../../step/step.js'
import type { Deadlines } from '../deadlines.js'
import type { SendReturned } from '../send-success.js'

/** The configuration for sending a route's responses. */
export interface RespondConfig {
  readonly route: Pick<RouteModel, 'name' | 'status' | 'redirect' | 'operation' | 'produces'>
  /** Whether the handler can send its response after it has returned `undefined`. */
  readonly mayRespondLater: boolean
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Sends the items of a stream; `null` if the route does not stream. */
  readonly stream: Settle | null
  /** Sends the value that the handler returned. */
  readonly send: SendReturned
  readonly onError: OnError
  /** The time limits of handlers; `null` for no limit. */
  readonly deadlines: Deadlines | null
  /** Whether the response to an error can be sent later, while the handler is still running. */
  readonly mayRespondToErrorsLater: boolean
}

/**
 * Runs the following steps, and sends exactly one response for the value that they return or the error that they throw.
 */
export function respondStage(config: RespondConfig): (next: Step) => RunRoute {
  return (next) => respondStep(config, next)
}

function respondStep(config: RespondConfig, next: Step): RunRoute {
  const { onError, deadlines, mayRespondToErrorsLater } = config
  const settle = settleOf(config)
  return function respond(req, res) {
    let value: unknown
    let isWaiting = false
    try {
      value = next(req, res)
      isWaiting = isThenable(value)
    } catch (error) {
      return onError(error, req, res)
    }
    if (!isWaiting) return settle(value, req, res)
    deadlines?.start(req)
    const fail = (error: unknown) => {
      deadlines?.stop(req)
      onError(error, req, res)
    }
    try {
      whenSettled(
        value as PromiseLike<unknown>,
        (settled) => {
          // The request has failed in the meantime, so the client receives the error, even if it has not been sent yet.
          if (mayRespondToErrorsLater && req[kHasFailed]) return discard(settled, res)
          deadlines?.stop(req)
          settle(settled, req, res)
        },
        fail,
      )
    } catch (error) {
      fail(error)
    }
  }
}

/**
 * Creates the function that responds with the return value of the steps, or passes on an error. Writing a value runs
 * application code, such as `toJSON`, getters and generators. This code runs in the scope that a later step has
 * entered.
 */
export function settleOf(config: RespondConfig): Settle {
  const settle = settleHere(config)
  const { scopes } = config
  if (scopes === null) return settle
  return function settleInScope(value, req, res) {
    // In the usual case, no closure is needed.
    if (req[kTenantScope] === scopes.current()) return settle(value, req, res)
    scopes.keep(req, () => settle(value, req, res))
  }
}

function settleHere(config: RespondConfig): Settle {
  const send = sendOnce(config)
  return function settle(value, req, res) {
    let failure: unknown
    try {
      // Compare with `res` first, because most handlers return it. `instanceof` reads the prototype chain, which takes
      // time and throws for some proxies.
      if (value === res || !(value instanceof Refusal)) return send(value, req, res)
      failure = value.error
    } catch (error) {
      failure = error
    }
    config.onError(failure, req, res)
  }
}

/**
 * Ends the body of a value that is not sent. The response itself is also a stream, but it may still have to be sent, so
 * it is not ended.
 */
function discard(value: unknown, res: Response): void {
  if (value !== res) discardBody(value)
}

/** Like `discard`, after the head has been sent. The handler may still be piping the value into the response. */
function discardLate(value: unknown, res: Response): void {
  if (value !== res) discardAfter(res, value)
}

/** Sends the value that a handler returned, unless the handler has sent a response itself. */
function sendOnce(config: RespondConfig): Settle {
  const { route, mayRespondLater, deadlines, send, stream } = config
  const { status, redirect } = route
  const readStatus = statusReader(status)
  return function sendValue(value, req, res) {
    if (res.headersSent) return discardLate(value, res)
    // A handler that ends with `return res.status(200)`, or with a pipe, has perhaps sent nothing yet.
    if (value === res) return deadlines?.startUntilClosed(req, res)
    if (stream !== null) return stream(value, req, res)
    if (value !== undefined) {
      const current = readStatus(res)
      if (isOrdinaryData(value) || !sendUnusual(value, config, { req, res, status: current })) {
        send(res, current, value)
      }
      return
    }
    if (redirect !== null) return res.redirect(redirect.status, redirect.url)
    if (mayRespondLater) return deadlines?.startUntilClosed(req, res)
    const current = readStatus(res)
    send(res, status === null && current === 200 ? 204 : current, undefined)
  }
}

/** The properties of a route that {@link sendUnusual} needs. */
export interface UnusualConfig {
  readonly route: Pick<RouteModel, 'name' | 'operation' | 'produces'>
  readonly onError: OnError
  /** The time limits of handlers; `null` for no limit. */
  readonly deadlines: Deadlines | null
}

interface UnusualTarget {
  readonly req: BlazonRequest
  readonly res: Response
  readonly status: number
}

/**
 * Whether a returned value is a string, a number, a boolean, `null`, a list or a plain object. Nearly all values are.
 * {@link sendUnusual} handles all other values.
 */
export function isOrdinaryData(value: unknown): boolean {
  if (typeof value !== 'object') {
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  }
  if (value === null) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/**
 * Sends a stream, bytes, a file or a Fetch API response unchanged. For an instance of any other class, returns `false`
 * and sends nothing. The caller then sends the value as JSON.
 *
 * @throws TypeError for a value that JSON cannot represent.
 */
export function sendUnusual(
  value: unknown,
  { route, onError, deadlines }: UnusualConfig,
  { req, res, status }: UnusualTarget,
): boolean {
  const stated = statedFor(route, status)
  const raw = stated?.content === undefined ? toRawBody(value) : toFile(value)
  if (raw !== null) {
    if (raw.kind !== 'bytes') deadlines?.startUntilClosed(req, res)
    const fail = (error: unknown) => onError(error, req, res)
    const types = documentedType(stated, route.produces && representationOf(req)?.type)
    if (raw.kind === 'file') {
      void loadSendFile().then((send) => send(raw.file, { req, res, status, ...types, fail }), fail)
    } else sendRaw(res, raw, { status, ...types, fail })
    return true
  }
  // A `@Produces` representation can write streamed items.
  if (route.produces !== null && isAsyncIterable(value) && representationOf(req)?.send) return false
  const kind = unsendableKind(value)
  if (kind === null) return false
  throw new TypeError(
    `${route.name} returned ${kind}, which has no JSON representation: ${remedyFor(kind)}.`,
  )
}

/** Loads the module that sends files. An application that sends no files never loads it. */
async function loadSendFile() {
  return (await import('../../http/send/send-file.js')).sendFile
}

/**
 * Converts bytes or a `Blob` that the route documents as a file, so that range and conditional requests are supported.
 */
function toFile(value: unknown): RawBody | null {
  const isFile =
    value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob
  if (!isFile) return toRawBody(value)
  return {
    kind: 'file',
    file: new FileResponse({ content: value, options: {}, hasDisposition: false }),
  }
}

type Stated = ApiResponseOptions | undefined

function statedFor({ operation }: UnusualConfig['route'], status: number): Stated {
  return operation.responses.find((response) => response.status === status)
}

/** Returns the media type for bytes from the description of a status. A wildcard does not specify a type. */
function documentedType(
  stated: Stated,
  chosen: string | null | undefined,
): Pick<RawOptions, 'type' | 'fallback'> {
  const { contentType = chosen ?? undefined, raw } = stated ?? {}
  const isJson = raw === true && contentType === undefined
  return {
    type: contentType === undefined || contentType.includes('*') ? null : contentType,
    fallback: isJson ? 'application/json' : 'application/octet-stream',
  }
}

/**
 * Returns the status of a response: the status that was set with `res.status` or `res.statusCode`, even if it is 200;
 * otherwise, the status of the route's `@HttpCode`. A status has been set if the response object itself has the
 * property `statusCode`. Node's default of 200 is on the prototype.
 *
 * @param stated The declared status; `null` if the route has no `@HttpCode`.
 */
export function statusOf(res: ServerResponse, stated: number | null): number {
  return stated === null || Object.hasOwn(res, 'statusCode') ? res.statusCode : stated
}

/**
 * Creates the function that reads the status of a route's responses. For routes without `@HttpCode`, which are the
 * majority, no property needs to be looked up.
 */
function statusReader(stated: number | null): (res: ServerResponse) => number {
  return stated === null ? ({ statusCode }) => statusCode : (res) => statusOf(res, stated)
}
