import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { OnFailure } from './compose-error-middlewares.js'

/** Runs the handling of an error in the scope of its request, wherever the error was passed on. */
export function scopedErrors(scopes: RequestScopes | null, onError: OnFailure): OnFailure {
  if (scopes === null) return onError
  return function onScopedError(error, req, res, origin) {
    inScopeOf(scopes, req, () => onError(error, req, res, origin))
  }
}

/** Runs a function in the scope of a request. Timers use it. */
export function inScopeOf(scopes: RequestScopes | null, req: BlazonRequest, fn: () => void): void {
  const scope = scopes?.of(req)
  if (scopes === null || scope === undefined) fn()
  else scopes.run(scope, fn)
}
