import type { AuthResult } from '../contracts/guard.js'
import type { Request } from '../contracts/handler.js'
import { keyIdOf } from './key-id.js'
import type { BlazonRequest } from './request.js'
import { kAuthResult } from './symbol-fields.js'

/**
 * Returns how the guards let a request in; `undefined` if none did, or if it has neither a name nor `tenantOf`: then there
 * is nothing to note.
 */
export function authResultOf(req: Request): AuthResult | undefined {
  return (req as BlazonRequest)[kAuthResult]
}

/** Notes how the guards let a request in. */
export function noteAuthResult(req: BlazonRequest, result: AuthResult): void {
  req[kAuthResult] = result
}

/**
 * Returns the name in `auth.guards` of the guard that let a request in and decided `req.user`. `undefined` before the guard
 * has decided, on a public route, for a request without credentials on a route with optional auth, and with `auth.guard`,
 * which has no name. In a test, a request of `app.as(user)` was let in by the first guard that the route accepts.
 *
 * @example
 * @Auth('user', 'partner')
 * @Get()
 * list(req: Request) { return schemeOf(req) === 'partner' ? orders.ofPartner(req.user) : orders.of(req.user) }
 */
export function schemeOf(req: Request): string | undefined {
  return (req as BlazonRequest)[kAuthResult]?.scheme
}

/**
 * Returns the name in `auth.guards` of the guard that noted the id of `keyIdOf(req)` for a request; `undefined` without
 * such an id, and with `auth.guard`, which has no name. Ids of keys are unique for their guard only, so data about a
 * key must be stored under both.
 *
 * @example
 * const owner = `${keySchemeOf(req) ?? ''}:${keyIdOf(req)}`
 */
export function keySchemeOf(req: Request): string | undefined {
  return keyIdOf(req) === undefined ? undefined : (req as BlazonRequest)[kAuthResult]?.keyScheme
}
