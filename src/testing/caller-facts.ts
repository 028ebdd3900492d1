import { authGroup } from '../app/settings/auth-options.js'
import { tenantGroup } from '../app/settings/tenant-options.js'
import type { CallerLink } from './test-caller.js'
import type { TestOptions } from './test-options.js'

/** What callers have to know about an application: how its requests name a tenant, and where guards find credentials. */
export function callerFacts({
  auth,
  tenant,
}: TestOptions): Pick<CallerLink, 'tenantHeader' | 'confirmsTenants' | 'credentials'> {
  const { guards, credentials } = authGroup.resolve(auth)
  // The default header without a `tenant` option, because middlewares may read it.
  const tenantHeader = tenantGroup.resolve(tenant ?? {})?.header ?? null
  const confirms = guards.some(({ confirmsTenant }) => confirmsTenant)
  return { tenantHeader, confirmsTenants: tenant !== undefined && confirms, credentials }
}
