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
        'Every proxy is believed, so clients choose the address they are counted by: `X-Forwarded-For` is theirs to write.',
      remedy: 'Give `trustProxy` the number of your proxies, or their addresses.',
    },
  ]
}
