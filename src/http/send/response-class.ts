import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Application, CookieOptions } from 'express'
import type { Response } from '../../contracts/handler.js'
import { copyDescriptors, expressResponse } from '../express-parts.js'
import type { BlazonRequest } from '../request.js'
import { routeOf } from '../request-notes.js'
import { bindListeners, type RequestScopes } from '../request-scopes.js'
import { IS_BUN } from '../runtime.js'
import { signValue } from '../signed-cookie.js'
import { kAdded, kHeaderLines, kIsFilled, kLocals, kPrepare, kRemoved } from '../symbol-fields.js'
import { defineReplay } from './replay.js'
import { defineStaticHeaders, restoreAdded, setBeforeHead } from './response-headers.js'
import { defineSendError } from './send-error.js'
import { type CheckText, defineJson, type OwnJson } from './send-json.js'
import { collectorsOf, prepareStandIn } from './stand-in.js'
import { defineHeaderLines, type OwnHeaders, type StaticHeaders } from './wire-text.js'

/** The response class of one application. */
export type ResponseClass = new (
  req: IncomingMessage,
  options?: { highWaterMark?: number },
) => Response

// Node passes the server's options to the constructor as a second argument, which is missing from Node's types.
const NodeResponse = ServerResponse as unknown as new (
  ...args: ConstructorParameters<ResponseClass>
) => ServerResponse

/** The headers that the framework adds to the responses of an application. */
export interface HeaderSources {
  /** The headers of every response; `null` if there are none. */
  readonly statics: StaticHeaders | null
  /** Whether any feature calls `addHeaders`. */
  readonly addsHeaders: boolean
}

/** The configuration of a response class. */
export interface ResponseConfig extends HeaderSources {
  /** The scopes of requests; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** The keys of signed cookies, newest first. */
  readonly cookieKeys: readonly string[]
  /** Receives each body that is sent as JSON, together with its JSON string. */
  readonly checkText: CheckText
}

const NO_HEADERS: StaticHeaders = { text: '', byName: new Map() }

/** The framework's own fields on every response. */
interface Own extends OwnHeaders, OwnJson {
  [kLocals]: Record<string, unknown> | undefined
}

/**
 * Creates the response class of an application. Its instances are Express 5 responses from the start, so their
 * prototype is never changed. Static headers are not set on the responses, but written as text with the head.
 */
export function createResponseClass(
  app: Application,
  { statics, addsHeaders, scopes, cookieKeys, checkText }: ResponseConfig,
): ResponseClass {
  class AppResponse extends NodeResponse {
    constructor(req: IncomingMessage, options?: { highWaterMark?: number }) {
      super(req, options)
      assignFields(this as unknown as Own)
      // Bun sets 200 on every response. This status must not count as set by the handler: see `statusOf`.
      if (IS_BUN) delete (this as Partial<ServerResponse>).statusCode
    }
  }
  const prototype = AppResponse.prototype as unknown as Response
  copyDescriptors(prototype, expressResponse)
  Object.defineProperty(prototype, 'app', { value: app, writable: true, configurable: true })
  defineLocals(prototype)
  defineCookie(prototype, cookieKeys)
  const headers = statics ?? NO_HEADERS
  defineHeaderLines(prototype)
  if (statics !== null || addsHeaders) defineStaticHeaders(prototype, headers)
  defineJson(prototype, app, { statics: headers, checkText })
  defineReplay(prototype, headers)
  defineSendError(prototype, headers)
  if (scopes !== null)
    bindListeners(prototype, scopes, (res) => (res as Partial<Response>).req as BlazonRequest)
  return AppResponse as unknown as ResponseClass
}

/** Creates the class for responses to requests from a host application, whose settings apply to `res.json`. */
export function hostedResponseClass(Response: ResponseClass, app: Application): ResponseClass {
  const Hosted = class extends Response {}
  const value = { value: app, writable: true, configurable: true }
  Object.defineProperty(Hosted.prototype, 'app', value)
  return Hosted
}

