import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { OnFailure } from './compose-error-middlewares.js'

/** Runs what becomes of an error in the scope of its request, wherever it was passed on. */
export function scopedErrors(scopes: RequestScopes | null, onError: OnFailure): OnFailure {
  if (scopes === null) return onError
  return function onScopedError(error, req, res, origin) {
    inScopeOf(scopes, req, () => onError(error, req, res, origin))
  }
}

/** Runs what a timer does for a request in the scope of that request. */
export function inScopeOf(scopes: RequestScopes | null, req: BlazonRequest, fn: () => void): void {
  const scope = scopes?.of(req)
  if (scopes === null || scope === undefined) fn()
  else scopes.run(scope, fn)
}
