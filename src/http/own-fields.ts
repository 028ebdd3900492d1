/**
 * The framework's own fields of requests and responses, by symbols, as Node has its own: nobody who lists, copies as JSON or asks for
 * the names of a request finds them, and they are found through a proxy, and through an object that inherits from a request, which
 * private fields are not.
 */

/** What the query string was parsed to, or validated. */
export const kParsedQuery: unique symbol = Symbol('blazon.parsedQuery')
/** The URL that it was parsed from; `null` when it was set. */
export const kQueryUrl: unique symbol = Symbol('blazon.queryUrl')
/** Whose request it is; `undefined` until that is known. The truth of which the asynchronous context is a copy that callbacks can lose. */
export const kTenantScope: unique symbol = Symbol('blazon.tenantScope')
/** See `takeArrived`. */
export const kIsBodyTaken: unique symbol = Symbol('blazon.isBodyTaken')
/** Behind `next`. */
export const kNext: unique symbol = Symbol('blazon.next')
export const kAbortController: unique symbol = Symbol('blazon.abortController')
/** Whether it was ended while its handler was at work: by the handler timeout, or by a late error. */
export const kIsExpired: unique symbol = Symbol('blazon.isExpired')
/** Whether it came to an error, and no error middleware has let it go on. */
export const kHasFailed: unique symbol = Symbol('blazon.hasFailed')
/** Hands a request without a route back to the application that ours is mounted in. */
export const kPassOn: unique symbol = Symbol('blazon.passOn')

/** Behind `locals`. */
export const kLocals: unique symbol = Symbol('blazon.locals')
/** Prepares a body before it is written as JSON; `null` for most responses. */
export const kPrepare: unique symbol = Symbol('blazon.prepare')
/** Static headers that a handler took away, by lower-case name. */
export const kRemoved: unique symbol = Symbol('blazon.removed')
/** Headers of `addHeaders`, `[name, value, …]`; `null` for most responses. */
export const kAdded: unique symbol = Symbol('blazon.added')
/** Whether the static headers are already among those to be written. */
export const kIsFilled: unique symbol = Symbol('blazon.isFilled')
/** Whole lines of text that go out with the head; empty for none. */
export const kLead: unique symbol = Symbol('blazon.lead')
