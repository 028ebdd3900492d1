import type { OperationContributor } from '../../contracts/openapi.js'
import { isLimited } from './plan-limits.js'
import type { RateLimitSettings } from './rate-limit-options.js'

/** What limits add to the document: the 429 of the routes that have some. */
export function limitResponses(settings: RateLimitSettings): OperationContributor {
  return (route) => (isLimited(route, settings) ? { errors: [429] } : null)
}

/** Everything beside the model that `limitResponses` depends on. */
export function limitFacts({ isOff, policies }: RateLimitSettings): string {
  if (isOff) return 'off'
  return policies.length > 0 ? 'all' : 'stated'
}
