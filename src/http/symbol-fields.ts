/**
 * The framework's own fields on requests and responses. Their keys are symbols, so they do not appear in `Object.keys`,
 * JSON and `for in`. Unlike private fields, they also work through a proxy and on objects that inherit from a request.
 */

/** The parsed or validated query. */
export const kParsedQuery: unique symbol = Symbol('blazon.parsedQuery')
/** The URL from which the query was parsed; `null` if the query was set. */
export const kQueryUrl: unique symbol = Symbol('blazon.queryUrl')
/**
 * The tenant scope of the request; `undefined` until it is known. The async context contains a copy, which can be lost
 * in callbacks, so this field is authoritative.
 */
export const kTenantScope: unique symbol = Symbol('blazon.tenantScope')
/** How the guards allowed the request. The field does not exist until a guard has allowed it. */
export const kAuthResult: unique symbol = Symbol('blazon.authResult')
/** The ID of the request. The field does not exist until the ID is read or set. */
export const kRequestId: unique symbol = Symbol('blazon.requestId')
/** The trace of the request. The field does not exist until the trace is read. */
export const kTrace: unique symbol = Symbol('blazon.trace')
/** The span of the request. The field does not exist unless a plugin sets it. */
export const kSpan: unique symbol = Symbol('blazon.span')
/** Whether `takeArrived` has read the body. */
export const kIsBodyTaken: unique symbol = Symbol('blazon.isBodyTaken')
/** The value of `req.next`. */
export const kNext: unique symbol = Symbol('blazon.next')
export const kAbortController: unique symbol = Symbol('blazon.abortController')
/** Whether the request was ended while its handler was running: by the handler timeout, or by a late error. */
export const kIsExpired: unique symbol = Symbol('blazon.isExpired')
/** Whether the request has failed, unless an error middleware made it continue. */
export const kHasFailed: unique symbol = Symbol('blazon.hasFailed')
/** The error of a `@Use` middleware, in an object. The field does not exist until such a middleware fails. */
export const kUseError: unique symbol = Symbol('blazon.useError')
/** The number of plugin steps that have called the next step, counting only steps that call it once. */
export const kPassedSteps: unique symbol = Symbol('blazon.passedSteps')
/** The function that passes a request without a route back to the host application. */
export const kPassOn: unique symbol = Symbol('blazon.passOn')
/** The facts of an observed request, stored on its response. Only applications with an observer set this field. */
export const kObserved: unique symbol = Symbol('blazon.observed')
/** The number of bytes that a connection had sent at the end of its last observed request. */
export const kSentBytes: unique symbol = Symbol('blazon.sentBytes')

/** The value of `res.locals`. */
export const kLocals: unique symbol = Symbol('blazon.locals')
/** The preparation of the body before it is serialized; `null` for most responses. */
export const kPrepare: unique symbol = Symbol('blazon.prepare')
/** Static headers that a handler has removed, by lower-case name. */
export const kRemoved: unique symbol = Symbol('blazon.removed')
/** Headers that were added with `addHeaders`, as `[name, value, …]`; `null` for most responses. */
export const kAdded: unique symbol = Symbol('blazon.added')
/**
 * The function that checks whether the response class can write an added header of a given name together with the head.
 */
export const kTakes: unique symbol = Symbol('blazon.takes')
/** The static headers of the response class, by lower-case name. */
export const kStatics: unique symbol = Symbol('blazon.statics')
/** Whether the static headers were already set on the response. */
export const kIsFilled: unique symbol = Symbol('blazon.isFilled')
/** Complete header lines for the head, as a string; empty if there are none. */
export const kHeaderLines: unique symbol = Symbol('blazon.headerLines')
