import type { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import express, { type Application } from 'express'
import type { NextFunction, Request, Response, Validated } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { TenantScope } from '../contracts/tenant.js'
import { copyDescriptors } from './copy-descriptors.js'
import { bindListeners, type RequestScopes } from './request-scopes.js'

type AnyValidated = Validated<unknown, unknown, unknown, unknown>

/** Fields of ours that are not part of the public request. */
export interface BlazonRequest extends Request {
  res: Response
  /** Set once the query string was parsed or validated. */
  parsedQuery: unknown
  /** The URL that `parsedQuery` was parsed from; `null` when it was set. */
  queryUrl: string | null
  /** Whose request it is; `undefined` until that is known. The truth of which the asynchronous context is a copy that callbacks can lose. */
  tenantScope: TenantScope | undefined
  /** See `takeArrived`. */
  isBodyTaken: boolean
  /** Behind `next`. */
  ownNext: NextFunction | undefined
  abortController: AbortController | undefined
  /** Whether the handler timeout has answered it. */
  isExpired: boolean
  /** Whether it came to an error, whatever was made of that. */
  hasFailed: boolean
  /** Hands a request without a route back to the application that ours is mounted in. */
  passOn: (() => void) | undefined
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

/** Starting values, in the one order that gives every request the same hidden class. */
function assignFields(req: BlazonRequest): void {
  req.res = undefined as unknown as Response
  req.ownNext = undefined
  req.originalUrl = ''
  req.baseUrl = ''
  req.params = undefined
  req.body = undefined
  req.parsedQuery = undefined
  req.queryUrl = ''
  req.validated = NOTHING
  req.user = undefined
  req.tenantScope = undefined
  req.route = undefined as unknown as RouteModel
  req.abortController = undefined
  req.isBodyTaken = false
  req.isExpired = false
  req.hasFailed = false
  req.passOn = undefined
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
  const { baseUrl, originalUrl, body, user, params, tenantScope } = req as unknown as BlazonRequest
  Object.setPrototypeOf(req, Request.prototype)
  const adopted = req as unknown as BlazonRequest
  // Express sets it on the request itself, where it would hide ours.
  delete adopted.next
  assignFields(adopted)
  Object.assign(adopted, { body, user, params, tenantScope })
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
      if (this.queryUrl === null) return this.parsedQuery
      // An application that is mounted in ours may have a parser of its own.
      if (this.app !== app) return inherited?.call(this)
      if (this.queryUrl !== this.url) {
        this.queryUrl = this.url
        this.parsedQuery = inherited?.call(this)
      }
      return this.parsedQuery
    },
    set(this: BlazonRequest, value: unknown) {
      this.queryUrl = null
      this.parsedQuery = value
    },
  })
}

/** Made on first use: most handlers never look at it. */
function defineSignal(prototype: BlazonRequest): void {
  Object.defineProperty(prototype, 'signal', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      this.abortController ??= createAbortController(this)
      return this.abortController.signal
    },
  })
}

function createAbortController(req: BlazonRequest): AbortController {
  const controller = new AbortController()
  const { res } = req
  const abort = () => {
    if (!res.writableFinished) controller.abort(new Error('The client disconnected'))
  }
  if (req.isExpired) controller.abort(new Error('The handler took too long'))
  else if (res.closed) abort()
  else res.once('close', abort)
  return controller
}
