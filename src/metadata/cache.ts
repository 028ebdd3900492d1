import type { CacheDecoratorOptions } from '../contracts/cache.js'
import type { DualMethodDecorator } from '../contracts/decorator.js'
import { decorator, refuseBare } from './write.js'

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
  return decorator('@Cache()', { method: { kind: 'cache', options } }) as DualMethodDecorator
}
