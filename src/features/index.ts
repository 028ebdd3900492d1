import type { VersionSettings } from '../contracts/version.js'
import type { OptionGroup } from '../errors/option-group.js'
import type { Feature } from '../step/feature.js'
import { cacheGroup } from './cache/cache-options.js'
import { cache } from './cache/feature.js'
import type { ResolvedCache } from './cache/resolved-cache.js'
import { type CapacitySettings, capacityGroup } from './capacity/capacity-options.js'
import type { CapacitySources } from './capacity/capacity-plugin.js'
import { capacity } from './capacity/feature.js'
import { deprecated } from './deprecated/feature.js'
import { type HealthParts, health } from './health/feature.js'
import { type HealthSettings, healthGroup } from './health/health-options.js'
import { type IdempotencySettings, idempotency } from './idempotency/feature.js'
import { logs } from './logs/feature.js'
import { logsGroup } from './logs/logs-options.js'
import type { RequestLogSettings } from './logs/request-log.js'
import { type MetricsParts, metrics } from './metrics/feature.js'
import { type MetricsSettings, metricsGroup } from './metrics/metrics-options.js'
import { type OutgoingSettings, outgoingGroup } from './outgoing/outgoing-options.js'
import { type PagesParts, pages } from './pages/feature.js'
import { policies } from './policies/feature.js'
import { queryMethod } from './query-method/feature.js'
import { rateLimit } from './rate-limit/feature.js'
import type { RateLimitSettings } from './rate-limit/limit-settings.js'
import { rateLimitGroup } from './rate-limit/rate-limit-options.js'
import { type SecuritySettings, securityGroup } from './security/security-options.js'
import { type TenancySettings, tenancy } from './tenancy/feature.js'
import { versioned } from './versioned/feature.js'
import { versions } from './versions/feature.js'
import { versionGroup } from './versions/version-options.js'

/** The settings of the options that features have, by the names of the options. */
export interface FeatureSettings {
  readonly security: SecuritySettings
  readonly cache: ResolvedCache
  readonly rateLimit: RateLimitSettings
  /** `null` if the number of requests is not limited. */
  readonly capacity: CapacitySettings | null
  /** `null` if requests have no lines. */
  readonly logs: RequestLogSettings | null
  /** `null` without the option. */
  readonly health: HealthSettings | null
  /** `null` if nothing is measured. */
  readonly metrics: MetricsSettings | null
  readonly outgoing: OutgoingSettings
  /** `null` if the API has no versions. */
  readonly versions: VersionSettings | null
}

/** The groups of these options. Their types and docstrings are in `app/settings/app-options.ts`. */
export const FEATURE_GROUPS: {
  readonly [K in keyof FeatureSettings]: OptionGroup<never, FeatureSettings[K]>
} = {
  security: securityGroup,
  cache: cacheGroup,
  rateLimit: rateLimitGroup,
  capacity: capacityGroup,
  logs: logsGroup,
  health: healthGroup,
  metrics: metricsGroup,
  outgoing: outgoingGroup,
  versions: versionGroup,
}

/** The parts of an application that features get when they are loaded. */
export type FeatureParts = CapacitySources & HealthParts & MetricsParts & PagesParts

/**
 * The features, in the order of their steps within one place, the outermost first. The steps of plugins run between
 * those that are `isOutermost` and all others.
 */
export const FEATURES: readonly Feature<
  FeatureSettings & TenancySettings & IdempotencySettings & { readonly trustProxy: unknown },
  FeatureParts
>[] = [
  capacity,
  tenancy,
  rateLimit,
  cache,
  health,
  logs,
  metrics,
  pages,
  policies,
  deprecated,
  idempotency,
  queryMethod,
  versioned,
  versions,
]
