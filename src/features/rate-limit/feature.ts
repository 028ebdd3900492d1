import type { RateLimitPolicy } from '../../contracts/rate-limit.js'
import type { ContractOf } from '../../contracts/route-contract.js'
import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { type Feature, isOwnStore } from '../../step/feature.js'
import { RateLimit } from './decorator.js'
import { isLimited, planLimits } from './plan-limits.js'
import type { RateLimitSettings } from './rate-limit-options.js'

export type { RateLimitSettings } from './rate-limit-options.js'
export { rateLimitGroup } from './rate-limit-options.js'

interface Settings {
  readonly rateLimit: RateLimitSettings
  readonly trustProxy: unknown
}

/** The `rateLimit` option and `@RateLimit`. The steps have their own places in the route. */
export const rateLimit: Feature<Settings> = {
  name: 'rateLimit',
  routeOptions: {
    rateLimit: (given) => RateLimit(...([given].flat() as [RateLimitPolicy])),
  },
  compare: ({ settings: { rateLimit, trustProxy }, model }) =>
    checkLimitPlan({ rateLimit, trustsEveryProxy: trustProxy === true }, model),
  keptByWorker({ settings: { rateLimit }, model }, workers) {
    const { ofApp, ofRoutes } = planLimits(rateLimit, model)
    const isUsed = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
    if (!isUsed || !isOwnStore(rateLimit.store)) return null
    const effect = `a client can send up to ${workers} times as many requests as a limit allows.`
    return { subject: 'rateLimit', effect }
  },
  contract: ({ rateLimit }) => limitResponses(rateLimit),
  facts: ({ rateLimit }) => limitFacts(rateLimit),
}

interface LimitSurroundings {
  readonly rateLimit: RateLimitSettings
  /** Whether `trustProxy` makes Express trust every proxy at any address. */
  readonly trustsEveryProxy: boolean
}

/** Returns a problem for each conflict between limits, and a warning if clients can evade the limits. */
function checkLimitPlan(
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
        'Express trusts every proxy, so clients can choose the address by which they are counted: they can send any `X-Forwarded-For`.',
      remedy: 'Set `trustProxy` to the number of your proxies, or to their addresses.',
    },
  ]
}

function limitResponses(settings: RateLimitSettings): ContractOf {
  return (route) => (isLimited(route, settings) ? { errors: [429] } : null)
}

/** Returns a string that changes whenever the settings change the result of `limitResponses`. */
function limitFacts({ isOff, policies }: RateLimitSettings): string {
  if (isOff) return 'off'
  return policies.length > 0 ? 'all' : 'stated'
}
