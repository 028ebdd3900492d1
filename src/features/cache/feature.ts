import { type Feature, isOwnStore } from '../../step/feature.js'
import type { ResolvedCache } from './cache-options.js'

export type { ResolvedCache } from './cache-options.js'
export { cacheGroup } from './cache-options.js'

interface Settings {
  readonly cache: ResolvedCache
}

/** The `cache` option and `@Cache`. The cache step has its own place in the route. */
export const cache: Feature<Settings> = {
  name: 'cache',
  keptByWorker({ settings, model }) {
    const isUsed = model.routes.some((route) => route.cache !== null)
    if (!isUsed || !isOwnStore(settings.cache.store)) return null
    const effect =
      'each worker fills its own cache, and invalidateTags() in one worker does not affect the others.'
    return { subject: 'cache', effect }
  },
}
