import type { CacheWrite } from './recorded-stores.js'
import type { Trace } from './trace.js'

/**
 * Lists the texts of cache entries that were written for a tenant.
 *
 * @param nameOf Returns the name of the side with a tenant id.
 */
export function cacheTraces(
  writes: readonly CacheWrite[],
  nameOf: (id: string) => string | undefined,
): Trace[] {
  return writes.flatMap(({ key, entry }): Trace[] => {
    const { owner: id, body, headers } = entry
    const owner = id === null ? undefined : nameOf(id)
    if (owner === undefined) return []
    const text = typeof body === 'string' ? body : Buffer.from(body).toString()
    return [
      { kind: 'cache', owner, text: key, where: 'its key' },
      { kind: 'cache', owner, text: headers.join('\n'), where: 'its headers' },
      { kind: 'cache', owner, text, where: 'its body' },
    ]
  })
}
