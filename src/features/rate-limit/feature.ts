import { type Feature, isOwnStore } from '../../step/feature.js'
import { checkLimitPlan } from './check-limit-plan.js'
import { limitFacts, limitResponses } from './limit-responses.js'
import type { RateLimitSettings } from './limit-settings.js'
import { planLimits } from './plan-limits.js'

export type { RateLimitSettings } from './limit-settings.js'
export { rateLimitGroup } from './rate-limit-options.js'

interface Settings {
  readonly rateLimit: RateLimitSettings
  readonly trustProxy: unknown
}

/** The option `rateLimit`, and `@RateLimit`. Its steps have places of their own. */
export const rateLimit: Feature<Settings> = {
  name: 'rateLimit',
  compare: ({ settings: { rateLimit, trustProxy }, model }) =>
    checkLimitPlan({ rateLimit, trustsEveryProxy: trustProxy === true }, model),
  keptByWorker({ settings: { rateLimit }, model }, workers) {
    const { ofApp, ofRoutes } = planLimits(rateLimit, model)
    const isUsed = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
    if (!isUsed || !isOwnStore(rateLimit.store)) return null
    const effect = `a client may send up to ${workers} times as many requests as a limit allows.`
    return { subject: 'rateLimit', effect }
  },
  contract: ({ rateLimit }) => limitResponses(rateLimit),
  facts: ({ rateLimit }) => limitFacts(rateLimit),
}
