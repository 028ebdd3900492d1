import type { DualClassOrMethodDecorator } from '../../contracts/decorator.js'
import type { RateLimitPolicy } from '../../contracts/rate-limit.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { defineOption } from '../../metadata/option.js'
import { checkPolicies } from './policy-options.js'

const option = defineOption<readonly RateLimitPolicy[] | false>('RateLimit', {
  check: checkPolicies,
})

/**
 * Limits the number of requests for the routes of a class (in total), or for the route of one method. A limit on a
 * class replaces the `rateLimit` option. A limit on a method replaces the limit on the class. A request above the limit
 * is refused with a 429 response.
 *
 * @param policies One or more limits. A request must satisfy all of them.
 * @example
 * @RateLimit({ limit: 5, window: '15m' })
 * @Post('login')
 * login(req: Request) { return sessions.open(req.body) }
 */
export function RateLimit(
  ...policies: readonly [RateLimitPolicy, ...RateLimitPolicy[]]
): DualClassOrMethodDecorator
/**
 * Removes all rate limits from the routes of a class, or from one method, including the limits on the class and in the
 * `rateLimit` option.
 *
 * @param off `false`.
 * @example
 * @RateLimit(false)
 * @Get('health')
 * health() {}
 */
export function RateLimit(off: false): DualClassOrMethodDecorator
export function RateLimit(...args: readonly unknown[]): DualClassOrMethodDecorator {
  // Throws for `@RateLimit` without parentheses, whose arguments are the class or the method.
  option(...(args as [false]))
  const isOff = args.length === 1 && args[0] === false
  return option(isOff ? false : (args as readonly RateLimitPolicy[]))
}

/** The limits that a route or its class declares. */
export interface RateLimitsOfRoute {
  /** The limits; a request must satisfy all of them. Empty for `@RateLimit(false)`. */
  readonly policies: readonly RateLimitPolicy[]
  /** Whether the decorator is on the class; if so, all routes of the class share the counters. */
  readonly isOfClass: boolean
}

/**
 * Returns the limits of `@RateLimit` on a route or its class; `null` without the decorator, so that the limits of the
 * application apply.
 *
 * @example
 * const isLimited = (rateLimitsOf(route)?.policies ?? ofApp).length > 0
 */
export function rateLimitsOf(
  route: Pick<RouteModel, 'option' | 'options'>,
): RateLimitsOfRoute | null {
  const policies = route.option(option)
  if (policies === undefined) return null
  const isOfClass = route.options.some(({ value, isOfClass }) => value === policies && isOfClass)
  return { policies: policies === false ? [] : policies, isOfClass }
}
