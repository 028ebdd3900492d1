import type { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import express, { type Application } from 'express'
import type { NextFunction, Request, Response, Validated } from '../contracts/handler.js'
import type { TenantScope } from '../contracts/tenant.js'
import { copyDescriptors } from './copy-descriptors.js'
import { givenBody } from './given-body.js'
import {
  kAbortController,
  kHasFailed,
  kIsBodyTaken,
  kIsExpired,
  kNext,
  kParsedQuery,
  kPassOn,
  kQueryUrl,
  kTenantScope,
} from './own-fields.js'
import { bindListeners, type RequestScopes } from './request-scopes.js'

type AnyValidated = Validated<unknown, unknown, unknown, unknown>

/** Fields of ours that are not part of the public request. */
export interface BlazonRequest extends Request {
  res: Response
  [kParsedQuery]: unknown
  [kQueryUrl]: string | null
  [kTenantScope]: TenantScope | undefined
  [kIsBodyTaken]: boolean
  [kNext]: NextFunction | undefined
  [kAbortController]: AbortController | undefined
  [kIsExpired]: boolean
  [kHasFailed]: boolean
  [kPassOn]: (() => void) | undefined
}

/** Makes requests of one application. */
export type RequestClass = new (socket: Socket) => BlazonRequest

/** What a route without schemas has validated. */
const NOTHING: AnyValidated = Object.freeze({
  params: undefined,
  body: undefined,
  query: undefined,
  headers: undefined,
})

/**
 * Starting values, in the one order that gives every request the same hidden class. `user`, `body` and `route` are not there until
 * somebody sets them, as in Express: `'user' in req` is a question that people ask.
 */
function assignFields(req: BlazonRequest): void {
  req.res = undefined as unknown as Response
  req[kNext] = undefined
  req.originalUrl = ''
  req.baseUrl = ''
  req.params = undefined
  req[kParsedQuery] = undefined
  req[kQueryUrl] = ''
  req.validated = NOTHING
  req[kTenantScope] = undefined
  req[kAbortController] = undefined
  req[kIsBodyTaken] = false
  req[kIsExpired] = false
  req[kHasFailed] = false
  req[kPassOn] = undefined
}

/**
 * A request class of which every instance already is Express 5's request. Express itself calls
 * `setPrototypeOf` on each request, which costs more than everything else it does before routing.
 *
 * @param scopes `null` for an application whose requests have none.
 */
export function createRequestClass(app: Application, scopes: RequestScopes | null): RequestClass {
  class AppRequest extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket)
      assignFields(this as unknown as BlazonRequest)
    }
  }
  const prototype = AppRequest.prototype as unknown as BlazonRequest
  copyDescriptors(prototype, express.request)
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  defineQuery(prototype, app)
  defineSignal(prototype)
  if (scopes !== null) bindListeners(prototype, scopes, requestOf)
  return AppRequest as unknown as RequestClass
}

/** The same for requests of a host, which has settings of its own. */
export function hostedRequestClass(Request: RequestClass, app: Application): RequestClass {
  const Hosted = class extends Request {}
  const prototype = Hosted.prototype as BlazonRequest
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  defineQuery(prototype, app)
  return Hosted
}

/**
 * Once the answer is out, it is Node itself that waits for the end of each request: to enter a scope for that costs 0.5 µs of a
 * request on Node 20.
 */
function requestOf(emitter: EventEmitter, event: string | symbol): BlazonRequest | undefined {
  const req = emitter as unknown as BlazonRequest
  return event === 'end' && req.res?.writableFinished ? undefined : req
}

/** Turns a request that another server made into one of ours (an `App` mounted elsewhere). */
export function adoptRequest(req: IncomingMessage, Request: RequestClass): BlazonRequest {
  const { baseUrl, originalUrl, params, [kTenantScope]: scope } = req as unknown as BlazonRequest
  const body = 'body' in req ? givenBody(req) : null
  Reflect.deleteProperty(req, 'body')
  Object.setPrototypeOf(req, Request.prototype)
  const adopted = req as unknown as BlazonRequest
  // Express sets it on the request itself, where it would hide ours.
  delete adopted.next
  assignFields(adopted)
  Object.assign(adopted, { params, [kTenantScope]: scope })
  if (body !== null) Object.defineProperty(adopted, 'body', body)
  adopted.baseUrl = baseUrl ?? ''
  adopted.originalUrl = originalUrl ?? req.url ?? ''
  return adopted
}

/** Express' `query` can only be read, and is parsed each time; ours is parsed anew only when a middleware has changed the URL, and can be replaced by what was validated. */
function defineQuery(prototype: BlazonRequest, app: Application): void {
  const inherited = Object.getOwnPropertyDescriptor(express.request, 'query')?.get
  Object.defineProperty(prototype, 'query', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      if (this[kQueryUrl] === null) return this[kParsedQuery]
      // An application that is mounted in ours may have a parser of its own.
      if (this.app !== app) return inherited?.call(this)
      if (this[kQueryUrl] !== this.url) {
        this[kQueryUrl] = this.url
        this[kParsedQuery] = inherited?.call(this)
      }
      return this[kParsedQuery]
    },
    set(this: BlazonRequest, value: unknown) {
      this[kQueryUrl] = null
      this[kParsedQuery] = value
    },
  })
}

/** Made on first use: most handlers never look at it. */
function defineSignal(prototype: BlazonRequest): void {
  Object.defineProperty(prototype, 'signal', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      this[kAbortController] ??= createAbortController(this)
      return this[kAbortController].signal
    },
  })
}

function createAbortController(req: BlazonRequest): AbortController {
  const controller = new AbortController()
  const { res } = req
  const abort = () => {
    if (!res.writableFinished) controller.abort(new Error('The client disconnected'))
  }
  if (req[kIsExpired]) controller.abort(new Error('The request has ended before its handler'))
  else if (res.closed) abort()
  else res.once('close', abort)
  return controller
}
