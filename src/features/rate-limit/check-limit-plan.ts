import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { planLimits } from './plan-limits.js'
import type { RateLimitSettings } from './rate-limit-options.js'

/** What limits depend on in an application. */
export interface LimitSurroundings {
  readonly rateLimit: RateLimitSettings
  /** Whether every proxy is believed, whoever it is. */
  readonly trustsEveryProxy: boolean
}

/** Finds limits that contradict each other, and limits that clients can go around. */
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
