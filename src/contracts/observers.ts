import type { RanStatement } from './database.js'
import type { Request, RequestUser, Response } from './handler.js'
import type { EndCall, NewCall } from './outgoing-call.js'
import type { RouteModel } from './route-model.js'
import type { RequestOutcome, StepName } from './steps.js'
import type { TraceContext } from './trace.js'

/** A value of a {@link Decision}: JSON data. */
export type DecisionValue =
  | string
  | number
  | boolean
  | null
  | readonly DecisionValue[]
  | { readonly [name: string]: DecisionValue }

/**
 * A decision about a request by one part of an application. It contains no credential, cookie or token, and no value
 * that a schema marks as secret.
 */
export interface Decision {
  /**
   * The part that decided. The framework uses `guard`, `tenant`, `can`, `policy`, `limit`, `capacity`, `cache`,
   * `validation` and `error`; a plugin uses its own name. A line of `Log` is recorded with the name `log`, and with its
   * level as the verdict.
   */
  readonly by: string
  /**
   * The decision, in one or two words: `admitted`, `refused`, `anonymous`, `hit`, `miss`. The framework uses `refused`
   * for each decision that ends a request with an error.
   */
  readonly verdict: string
  /** The reason, as a sentence or a part of one: `expired token`. Omit it if the verdict needs no reason. */
  readonly reason?: string
  /** Further details, such as a cache key. Default: none. */
  readonly facts?: { readonly [name: string]: DecisionValue }
}

/** Records a decision about one request. Never throws. */
export type NoteDecision = (decision: Decision) => void

/**
 * The part of an application that determined the response: the last part that began to process the request.
 *
 * - `parser`: Node's HTTP parser refused the bytes, or they did not arrive in time: 400, 408, 413, 431.
 * - `head`: the framework refused the request head because of its `Host`, its request target, or the number of its
 *   header lines or query parameters; or Node refused an `Expect` header that it does not support (417).
 * - `security`: CORS or helmet. `tenant`: the check of the request's tenant. `middleware`: a middleware of the
 *   application, a plugin or `@Use`.
 * - `router`: no route matches the path (404) or the method (405), or the request method is `OPTIONS`.
 * - `limit`: a rate limit. `guard`, `can`: the access checks. `cache`: a cached response. `body`: the body could not be
 *   read. `validation`: an input did not match its schema. `plugin`: a plugin's step. `interceptor`, `handler`: the
 *   code of the route.
 * - `timeout`: the handler timeout. `framework`: a route of the framework itself, such as the documentation page; or no
 *   media type in `Accept` is available (406).
 * - `upgrade`: a listener of `upgrade` or `connect` has taken over the connection, as for a WebSocket.
 */
export type ResponseCause =
  | 'parser'
  | 'head'
  | 'security'
  | 'tenant'
  | 'middleware'
  | 'router'
  | 'limit'
  | 'guard'
  | 'can'
  | 'cache'
  | 'body'
  | 'validation'
  | 'plugin'
  | 'interceptor'
  | 'handler'
  | 'timeout'
  | 'framework'
  | 'upgrade'

/** A request that has ended, with or without a response. */
export interface EndedRequest {
  /** The request; `null` if Node's parser could not read it. */
  readonly req: Request | null
  /** The response; `null` if Node's parser could not read the request, and for an upgraded connection. */
  readonly res: Response | null
  /** The matched route; `null` if no controller route was found. */
  readonly route: RouteModel | null
  /** The status that was sent; `null` if the connection closed before the head of a response was written. */
  readonly status: number | null
  /** How the request ended. */
  readonly outcome: RequestOutcome
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number
  /**
   * How long the request took, in milliseconds: from the arrival of the request head until the last byte of the
   * response was passed to the connection, or until the connection ended. 0 if Node's parser could not read the
   * request.
   */
  readonly durationMs: number
  /**
   * The number of bytes that were written to the connection for this request: head and body, before TLS. 0 if all
   * observers have `needsBytes: false`.
   */
  readonly bytes: number
  /** The part that responded. */
  readonly cause: ResponseCause
  /** Whether the route is one that monitoring calls constantly, such as a health check. */
  readonly isQuiet: boolean
  /** The tenant of the request; `undefined` if it has none. */
  readonly tenant: string | undefined
  /** The tenant that the request specifies, if `tenant.authorize` has not yet allowed it; otherwise `undefined`. */
  readonly claimedTenant: string | undefined
}

