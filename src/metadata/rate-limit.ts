import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { RateLimitPolicy } from '../contracts/rate-limit.js'
import { decorator, refuseBare } from './write.js'

/**
 * Limits how many requests the routes of a class, counted together, or the route of one method may get. A limit on a
 * class replaces the `rateLimit` option; a limit on a method replaces the limit of its class. A request over the limit
 * is refused with 429.
 *
 * @param policies One limit or several; a request must be within each of them.
 * @example
 * @RateLimit({ limit: 5, window: '15m' })
 * @Post('login')
 * login(req: Request) { return sessions.open(req.body) }
 */
export function RateLimit(
  ...policies: readonly [RateLimitPolicy, ...RateLimitPolicy[]]
): DualClassOrMethodDecorator
/**
 * Removes all limits from the routes of a class, or from one method: also limits of the class and of the `rateLimit`
 * option.
 *
 * @param off `false`.
 * @example
 * @RateLimit(false)
 * @Get('health')
 * health() {}
 */
export function RateLimit(off: false): DualClassOrMethodDecorator
export function RateLimit(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@RateLimit', args[0], args[1])
  const isOff = args.length === 1 && args[0] === false
  const policies = isOff ? false : (args as readonly RateLimitPolicy[])
  const fact = { kind: 'rateLimit', policies } as const
  return decorator('@RateLimit()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}
