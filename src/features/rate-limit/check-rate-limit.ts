import type { RateLimitOptions, RateLimitStore } from '../../contracts/rate-limit.js'
import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { checkPolicy } from '../../model/check-limits.js'
import { appPolicies, planLimits } from './plan-limits.js'

const SUBJECT = 'rateLimit'

/** What is wrong with the `rateLimit` option itself. */
export function checkRateLimit(option: unknown): Problem[] {
  if (option === undefined || typeof option === 'boolean') return []
  if (typeof option !== 'object' || option === null || Array.isArray(option)) {
    return [invalid(SUBJECT, `It is ${String(option)}.`, 'Give true, false, or { limit, window }.')]
  }
  const options = option as RateLimitOptions
  return [...checkStore(options.store), ...checkPolicies(options)]
}

function checkPolicies(options: RateLimitOptions): Problem[] {
  const { policies, store: _, ...stated } = options
  if (policies === undefined) {
    // Their names are looked at with those of all options.
    return appPolicies(options)
      .flatMap((policy) => checkPolicy(SUBJECT, policy))
      .filter(({ code }) => code !== 'W_OPTION_UNKNOWN')
  }
  if (!Array.isArray(policies)) {
    return [invalid(`${SUBJECT}.policies`, 'It is not a list.', 'Give an array of limits.')]
  }
  const beside = (['name', 'limit', 'window', 'by'] as const).filter(
    (name) => stated[name] !== undefined,
  )
  const problems = policies.flatMap((policy, i) => checkPolicy(`${SUBJECT}.policies[${i}]`, policy))
  if (beside.length === 0) return problems
  const cause = `Beside \`policies\` stands ${beside.join(', ')}, which describes a limit too.`
  return [...problems, invalid(SUBJECT, cause, 'Put that limit into `policies`.')]
}

function checkStore(store: RateLimitStore | undefined): Problem[] {
  if (store === undefined || typeof (store as Partial<RateLimitStore>)?.consume === 'function') {
    return []
  }
  const cause = 'It has no method consume.'
  return [
    invalid(
      `${SUBJECT}.store`,
      cause,
      'Give memoryRateLimit(), redisLimits(…), or a RateLimitStore of your own.',
    ),
  ]
}

/** What of an application that limits depend on. */
export interface LimitSurroundings {
  readonly rateLimit?: boolean | RateLimitOptions
  readonly trustProxy?: boolean | number | string | readonly string[]
}

/** What is wrong with limits as they relate to each other, and to what is believed of addresses. */
export function checkLimitPlan(
  { rateLimit, trustProxy }: LimitSurroundings,
  model: AppModel,
): Problem[] {
  const { ofApp, ofRoutes, problems } = planLimits(rateLimit, model)
  const isUsed = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
  if (!isUsed || trustProxy !== true) return [...problems]
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

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