/** Observes all requests of an application. */
export interface RequestObserver {
  /**
   * The framework calls this function at the beginning of each request. The function can run the request in an async
   * context: middlewares, the route and error responses run inside `next`. The function must call `next` once before it
   * returns; if it does not, or if it throws first, the framework calls `next`. The function cannot change the
   * response. It is not called for requests that Node's parser refuses, or for upgraded connections. If one application
   * passes a request on to another, both applications can call it. If it throws, the error is logged.
   *
   * @example
   * const traced: Plugin = {
   *   name: 'traced',
   *   requests: () => ({ around: (req, next) => RequestContext.run(req, next) }),
   * }
   */
  readonly around?: (req: Request, next: () => void) => void
  /**
   * The framework calls this function with each request error that the application logs, like the option `onError`. The
   * error contains no value that a schema marks as secret. If the function throws, that error is logged; a returned
   * promise is not awaited.
   */
  readonly onError?: (error: unknown, context: ErrorContext) => void
  /**
   * The framework calls this function once when a request has ended, including requests without a route, requests that
   * Node's parser refuses, and upgraded connections. It is not called for a request that the application has passed on
   * to its host. It runs in the async context of the request's tenant. If it throws, the error is logged; a returned
   * promise is not awaited.
   */
  readonly onEnd?: (ended: EndedRequest) => void
  /**
   * The framework calls this function for each route step that a request enters, in order. When the steps have returned
   * a value or thrown an error, it calls the function with `'respond'`. The time between two calls is the duration of
   * the first of the two steps. The step that refuses the request or responds to it is the last step before
   * `'respond'`. Steps that the route does not use are left out. If an interceptor calls the handler again, the handler
   * step is entered again. If this function throws, the error is logged, and the request continues.
   *
   * @example
   * const timeline: Plugin = {
   *   name: 'timeline',
   *   requests: () => ({
   *     onStep: (req, step) => console.log(req.id, step, performance.now()),
   *   }),
   * }
   */
  readonly onStep?: (req: Request, step: StepName) => void
  /**
   * The framework calls this function for each decision about a running request: its own decisions, and decisions that
   * guards, steps and other code record with `noteOf(req)`. A decision can contain strings from the request: pass them
   * through `secretsOf` before they leave the process. If the function throws, the error is logged, and the request
   * continues.
   *
   * @see docs/extending.md#decisions
   */
  readonly onDecision?: (req: Request, decision: Decision) => void
  /**
   * The framework calls this function for each database statement that has run, if the database's plugin reports it to
   * {@link Statements}, as `blazon/postgres` and `blazon/typeorm` do. It passes the text, the time and the request of
   * the statement. `BEGIN`, `COMMIT` and session settings are not statements of the program, and are left out. An
   * application with such an observer stores the current request in an async context, unless `needsRequests` is
   * `false`. If the function throws, the error is logged, and the result of the statement does not change.
   *
   * @example
   * const slowStatements: Plugin = {
   *   name: 'slow-statements',
   *   requests: ({ logger }) => ({
   *     onStatement({ text, durationMs, req }) {
   *       if (durationMs > 100) logger.warn({ text, durationMs, route: req?.route?.path }, 'Slow')
   *     },
   *   }),
   * }
   */
  readonly onStatement?: (statement: RanStatement) => void
  /**
   * The framework calls this function before it sends a call to another host through `inject(Outgoing)`. The function
   * can set headers of the call. It can return another function, which is called once with the result. If it throws,
   * the error is logged, and the call continues.
   *
   * @example
   * const slowCalls: Plugin = {
   *   name: 'slow-calls',
   *   requests: ({ logger }) => ({
   *     onCall: ({ url, method }) => ({ durationMs }) => {
   *       if (durationMs > 500) logger.warn({ method, host: url.host, durationMs }, 'Slow')
   *     },
   *   }),
   * }
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most observers return no function
  readonly onCall?: (call: NewCall) => EndCall | undefined | void
  /**
   * Whether `onEnd` reads `bytes`. If no observer in an application reads it, bytes are not counted, and `bytes` is 0.
   * Counting takes about as long as all other work of observing a request. Default `true`.
   */
  readonly needsBytes?: boolean
  /**
   * Whether `onStatement` reads `req`. If no observer in an application reads it, `req` can be `undefined`, and routes
   * do not enter an async context for it. Default `true`.
   */
  readonly needsRequests?: boolean
  /** Whether statements and calls include the stack trace of the code that ran them. Default `false`. */
  readonly needsStacks?: boolean
  /** Whether call results include the request and response bodies. Default `false`. */
  readonly needsBodies?: boolean
}

/** The context of an error. An error outside a request has only `message`. */
export interface ErrorContext {
  /** A description of the failure: the message of the log line. */
  readonly message: string
  /** The status of the response. If another response had already begun, it is the status of the error. */
  readonly status?: number
  /** The request. Read it synchronously: the response is sent when `onError` returns. */
  readonly req?: Request
  /** The route; absent if the request matched no route. */
  readonly route?: RouteModel
  /** The `requestId` of the response and of the log line. */
  readonly requestId?: string
  /** The trace of the request. */
  readonly trace?: TraceContext
  /** The tenant for which the request acts. */
  readonly tenant?: string
  /** The user, if the guard has set one. */
  readonly user?: NonNullable<RequestUser>
}

/**
 * The option `onError`, which passes errors to an error tracker. A returned promise is not awaited.
 *
 * @example
 * const report: ErrorReporter = (error, { requestId }) => {
 *   tracker.captureException(error, { tags: { requestId } })
 * }
 */
export type ErrorReporter = (error: unknown, context: ErrorContext) => unknown
