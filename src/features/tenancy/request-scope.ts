import type { TenantScope } from '../../contracts/tenant.js'
import { kTenantScope } from '../../http/symbol-fields.js'

/** The field of a request that holds its scope. */
interface Scoped {
  [kTenantScope]: TenantScope | undefined
}

/** Returns the scope of a request, or of an object that inherits from one; `undefined` until it is known. */
export function scopeOn(req: object): TenantScope | undefined {
  return (req as Scoped)[kTenantScope]
}

/** Sets the scope of a request. All later code of the request runs in it. */
export function setScope(req: object, scope: TenantScope): void {
  ;(req as Scoped)[kTenantScope] = scope
}
