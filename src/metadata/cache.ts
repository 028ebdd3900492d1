import type { CacheOptions } from '../contracts/cache.js'
import type { DualMethodDecorator } from '../contracts/decorator.js'
import { decorator, refuseBare } from './write.js'

/**
 * Keeps the answers of a route that reads, and gives them to whoever asks the same until their time has passed (specification
 * sections 4.5 and 4.9). The cache is asked after the guard; a request that names a tenant is only given what was made for that tenant.
 *
 * @param options `ttl` in seconds, or a string with a unit; `key`, for what else the handler looks at.
 * @example
 * @Cache({ ttl: '5m', key: (req) => `products:${req.query.page ?? 1}`, tags: ['products'] })
 * @Get()
 * list(req: Request) { return products.page(req.query.page) }
 */
export function Cache(options: CacheOptions): DualMethodDecorator
export function Cache(options: CacheOptions, ...rest: unknown[]): DualMethodDecorator {
  refuseBare('@Cache', options, rest[0])
  return decorator('@Cache()', { method: { kind: 'cache', options } }) as DualMethodDecorator
}
