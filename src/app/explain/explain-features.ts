import type { RouteModel } from '../../contracts/route-model.js'
import { isCached, lifetimeOf } from '../../features/cache/build-cache.js'
import type { PlannedLimit } from '../../features/rate-limit/plan-limits.js'
import {
  isAuthorized,
  needsTenant,
  runsWithoutTenant,
  usesTenants,
} from '../../features/tenancy/build-tenancy.js'
import type { TenantSettings } from '../../features/tenancy/tenant-settings.js'
import type { ReadApp } from './explain-steps.js'
import type { ExplainedCache, ExplainedLimit, ExplainedTenant } from './explanation.js'
import { nameOf } from './name-of.js'

/** Where requests of a route get their tenant from; `null` if requests have no tenants. */
export function explainTenant(
  route: RouteModel,
  { settings: { tenant }, model }: ReadApp,
): ExplainedTenant | null {
  if (!usesTenants(tenant, model)) return null
  return {
    sources: tenant === null ? [] : sourcesOf(tenant),
    isRequired: needsTenant(route, tenant),
    isAuthorized: isAuthorized(route, tenant),
    isConfirmed: tenant !== null && tenant.store !== null,
    isIgnored: runsWithoutTenant(route, tenant),
  }
}

/** In the order in which `compileIdentify` asks them. */
function sourcesOf({ header, jwtClaim, strategies, guards }: TenantSettings): string[] {
  return [
    ...(header === null ? [] : [`header ${header}`]),
    ...(jwtClaim === null ? [] : [`claim ${jwtClaim} of the bearer token`]),
    ...strategies.map((strategy) => `strategy ${nameOf(strategy)}`),
    ...(guards.some(({ confirmsTenant }) => confirmsTenant) ? ['verified credential'] : []),
  ]
}

/** The rate limits of a route. */
export function explainLimits(
  { limits: stated }: RouteModel,
  limits: readonly PlannedLimit[],
): ExplainedLimit[] {
  const ofRoute = stated?.isOfClass === true ? '@RateLimit of the class' : '@RateLimit'
  return limits.map(({ name, limit, windowMs, by }) => ({
    name,
    limit,
    windowSeconds: windowMs / 1000,
    by: typeof by === 'function' ? `function ${nameOf(by)}` : by,
    from: stated === null ? 'rateLimit' : ofRoute,
  }))
}

/** The options of `@Cache`; `null` if no response of the route is cached. */
export function explainCache(route: RouteModel): ExplainedCache | null {
  if (route.cache === null || !isCached(route)) return null
  const { key, shared = false, tags = [], headers = [] } = route.cache
  const { freshMs, staleMs } = lifetimeOf(route)
  return {
    ttlSeconds: freshMs / 1000,
    staleWhileRevalidateSeconds: staleMs / 1000,
    key: key === undefined ? 'default' : nameOf(key),
    isShared: shared,
    tags: typeof tags === 'function' ? [nameOf(tags)] : tags,
    headers,
  }
}
