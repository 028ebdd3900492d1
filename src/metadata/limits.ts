import type { CacheDecoratorOptions } from '../contracts/cache.js'
import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { RouteLimits } from '../contracts/limits.js'
import type { RateLimitPolicy } from '../contracts/rate-limit.js'
import { classOrMethod, methodOnly, refuseBare } from './write.js'

/**
 * Sets limits for requests to a class or method, in place of the application's limits: the body size, the nesting of
 * JSON bodies, and the time that a handler can take. A field on a method overrides the same field on the class, and a
 * field on a class overrides the same field on its base class.
 *
 * @param limits `body` in bytes or with a unit (`'5mb'`), `depth` as an integer, `timeout` in seconds or with a unit
 * (`'5s'`), or `false` for no limit. Default for each field: the limit on the class, otherwise the limit in the
 * `limits` and `timeouts` options.
 * @example
 * @Limits({ body: '5mb', timeout: '2m' })
 * @Post('import')
 * import(req: Request) { return imports.start(req.body) }
 */
export function Limits(limits: RouteLimits): DualClassOrMethodDecorator
export function Limits(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Limits', args[0], args[1])
  return classOrMethod('@Limits()', { kind: 'limits', limits: args[0] as RouteLimits })
}

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
  refuseBare('@RateLimit', args[0], args[1])
  const isOff = args.length === 1 && args[0] === false
  const policies = isOff ? false : (args as readonly RateLimitPolicy[])
  return classOrMethod('@RateLimit()', { kind: 'rateLimit', policies })
}

/**
 * Caches the responses of a read-only route. Later requests with the same key receive the cached response until `ttl`
 * has passed. The cache is read after the guard. A request that specifies a tenant receives only responses that were
 * created for that tenant.
 *
 * @param options `ttl` in seconds, or a string with a unit; `key` if the handler reads anything that the default key
 * does not contain.
 * @example
 * @Cache({ ttl: '5m', key: (req) => `products:${req.query.page ?? 1}`, tags: ['products'] })
 * @Get()
 * list(req: Request) { return products.page(req.query.page) }
 */
export function Cache(options: CacheDecoratorOptions): DualMethodDecorator
export function Cache(options: CacheDecoratorOptions, ...rest: unknown[]): DualMethodDecorator {
  refuseBare('@Cache', options, rest[0])
  return methodOnly('@Cache()', { kind: 'cache', options })
}
