import type { Feature } from '../../step/feature.js'
import { checkLimitPlan } from './check-limit-plan.js'
import { limitFacts, limitResponses } from './limit-responses.js'
import type { RateLimitSettings } from './limit-settings.js'

interface Settings {
  readonly rateLimit: RateLimitSettings
  readonly trustProxy: unknown
}

/** The option `rateLimit`, and `@RateLimit`. Its steps have places of their own. */
export const rateLimit: Feature<Settings> = {
  name: 'rateLimit',
  compare: ({ settings: { rateLimit, trustProxy }, model }) =>
    checkLimitPlan({ rateLimit, trustsEveryProxy: trustProxy === true }, model),
  contract: ({ rateLimit }) => limitResponses(rateLimit),
  facts: ({ rateLimit }) => limitFacts(rateLimit),
}
