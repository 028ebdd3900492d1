import type { CacheDecoratorOptions } from '../contracts/cache.js'
import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { RouteLimits } from '../contracts/limits.js'
import type { RateLimitPolicy } from '../contracts/rate-limit.js'
import { classOrMethod, methodOnly, refuseBare } from './write.js'

/**
 * Sets limits for the requests of a class or a method that differ from the application's limits: the size and the
 * nesting of JSON bodies, and the time of the handler. Each field of a decorator on a method replaces the same field of
 * its class; each field on a class replaces the field of its base class.
 *
 * @param limits `body` in bytes or with a unit (`'5mb'`), `depth` as a whole number, `timeout` in seconds or with a
 * unit (`'5s'`), or `false` for no limit. Default of each: the class, else the options `limits` and `timeouts`.
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
 * Limits how many requests the routes of a class, counted together, or the route of one method may get. A limit on a
 * class replaces the `rateLimit` option; a limit on a method replaces the limit of its class. A request over the limit
 * is refused with 429.
 *
 * @param policies One limit or several; a request must satisfy all of them.
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
  return classOrMethod('@RateLimit()', { kind: 'rateLimit', policies })
}

/**
 * Caches the responses of a route that only reads, and sends them to later requests with the same key until `ttl`
 * has passed. The cache is read after the guard. A request that names a tenant only receives responses that were
 * made for that tenant.
 *
 * @param options `ttl` in seconds, or a string with a unit; `key`, for everything else that the handler reads.
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
