import type { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Application } from 'express'
import type { AuthResult } from '../contracts/guard.js'
import type { NextFunction, Request, Response, Validated } from '../contracts/handler.js'
import type { TenantScope } from '../contracts/tenant.js'
import type { SpanIdentity, TraceContext } from '../contracts/trace.js'
import { bodyDescriptor } from './body-descriptor.js'
import { copyDescriptors, expressRequest } from './express-parts.js'
import { boundAccepts } from './negotiate.js'
import { defineRequestId, type RequestIds } from './request-id.js'
import { bindListeners, type RequestScopes } from './request-scopes.js'
import { IS_BUN } from './runtime.js'
import {
  kAbortController,
  type kAuthResult,
  kHasFailed,
  kIsBodyTaken,
  kIsExpired,
  kNext,
  kParsedQuery,
  kPassedSteps,
  kPassOn,
  kQueryUrl,
  kRequestId,
  kSpan,
  kTenantScope,
  kTrace,
  type kUseError,
} from './symbol-fields.js'

type AnyValidated = Validated<unknown, unknown, unknown, unknown>

/** A request with the framework's own fields, which are not public. */
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
  [kPassedSteps]: number
  [kPassOn]: (() => void) | undefined
  [kRequestId]?: unknown
  [kAuthResult]?: AuthResult
  [kTrace]?: TraceContext | undefined
  [kSpan]?: SpanIdentity
  [kUseError]?: { readonly error: unknown }
}

/** The request class of one application. */
export type RequestClass = new (socket: Socket) => BlazonRequest

/** The value of `req.validated` on a route without schemas. */
const NOTHING: AnyValidated = Object.freeze({
  params: undefined,
  body: undefined,
  query: undefined,
  headers: undefined,
  cookies: undefined,
})

/**
 * Sets the initial values, always in the same order, so that all requests have the same hidden class. As in Express,
 * `user`, `body` and `route` do not exist until they are set, because middlewares check `'user' in req`.
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
  req[kPassedSteps] = 0
  req[kPassOn] = undefined
}

/** The configuration of a request class. */
export interface RequestConfig {
  /** The scopes of requests; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  readonly ids: RequestIds<BlazonRequest>
}

/**
 * Creates a request class whose instances already are Express 5 requests. Express itself calls `setPrototypeOf` on each
 * request, which takes longer than all of Express's other work before routing.
 */
export function createRequestClass(app: Application, { scopes, ids }: RequestConfig): RequestClass {
  const AppRequest = IS_BUN ? bunRequestClass() : nodeRequestClass()
  const prototype = AppRequest.prototype as unknown as BlazonRequest
  copyDescriptors(prototype, expressRequest)
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  boundAccepts(prototype)
  defineAddress(prototype, app)
  defineQuery(prototype, app)
  defineSignal(prototype)
  defineRequestId(prototype, ids)
  if (scopes !== null) bindListeners(prototype, scopes, requestOf)
  return AppRequest as unknown as RequestClass
}

function nodeRequestClass(): typeof IncomingMessage {
  return class AppRequest extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket)
      assignFields(this as unknown as BlazonRequest)
    }
  }
}

/**
 * Bun passes all parts of the request to the constructor, together with the socket. In Node, passing them on would take
 * 10 ns.
 */
function bunRequestClass(): typeof IncomingMessage {
  return class AppRequest extends IncomingMessage {
    constructor(...parts: [socket: Socket]) {
      super(...parts)
      assignFields(this as unknown as BlazonRequest)
    }
  }
}

/** Creates the request class for a host, which has its own settings. */
export function hostedRequestClass(Request: RequestClass, app: Application): RequestClass {
  const Hosted = class extends Request {}
  const prototype = Hosted.prototype as BlazonRequest
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  defineQuery(prototype, app)
  return Hosted
}

/**
 * Returns the request of an emitter; `undefined` for an `end` listener after the response has been sent, because only
 * Node itself adds such listeners. Entering a scope for them would take 0.5 µs per request on Node 20.
 */
function requestOf(emitter: EventEmitter, event: string | symbol): BlazonRequest | undefined {
  const req = emitter as unknown as BlazonRequest
  return event === 'end' && req.res?.writableFinished ? undefined : req
}

/**
 * Turns a request that another server received into a Blazon request. This is needed if an `App` is mounted in another
 * application.
 */
export function adoptRequest(req: IncomingMessage, Request: RequestClass): BlazonRequest {
  const { baseUrl, originalUrl, params, [kTenantScope]: scope } = req as unknown as BlazonRequest
  const body = 'body' in req ? bodyDescriptor(req) : null
  Reflect.deleteProperty(req, 'body')
  Object.setPrototypeOf(req, Request.prototype)
  const adopted = req as unknown as BlazonRequest
  // Express sets `next` on the request itself, which would hide the property of the new prototype.
  delete adopted.next
  assignFields(adopted)
  Object.assign(adopted, { params, [kTenantScope]: scope })
  if (body !== null) Object.defineProperty(adopted, 'body', body)
  adopted.baseUrl = baseUrl ?? ''
  adopted.originalUrl = originalUrl ?? req.url ?? ''
  return adopted
}

/**
 * Defines `req.query`. In Express, the query is read-only and parsed at each access. Here, it is parsed again only if
 * the URL has changed, and the validated value can replace it.
 */
function defineQuery(prototype: BlazonRequest, app: Application): void {
  const inherited = Object.getOwnPropertyDescriptor(expressRequest, 'query')?.get
  Object.defineProperty(prototype, 'query', {
    configurable: true,
    enumerable: true,
    get(this: BlazonRequest) {
      if (this[kQueryUrl] === null) return this[kParsedQuery]
      // A mounted application can have its own query parser.
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

/** Defines `req.signal`. The signal is created at the first access, because most handlers do not use it. */
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
  if (req[kIsExpired]) controller.abort(new Error('The request ended before its handler finished'))
  else if (res.closed) abort()
  // A response closes once, and `once` would allocate two more objects for each open stream.
  else res.on('close', abort)
  return controller
}

const TRUST = 'trust proxy fn'

/**
 * Defines `req.ip`. Express parses all forwarding headers at each access, even if no proxy is trusted and the result is
 * always the socket's address. Access logs read the address for every request.
 */
function defineAddress(prototype: Request, app: Application): void {
  const inherited = Object.getOwnPropertyDescriptor(expressRequest, 'ip')?.get
  const trustNobody: unknown = app.get('trust proxy') === false ? app.get(TRUST) : undefined
  Object.defineProperty(prototype, 'ip', {
    configurable: true,
    enumerable: true,
    get(this: Request) {
      // A mounted application, or a host application, can trust other proxies. The setting may also have changed.
      const trustsNobody = this.app === app && this.app.get(TRUST) === trustNobody
      return trustsNobody && this.socket ? this.socket.remoteAddress : inherited?.call(this)
    },
  })
}
