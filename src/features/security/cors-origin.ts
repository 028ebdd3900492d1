import type { CorsOptions } from 'cors'
import { isThenable } from '../../step/thenable.js'

type Origin = NonNullable<CorsOptions['origin']>
type OriginFunction = Extract<Origin, (...args: never) => unknown>

/**
 * Lets a function of `security.cors.origin` return a promise of its decision in place of a call of the callback, which `cors` would
 * wait for without end.
 */
export function withPromises(origin: OriginFunction): OriginFunction {
  return (requested, callback) => {
    let hasDecided = false
    const decide: typeof callback = (error, allowed) => {
      if (hasDecided) return
      hasDecided = true
      callback(error, allowed)
    }
    const made: unknown = origin(requested, decide)
    if (!isThenable(made)) return
    made.then(
      (allowed) => {
        // An `async` function that takes the callback may call it after its end.
        if (allowed === undefined && origin.length > 1) return
        const error = allowed === undefined ? undecided() : null
        decide(error, allowed as Parameters<typeof callback>[1])
      },
      (error) => decide(error as Error),
    )
  }
}

function undecided(): Error {
  return new Error(
    'security.cors.origin has returned a promise of nothing: return whether the origin is allowed, or call the callback.',
  )
}
