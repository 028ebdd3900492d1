import { authGroup } from '../app/settings/auth-options.js'
import { tenantGroup } from '../features/tenancy/tenant-options.js'
import { versionGroup } from '../features/versions/version-options.js'
import type { CallerLink } from './test-caller.js'
import type { TestOptions } from './test-options.js'

/** Facts about an application for callers: how its requests name a tenant, and where guards find credentials. */
export interface CallerFacts
  extends Pick<CallerLink, 'tenantHeader' | 'confirmsTenants' | 'credentials' | 'versions'> {
  /** The header that the application itself reads; `null` without the `tenant` option. */
  readonly ownTenantHeader: string | null
}

/** Reads the options of an application under test. */
export function callerFacts({ auth, tenant, versions: by }: TestOptions): CallerFacts {
  const { guards, credentials } = authGroup.resolve(auth)
  // The default header without a `tenant` option, because middlewares may read it.
  const tenantHeader = tenantGroup.resolve(tenant ?? {})?.header ?? null
  const ownTenantHeader = tenant === undefined ? null : tenantHeader
  const confirms = guards.some(({ confirmsTenant }) => confirmsTenant)
  const confirmsTenants = tenant !== undefined && confirms
  const versions = versionGroup.resolve(by)
  return { tenantHeader, ownTenantHeader, confirmsTenants, credentials, versions }
}
