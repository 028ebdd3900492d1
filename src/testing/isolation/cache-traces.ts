import type { CacheWrite } from './overheard-stores.js'
import type { Trace } from './trace.js'

/**
 * What was cached for tenants.
 *
 * @param nameOf Who has a tenant's id.
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
