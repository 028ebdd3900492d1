import type { MaybePromise } from '../../contracts/cache.js'
import { type Clock, InjectionToken } from '../../di/token.js'
import { TenantDirectory, type Verdict } from './tenant-directory.js'
import type { TenantSourceSettings } from './tenant-settings.js'

/**
 * Returns the state of a tenant, as `tenant.store` reports it. Without a store, every tenant is active.
 *
 * @throws HttpError 503 when the store fails.
 */
export type TenantStates = (id: string) => MaybePromise<'active' | 'suspended' | 'unknown'>

/**
 * The token of the function that returns the state of a tenant, for work outside of requests: requests of a suspended
 * tenant are refused before a route.
 *
 * @example
 * const stateOf = inject(TenantStates)
 * if ((await stateOf('acme')) === 'active') await sendReport()
 */
export const TenantStates: InjectionToken<TenantStates> = new InjectionToken<TenantStates>(
  'TenantStates',
)

/** Creates the function. */
export function tenantStates(settings: TenantSourceSettings | null, clock: Clock): TenantStates {
  if (settings?.store == null) return () => 'active'
  const directory = new TenantDirectory(settings.store, settings, clock)
  return (id): MaybePromise<Verdict> => directory.find(id)
}
