import type { CacheDecoratorOptions } from '../../contracts/cache.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { toSeconds } from '../../http/units.js'
import { writtenAs } from '../../model/facts-by-kind.js'
import { type Feature, isOwnStore } from '../../step/feature.js'
import type { ResolvedCache } from './cache-options.js'
import { Cache, cacheOf } from './decorator.js'

export type { ResolvedCache } from './cache-options.js'
export { cacheGroup } from './cache-options.js'

interface Settings {
  readonly cache: ResolvedCache
}

/** The `cache` option and `@Cache`. The cache step has its own place in the route. */
export const cache: Feature<Settings> = {
  name: 'cache',
  routeOptions: { cache: (given) => Cache(given as CacheDecoratorOptions) },
  check: checkCache,
  keptByWorker({ settings, model }) {
    const isUsed = model.routes.some((route) => cacheOf(route) !== undefined)
    if (!isUsed || !isOwnStore(settings.cache.store)) return null
    const effect =
      'each worker fills its own cache, and invalidateTags() in one worker does not affect the others.'
    return { subject: 'cache', effect }
  },
}

/**
 * The methods that `@Cache` supports. `@All` routes also handle read requests, and their other requests bypass the
 * cache.
 */
const READS = ['GET', 'QUERY', 'HEAD', 'ALL']

function checkCache(route: RouteModel): Problem[] {
  const options = cacheOf(route)
  if (options === undefined) return []
  const isKept = toSeconds(options.ttl) !== 0
  return [
    ...checkMethod(route),
    ...(isKept ? checkBody(route) : []),
    ...(route.stream === null ? [] : [cachedStream(route.name)]),
  ]
}

function checkMethod({ name: subject, method }: RouteModel): Problem[] {
  if (READS.includes(method)) return []
  return [
    {
      code: 'E_CACHE_METHOD',
      subject,
      cause: `It has @Cache and handles ${method}: a request that changes something must reach its handler.`,
      remedy: 'Use @Cache only on methods that handle GET or QUERY.',
    },
  ]
}

/**
 * Reports `@Cache` on a route that reads a body. The cache is read before the body, so even a custom key cannot contain
 * the body. `QUERY` routes are allowed, because their keys contain a digest of the body.
 */
function checkBody(route: RouteModel): Problem[] {
  const { name: subject, method, inputs, bodies, upload, webhook, parameters } = route
  if (webhook !== null) return [cachedWebhook(subject)]
  const isDescribed = inputs.body !== null || bodies !== null
  const isRead = isDescribed || parameters?.some(({ source }) => source === 'body') === true
  if (upload === null && (!isRead || method === 'QUERY')) return []
  return [
    {
      code: 'E_CACHE_BODY',
      subject,
      cause: `It has @Cache and ${writtenAs(route, 'body')}: the cache is read before the body, so a request could receive the response to a request with another body.`,
      remedy:
        'Read the input from the URL, with @Query; or remove @Cache and cache the value with CacheManager.getOrSet(), under a key built from the validated body.',
    },
  ]
}

function cachedStream(subject: string): Problem {
  return {
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: 'It is a stream and has @Cache: a cache cannot store a stream, which may never end.',
    remedy: 'Remove @Cache.',
  }
}

/**
 * Reports `@Cache` on a webhook route. The signature covers the body, so it is verified only after the cache has been
 * read.
 */
function cachedWebhook(subject: string): Problem {
  return {
    code: 'E_CACHE_BODY',
    subject,
    cause:
      'It has @Cache and @Webhook: the cache is read before the signature is verified, so an unsigned request would receive the response to a signed one.',
    remedy: 'Remove @Cache.',
  }
}
