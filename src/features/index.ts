import type { OptionGroup } from '../errors/option-group.js'
import type { Feature } from '../step/feature.js'
import { cache, cacheGroup, type ResolvedCache } from './cache/feature.js'
import {
  type CapacitySettings,
  type CapacitySources,
  capacity,
  capacityGroup,
} from './capacity/feature.js'
import { deprecated } from './deprecated/feature.js'
import { type HealthParts, type HealthSettings, health, healthGroup } from './health/feature.js'
import {
  type IdempotencySettings,
  type IdempotencySources,
  idempotency,
} from './idempotency/feature.js'
import { logs, logsGroup, type RequestLogSettings } from './logs/feature.js'
import {
  type MetricsParts,
  type MetricsSettings,
  metrics,
  metricsGroup,
} from './metrics/feature.js'
import { type OutgoingSettings, outgoing, outgoingGroup } from './outgoing/feature.js'
import { type PagesParts, pages } from './pages/feature.js'
import { policies } from './policies/feature.js'
import { queryMethod } from './query-method/feature.js'
import { type RateLimitSettings, rateLimit, rateLimitGroup } from './rate-limit/feature.js'
import { type SecuritySettings, securityGroup } from './security/security-options.js'
import { type TenancySettings, tenancy } from './tenancy/feature.js'
import { versioned } from './versioned/feature.js'
import { type VersionSettings, versionGroup, versions } from './versions/feature.js'

/** The settings of the feature options, by option name. */
export interface FeatureSettings {
  readonly security: SecuritySettings
  readonly cache: ResolvedCache
  readonly rateLimit: RateLimitSettings
  /** `null` if the number of concurrent requests is not limited. */
  readonly capacity: CapacitySettings | null
  /** `null` if requests are not logged. */
  readonly logs: RequestLogSettings | null
  /** `null` if the option is not set. */
  readonly health: HealthSettings | null
  /** `null` if metrics are off. */
  readonly metrics: MetricsSettings | null
  readonly outgoing: OutgoingSettings
  /** `null` if the API has no versions. */
  readonly versions: VersionSettings | null
}

/** The option groups of the features. Their types and docstrings are in `app/settings/app-options.ts`. */
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

/** The parts of an application that features receive when they are loaded. */
export type FeatureParts = CapacitySources &
  HealthParts &
  IdempotencySources &
  MetricsParts &
  PagesParts

/**
 * The features. At each place, their steps run in this order, the outermost first. Plugin steps run after the steps of
 * features with `isOutermost` and before the steps of all other features. Features without `load` have places of their
 * own in a route (`app/start-features.ts`), or add no steps.
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
  outgoing,
  pages,
  policies,
  deprecated,
  idempotency,
  queryMethod,
  versioned,
  versions,
]
