import type { Metric } from '../../contracts/reports.js'
import type { CacheManager } from './cache-manager.js'

/** The metrics of the cache of an application. */
export function cacheMetrics(manager: Pick<CacheManager, 'stats'>): Metric[] {
  return [
    {
      name: 'cache_reads_total',
      help: 'Reads of the cache, by their result.',
      type: 'counter',
      read: () =>
        Object.entries(manager.stats()).map(([result, value]) => ({ labels: { result }, value })),
    },
  ]
}
