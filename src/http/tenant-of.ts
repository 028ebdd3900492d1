import type { Request } from '../contracts/handler.js'
import type { BlazonRequest } from './request.js'
import { kTenantScope } from './symbol-fields.js'

/**
 * Returns the tenant that a request may act for; `undefined` if there is none. In contrast to `getTenantId`, the result
 * does not depend on the async context, which callbacks may lose, and it is never a tenant that `tenant.authorize` has
 * not allowed. A step that keeps data of tenants apart puts it into its keys.
 *
 * @example
 * const key = `${tenantOf(req) ?? ''} ${req.originalUrl}`
 */
export function tenantOf(req: Request): string | undefined {
  return (req as BlazonRequest)[kTenantScope]?.id
}
