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
 * A decision of a part of an application about a request. It has no credential, no cookie, no token, and no value that
 * is secret by its schema.
 */
export interface Decision {
  /**
   * Who has decided. The framework uses `guard`, `tenant`, `can`, `policy`, `limit`, `capacity`, `cache`, `validation` and
   * `error`; a plugin uses its name. A line of `Log` is noted by `log`, with its level as the verdict.
   */
  readonly by: string
  /**
   * The decision, in one or two words: `admitted`, `refused`, `anonymous`, `hit`, `miss`. The framework uses `refused`
   * for each decision that ends a request with an error.
   */
  readonly verdict: string
  /** The reason, as a sentence or a part of one: `expired token`. Omitted if the verdict needs no reason. */
  readonly reason?: string
  /** Further details, such as the key of a cache. Default: none. */
  readonly facts?: { readonly [name: string]: DecisionValue }
}

/** Records a decision about one request. Never throws. */
export type NoteDecision = (decision: Decision) => void

/**
 * The part of an application that has decided a response: the last part that began to work on the request.
 *
 * - `parser`: Node's HTTP parser refused the bytes, or they did not arrive in time: 400, 408, 413, 431.
 * - `head`: the framework refused the head of the request: `Host`, the target, the number of header lines or of query
 *   parameters; or Node refused an expectation that it does not support (417).
 * - `security`: CORS or helmet. `tenant`: the tenant of the request. `middleware`: a middleware of the application, of a
 *   plugin or of `@Use`.
 * - `router`: no route has the path (404) or the method (405), or the request is an `OPTIONS`.
 * - `limit`: a rate limit. `guard`, `can`: access. `cache`: a stored response. `body`: the body could not be read.
 *   `validation`: a schema. `plugin`: a step of a plugin. `interceptor`, `handler`: the code of the route.
 * - `timeout`: the handler timeout. `framework`: a route of the framework itself, such as the documentation page.
 * - `upgrade`: a listener of `upgrade` or `connect` has taken the connection, as for a WebSocket.
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

/** An ended request, with or without a response. */
export interface EndedRequest {
  /** `null` if Node's parser could not read a request. */
  readonly req: Request | null
  /** `null` if Node's parser could not read a request, and for an upgraded connection. */
  readonly res: Response | null
  /** `null` if no route of a controller was found. */
  readonly route: RouteModel | null
  /** The status that was sent; `null` if the connection closed before the head of a response was written. */
  readonly status: number | null
  /** How the request ended. */
  readonly outcome: RequestOutcome
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number
  /**
   * How long the request took, in milliseconds: from its head to the last byte of the response that was handed to the
   * connection, or to the end of the connection. 0 if Node's parser could not read a request.
   */
  readonly durationMs: number
  /**
   * The bytes that were written to the connection for this request: head and body, before TLS. 0 if all observers have
   * `needsBytes: false`.
   */
  readonly bytes: number
  /** Which part has responded. */
  readonly cause: ResponseCause
  /** Whether monitoring calls the route all the time, such as a health check. */
  readonly isQuiet: boolean
  /** The tenant of the request; `undefined` if it has none. */
  readonly tenant: string | undefined
  /** The tenant that the request names but `tenant.authorize` has not allowed yet; otherwise `undefined`. */
  readonly claimedTenant: string | undefined
}

/** Observes all requests of an application. */
export interface RequestObserver {
  /**
   * Called with each request before anything else, to run it in an async context: middlewares, the route and the
   * sending of errors run inside of `next`. It calls `next` once, before it returns; if it does not, or throws before,
   * the framework does. It does not decide about the response. Requests that Node's parser refuses, and upgraded
   * connections, have no such call. A request that one application passes on to another may have a call in each. An
   * error is logged.
   *
   * @example
   * const traced: Plugin = {
   *   name: 'traced',
   *   requests: () => ({ around: (req, next) => RequestContext.run(req, next) }),
   * }
   */
  readonly around?: (req: Request, next: () => void) => void
  /**
   * Called with each error of a request that the application logs, as the option `onError`: the error has no value that
   * is secret by its schema. An error is logged; a promise is not awaited.
   */
  readonly onError?: (error: unknown, context: ErrorContext) => void
  /**
   * Called once for each request of the application, when it is over: also for requests without a route, requests that
   * Node's parser refuses, and upgraded connections. It is not called for a request that the application has passed on
   * to its host. It runs in the async context of the request's tenant. An error is logged; a promise is not awaited.
   */
  readonly onEnd?: (ended: EndedRequest) => void
  /**
   * Called for each step of a route that a request enters, in their order, and with `'respond'` when the value or the
   * error of the steps comes back: this ends the time of the last step. The time between two calls is the time of the
   * first step of the two. A step that refuses the request, or that has its response, is the last one before
   * `'respond'`. Steps that the route does not use are left out; an interceptor that calls the handler again enters it
   * again. An error is logged, and the request continues.
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
   * Called for each decision about a request that is not over: decisions of the framework, and decisions that guards,
   * steps and other code note with `noteOf(req)`. It may have texts of the request: pass them through `secretsOf`
   * before they leave the process. An error is logged, and the request continues.
   *
   * @see docs/extending.md#decisions
   */
  readonly onDecision?: (req: Request, decision: Decision) => void
  /**
   * Called for each statement that a database has run and that its plugin has reported to {@link Statements}, as
   * `blazon/postgres` and `blazon/typeorm` do: with its text, its time and its request. `BEGIN`, `COMMIT` and settings
   * of a session are not statements of the program, and are left out. Applications with such an observer carry the
   * request of the current code in an async context, unless it has `needsRequests: false`. An error is logged, and the
   * statement has its result.
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
   * Called for each call of `inject(Outgoing)` to another host, before it is sent. It may set headers of the call. It may
   * return a function, which is called once with the result. An error is logged, and the call continues.
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
  // biome-ignore lint/suspicious/noConfusingVoidType: most observers return nothing
  readonly onCall?: (call: NewCall) => EndCall | undefined | void
  /**
   * Whether `onEnd` reads `bytes`. If no observer of an application does, they are not counted, and are 0: counting
   * takes about as long as all other work of observing a request. Default `true`.
   */
  readonly needsBytes?: boolean
  /**
   * Whether `onStatement` reads `req`. If no observer of an application does, it can be `undefined`, and routes enter no async
   * context for it. Default `true`.
   */
  readonly needsRequests?: boolean
  /** Whether statements and calls include the stack of the code that ran them. Default `false`. */
  readonly needsStacks?: boolean
  /** Whether the results of calls have the bodies. Default `false`. */
  readonly needsBodies?: boolean
}

/** Where an error comes from. An error outside of requests has `message` alone. */
export interface ErrorContext {
  /** The failure, as the message of the log line. */
  readonly message: string
  /** The status of the response; if something else was sent, the status of the error. */
  readonly status?: number
  /** The request. Read it at once: the response is sent when `onError` returns. */
  readonly req?: Request
  /** The route; absent when the request matched no route. */
  readonly route?: RouteModel
  /** The `requestId` of the response and of the log line. */
  readonly requestId?: string
  /** The trace of the request. */
  readonly trace?: TraceContext
  /** The tenant that the request acts for. */
  readonly tenant?: string
  /** The user, if the guard has set one. */
  readonly user?: NonNullable<RequestUser>
}

/**
 * The `onError` option: receives errors for an error tracker. A returned promise is not awaited.
 *
 * @example
 * const report: ErrorReporter = (error, { requestId }) => {
 *   tracker.captureException(error, { tags: { requestId } })
 * }
 */
export type ErrorReporter = (error: unknown, context: ErrorContext) => unknown