/** Turns a response that another server created into a Blazon response. */
export function adoptResponse(
  res: ServerResponse,
  req: IncomingMessage,
  Class: ResponseClass,
): Response {
  const { locals, [kAdded]: added } = res as unknown as Response & Partial<Own>
  const collectors = collectorsOf(res, req)
  Object.setPrototypeOf(res, Class.prototype)
  // Sets `res.req`, as Express does. Serverless adapters create a response for a stub of the request.
  if (res.req !== req) Object.assign(res, { req })
  // Some platforms set 200 on every response. This status must not count as set by the handler: see `statusOf`.
  if (res.statusCode === 200) delete (res as Partial<ServerResponse>).statusCode
  // An application that passed the response on has already added the same listener. Node warns about more than ten
  // listeners.
  res.off('error', ignore)
  assignFields(res as unknown as Own)
  if (added) restoreAdded(res, added)
  if (locals !== undefined) (res as unknown as Response).locals = locals
  if (Object.hasOwn(res, 'writeHead')) setBeforeHead(res)
  if (collectors !== null) prepareStandIn(res, collectors)
  return res as unknown as Response
}

/**
 * Node reports a write after the end as an `error` event, and an `error` event without a listener ends the process.
 */
function ignore(): void {}

/** Sets the initial values, always in the same order, so that all responses have the same hidden class. */
function assignFields(own: Own): void {
  own[kLocals] = undefined
  own[kPrepare] = null
  own[kRemoved] = null
  own[kAdded] = null
  own[kIsFilled] = false
  own[kHeaderLines] = ''
  ;(own as unknown as ServerResponse).on('error', ignore)
}

/** Creates `res.locals` on first use, without a prototype, as in Express. */
function defineLocals(prototype: Response): void {
  Object.defineProperty(prototype, 'locals', {
    configurable: true,
    enumerable: true,
    get(this: Own) {
      this[kLocals] ??= Object.create(null)
      return this[kLocals]
    },
    set(this: Own, value: Record<string, unknown>) {
      this[kLocals] = value
    },
  })
}

/** Matches hosts that clients access without TLS: the local machine, and the connections of a `TestApp`. */
const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[?::1\]?|in-process)$/i

/**
 * Matches the names of cookies that browsers refuse without `Secure` (RFC 6265bis, section 4.1.3), in upper or lower
 * case.
 */
const SECURE_NAME = /^__(?:Host|Secure)-/i

/**
 * Defines `res.cookie`. On a controller route, a cookie is `HttpOnly`, `SameSite=Lax`, and `Secure` outside localhost,
 * unless the caller sets other options. Express middlewares and applications use Express's own `res.cookie`.
 *
 * @param keys The keys of signed cookies. Without keys, Express signs cookies with the secret of cookie-parser.
 */
function defineCookie(prototype: Response, keys: readonly string[]): void {
  const ofExpress = prototype.cookie as SetCookie
  function cookie(
    this: Response,
    name: string,
    value: unknown,
    chosen?: CookieOptions | null,
  ): Response {
    // Express also accepts `null`.
    const options = chosen ?? {}
    if (routeOf(this.req) === undefined) return ofExpress.call(this, name, value, options)
    const { signed, ...given } = withDefaults(options, { name, req: this.req })
    const [key] = keys
    if (signed !== true) return ofExpress.call(this, name, value, given)
    if (key === undefined) return ofExpress.call(this, name, value, { ...given, signed })
    return ofExpress.call(this, name, signValue(name, value, key), given)
  }
  prototype.cookie = cookie
}

/** The signature of Express's function. TypeScript cannot select an overload for `call`. */
type SetCookie = (this: Response, name: string, value: unknown, options: CookieOptions) => Response

interface OfCookie extends Pick<Response, 'req'> {
  readonly name: string
}

function withDefaults(options: CookieOptions, { name, req }: OfCookie): CookieOptions {
  const { httpOnly = true, sameSite = 'lax' } = options
  // Browsers refuse `SameSite=None` without `Secure`.
  const needsTls = sameSite === 'none' || options.partitioned === true || SECURE_NAME.test(name)
  const { secure = needsTls || req.secure || !LOCAL.test(req.hostname ?? '') } = options
  return { ...options, httpOnly, sameSite, secure }
}
