import type { RateLimitPolicy } from '../../contracts/rate-limit.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionNames, unknownNames } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'

/** The maximum integer in a structured header (RFC 9651, 3.3.1). */
const MOST = 999_999_999_999_999

/** The number of seconds from which a multiple of 1000 causes a warning. The author probably meant milliseconds. */
const SUSPICIOUS_FROM = 3600

/** The characters of a structured header string that need no escapes (RFC 9651, 3.3.3). */
const NAME = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/

const NAMES: OptionNames<RateLimitPolicy> = {
  name: true,
  limit: true,
  window: true,
  by: 'sync',
}

/** Checks the limits of one `@RateLimit`; `false` removes all limits. */
export function checkPolicies(policies: readonly RateLimitPolicy[] | false): Problem[] {
  if (policies === false) return []
  if (Array.isArray(policies) && policies.length > 0) {
    return policies.flatMap((policy) => checkPolicy('', policy))
  }
  const remedy = "Write @RateLimit({ limit: 5, window: '15m' }), or @RateLimit(false) for none."
  return [invalid('', 'It has no limit.', remedy)]
}

/** Checks one limit in a decorator or an option. */
export function checkPolicy(subject: string, policy: unknown): Problem[] {
  if (typeof policy !== 'object' || policy === null) {
    return [invalid(subject, `${shown(policy)} is not a limit.`, 'Pass { limit, window }.')]
  }
  const { limit, window, by, name } = policy as Record<keyof RateLimitPolicy, unknown>
  const problems = unknownNames(`${subject} `.trimStart(), policy, NAMES)
  if (!isCount(limit)) {
    const remedy = 'Pass a whole number greater than 0.'
    problems.push(invalid(subject, `Its limit is ${shown(limit)}.`, remedy))
  }
  if (!isWindow(window)) {
    const remedy = "Pass whole seconds, or a string such as '15m'."
    problems.push(invalid(subject, `Its window is ${shown(window)}.`, remedy))
  } else problems.push(...checkUnit(subject, window))
  if (
    !['ip', 'user', 'tenant', 'key', undefined].includes(by as string) &&
    typeof by !== 'function'
  ) {
    const remedy = "Pass 'ip', 'user', 'tenant', 'key', or a function of the request."
    problems.push(invalid(subject, `Its \`by\` is ${shown(by)}.`, remedy))
  }
  if (name !== undefined && !(typeof name === 'string' && NAME.test(name))) {
    const cause = `Its name ${shown(name)} cannot be sent in a header.`
    const remedy = 'Pass 1 to 64 printable ASCII characters without quotes and backslashes.'
    problems.push(invalid(subject, cause, remedy))
  }
  return problems
}

/**
 * Checks the unit of a window. Other libraries specify windows in milliseconds. With such a value, the window and
 * `Retry-After` would be hours long here.
 */
function checkUnit(subject: string, window: unknown): Problem[] {
  if (typeof window !== 'number' || window < SUSPICIOUS_FROM || window % 1000 !== 0) return []
  const hours = Math.round(window / 360) / 10
  return [
    {
      code: 'W_RATE_LIMIT_UNIT',
      subject,
      cause: `Its window is ${window} seconds, which is ${hours} hours.`,
      remedy: `Did you mean '${window / 1000}s'? If not, write '${window}s'.`,
    },
  ]
}

function windowMs({ window }: Pick<RateLimitPolicy, 'window'>): number {
  return Math.round((toSeconds(window) ?? Number.NaN) * 1000)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST
}

/** Whether a window is valid. Response headers and Redis support only whole seconds. */
function isWindow(value: unknown): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false
  const ms = windowMs({ window: value })
  return ms >= 1000 && ms % 1000 === 0 && ms <= MOST
}
