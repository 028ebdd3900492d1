import type { AuthResult } from '../contracts/guard.js'
import type { Request } from '../contracts/handler.js'
import type { BlazonRequest } from './request.js'
import { kAuthResult, kHasFailed, kIsExpired, kTenantScope } from './symbol-fields.js'

/**
 * Returns the tenant for which a request is allowed to act; `undefined` if there is none. Unlike the result of
 * `getTenantId`, this tenant does not depend on the async context, which callbacks can lose. The tenant is returned
 * only after `tenant.authorize` has allowed it. A step that separates the data of tenants must include the tenant in
 * its keys.
 *
 * @example
 * const key = `${tenantOf(req) ?? ''} ${req.originalUrl}`
 */
export function tenantOf(req: Request): string | undefined {
  return (req as BlazonRequest)[kTenantScope]?.id
}

/**
 * Returns how the guards allowed a request. Returns `undefined` if no guard allowed it, or if the guard has neither a
 * name nor `tenantOf`, so that there is nothing to record.
 */
export function authResultOf(req: Request): AuthResult | undefined {
  return (req as BlazonRequest)[kAuthResult]
}

/** Records how the guards allowed a request. */
export function noteAuthResult(req: BlazonRequest, result: AuthResult): void {
  req[kAuthResult] = result
}

/**
 * Returns the name, in `auth.guards`, of the guard that allowed a request and determined `req.user`. Returns
 * `undefined` before the guard has decided, on a public route, for a request without credentials on a route with
 * optional auth, and with `auth.guard`, which has no name. In a test, a request from `app.as(user)` counts as allowed
 * by the first guard that the route accepts.
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
 * Returns the name, in `auth.guards`, of the guard that stored the key ID of a request (`keyIdOf(req)`). Returns
 * `undefined` if there is no key ID, and with `auth.guard`, which has no name. Key IDs are unique only within their
 * guard, so data about a key must be stored under both.
 *
 * @example
 * const owner = `${keySchemeOf(req) ?? ''}:${keyIdOf(req)}`
 */
export function keySchemeOf(req: Request): string | undefined {
  return keyIdOf(req) === undefined ? undefined : (req as BlazonRequest)[kAuthResult]?.keyScheme
}

const kKeyId = Symbol('blazon.keyId')

/**
 * Stores the ID of the key with which a guard allowed a request. Limits with `by: 'key'` count requests by this ID. The
 * ID must not be secret, because rate limit stores and logs receive it. Any guard can call this function; `apiKeys`
 * does.
 *
 * @example
 * if (known !== undefined) setKeyId(req, known.id)
 */
export function setKeyId(req: Request, id: string): void {
  const keyed = req as { [kKeyId]?: string }
  keyed[kKeyId] = id
}

/** Replaces the ID of a key, or removes it. Returns the previous ID. */
export function replaceKeyId(req: Request, id: string | undefined): string | undefined {
  const before = keyIdOf(req)
  const keyed = req as { [kKeyId]?: string | undefined }
  // Most requests have no key ID, and writing `undefined` would create the property.
  if (before !== id) keyed[kKeyId] = id
  return before
}

/** Returns the ID that a guard stored with {@link setKeyId}; `undefined` if there is none. */
export function keyIdOf(req: Request): string | undefined {
  return (req as { readonly [kKeyId]?: string })[kKeyId]
}

/**
 * Removes the guards' result and the key ID from a request. Guards of another application, or guards before a router,
 * must not decide about the following steps.
 *
 * @returns a function that restores both; `null` if the request had neither.
 */
export function takeAuthResult(req: BlazonRequest): (() => void) | null {
  const { [kAuthResult]: result } = req
  const key = replaceKeyId(req, undefined)
  // Writing `undefined` would create the property.
  if (result !== undefined) Object.assign(req, { [kAuthResult]: undefined })
  if (result === undefined && key === undefined) return null
  return () => {
    Object.assign(req, { [kAuthResult]: result })
    replaceKeyId(req, key)
  }
}

/**
 * Whether a request has failed: it was refused, its handler threw, or the handler timeout or a late error ended it. The
 * response to such a request does not come from its handler. A step that saves work when a response is sent must check
 * this first.
 *
 * @example
 * const isSaved = res.statusCode < 500 && !hasFailed(req)
 */
export function hasFailed(req: Request): boolean {
  const { [kHasFailed]: isFailed, [kIsExpired]: isExpired } = req as BlazonRequest
  return isFailed || isExpired
}
