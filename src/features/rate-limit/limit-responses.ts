import type { ContractOf } from '../../contracts/route-contract.js'
import type { RateLimitSettings } from './limit-settings.js'
import { isLimited } from './plan-limits.js'

/** Adds the response 429 to the OpenAPI operations of limited routes. */
export function limitResponses(settings: RateLimitSettings): ContractOf {
  return (route) => (isLimited(route, settings) ? { errors: [429] } : null)
}

/** Returns a text for all facts outside the model that the result of `limitResponses` depends on. */
export function limitFacts({ isOff, policies }: RateLimitSettings): string {
  if (isOff) return 'off'
  return policies.length > 0 ? 'all' : 'stated'
}
