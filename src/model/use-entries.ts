import type { RequestHandler } from '../contracts/handler.js'
import type { InterceptorEntry, UseEntry } from '../contracts/interceptor.js'

/** Flattens the lists of `@Use`, to any depth, as `app.use` of Express does. */
export function flattenEntries(entries: readonly unknown[]): readonly unknown[] {
  return entries.flat(Number.POSITIVE_INFINITY)
}

/** Whether an entry is a class whose instances are interceptors. All other functions are Express middlewares. */
export function isInterceptorClass(entry: unknown): boolean {
  return typeof entry === 'function' && typeof entry.prototype?.intercept === 'function'
}

/** Whether an entry is an Express middleware. */
export function isMiddleware(entry: UseEntry): entry is RequestHandler {
  return typeof entry === 'function' && !isInterceptorClass(entry)
}

/** Whether an entry is an interceptor itself, and not the token of one. */
export function isInterceptor(entry: unknown): boolean {
  return typeof (entry as { intercept?: unknown } | null)?.intercept === 'function'
}

/** Whether an entry can be the token of an interceptor: a class, an `InjectionToken`, a string or a symbol. */
export function isToken(entry: unknown): entry is InterceptorEntry {
  const isNamed = typeof (entry as { description?: unknown } | null)?.description === 'string'
  return isInterceptorClass(entry) || isNamed || ['string', 'symbol'].includes(typeof entry)
}
