import type { OperationContributor } from '../../contracts/openapi.js'
import type { RateLimitOptions } from '../../contracts/rate-limit.js'
import { appPolicies, isLimited } from './plan-limits.js'

/** What limits add to the document: the 429 of the routes that have some. */
export function limitAnswers(option: boolean | RateLimitOptions | undefined): OperationContributor {
  return (route) => (isLimited(route, option) ? { errors: [429] } : null)
}

/** Everything beside the model that `limitAnswers` depends on. */
export function limitFacts(option: boolean | RateLimitOptions | undefined): string {
  if (option === false) return 'off'
  return appPolicies(option).length > 0 ? 'all' : 'stated'
}
