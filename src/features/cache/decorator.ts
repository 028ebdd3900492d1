import type { CacheDecoratorOptions } from '../../contracts/cache.js'
import type { DualMethodDecorator } from '../../contracts/decorator.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { defineOption } from '../../metadata/option.js'
import { checkOptions } from './decorator-options.js'

const option = defineOption<CacheDecoratorOptions, 'method'>('Cache', {
  on: 'method',
  check: checkOptions,
})

/**
 * Caches the responses of a read-only route. Later requests with the same key receive the cached response until `ttl`
 * has passed. The cache is read after the guard. A request that specifies a tenant receives only responses that were
 * created for that tenant.
 *
 * @param options `ttl`: seconds, or a string with a unit. `key`: needed if the handler reads a value that the default
 * key does not contain.
 * @example
 * @Cache({ ttl: '5m', key: (req) => `products:${req.query.page ?? 1}`, tags: ['products'] })
 * @Get()
 * list(req: Request) { return products.page(req.query.page) }
 */
export function Cache(options: CacheDecoratorOptions): DualMethodDecorator
export function Cache(...[options, ...rest]: [CacheDecoratorOptions]): DualMethodDecorator {
  return option(...([options, ...rest] as [CacheDecoratorOptions]))
}

/**
 * Returns the options of a route's `@Cache`; `undefined` without `@Cache`.
 *
 * @example
 * const isShared = cacheOf(route)?.shared === true
 */
export function cacheOf(route: Pick<RouteModel, 'option'>): CacheDecoratorOptions | undefined {
  return route.option(option)
}
