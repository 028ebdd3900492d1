import type { RequestHandler } from '../contracts/handler.js'
import type { InterceptorEntry, UseEntry } from '../contracts/interceptor.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { isExpressApp } from '../http/express-routers.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Checks the entries of `@Use` on one class, without its base classes, or on one method. */
export function checkUses(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'use').flatMap(({ entries }) => {
    const flat = flattenEntries(entries)
    if (flat.length === 0) {
      const remedy = 'Pass a middleware or an interceptor, or remove @Use.'
      return [invalid(`${subject} @Use`, 'It has no entries.', remedy)]
    }
    return flat.flatMap((entry, index) => {
      const problem = mistakeIn(entry)
      if (problem === null) return []
      return [invalid(`${subject} @Use[${index}]`, problem.cause, problem.remedy)]
    })
  })
}

interface Mistake {
  readonly cause: string
  readonly remedy: string
}

/** Describes the error in an interceptor entry of `@Use` or of the `interceptors` option. */
export function mistakeInInterceptor(entry: unknown): Mistake | null {
  if (isInterceptor(entry) || isToken(entry)) return null
  const what = entry === null ? 'null' : typeof entry
  return {
    cause: `It is not an interceptor: ${what === 'function' ? 'it is a function without an intercept method' : `its type is ${what}`}.`,
    remedy:
      'Pass an object with intercept(req, next), a class with that method, or a token for either. An undefined entry often results from a circular import.',
  }
}

function mistakeIn(entry: unknown): Mistake | null {
  if (typeof entry !== 'function' || isInterceptorClass(entry)) return mistakeInInterceptor(entry)
  if (isClass(entry)) {
    return {
      cause: `${entry.name} is a class without an intercept(req, next) method.`,
      remedy: 'Add the method, or pass an Express middleware.',
    }
  }
  if (isExpressApp(entry)) {
    return {
      cause:
        'It is an Express application, which would replace the request and the response of the route with its own.',
      remedy: 'Put it into `middlewares`, or pass a router: express.Router().',
    }
  }
  if (entry.length === 4) {
    return {
      cause: 'It is an error middleware (it has four parameters), but errors are not passed to it.',
      remedy:
        'Write an interceptor with try and catch around next(), or put the error middleware into `middlewares`.',
    }
  }
  return null
}

function isClass(entry: { readonly prototype?: unknown }): boolean {
  return /^class\b/.test(Function.prototype.toString.call(entry))
}

/** Flattens the lists in `@Use` at any depth, like Express' `app.use`. */
export function flattenEntries(entries: readonly unknown[]): readonly unknown[] {
  return entries.flat(Number.POSITIVE_INFINITY)
}

/** Whether an entry is a class whose instances are interceptors. All other functions are Express middlewares. */
function isInterceptorClass(entry: unknown): boolean {
  return typeof entry === 'function' && typeof entry.prototype?.intercept === 'function'
}

/** Whether an entry is an Express middleware. */
export function isMiddleware(entry: UseEntry): entry is RequestHandler {
  return typeof entry === 'function' && !isInterceptorClass(entry)
}

/** Whether an entry is an interceptor itself, and not an interceptor's token. */
export function isInterceptor(entry: unknown): boolean {
  return typeof (entry as { intercept?: unknown } | null)?.intercept === 'function'
}

/** Whether an entry can be the token of an interceptor: a class, an `InjectionToken`, a string or a symbol. */
function isToken(entry: unknown): entry is InterceptorEntry {
  const isNamed = typeof (entry as { description?: unknown } | null)?.description === 'string'
  return isInterceptorClass(entry) || isNamed || ['string', 'symbol'].includes(typeof entry)
}
