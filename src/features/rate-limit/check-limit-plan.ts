import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import type { RateLimitSettings } from './limit-settings.js'
import { planLimits } from './plan-limits.js'

/** The settings of an application that its rate limits depend on. */
export interface LimitSurroundings {
  readonly rateLimit: RateLimitSettings
  /** Whether `trustProxy` makes Express trust every proxy, with any address. */
  readonly trustsEveryProxy: boolean
}

/**
 * Returns a problem for each pair of limits that contradict each other, and a warning when clients can evade
 * the limits.
 */
export function checkLimitPlan(
  { rateLimit, trustsEveryProxy }: LimitSurroundings,
  model: AppModel,
): Problem[] {
  const { ofApp, ofRoutes, problems } = planLimits(rateLimit, model)
  const isUsed = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
  if (!isUsed || !trustsEveryProxy) return [...problems]
  return [
    ...problems,
    {
      code: 'W_RATE_LIMIT_FORGEABLE',
      subject: 'trustProxy',
      cause:
        'Express trusts every proxy, so clients can choose the address that they are counted by: they write `X-Forwarded-For` themselves.',
      remedy: 'Give `trustProxy` the number of your proxies, or their addresses.',
    },
  ]
}
