import type { CacheEntry, CacheStore } from '../../contracts/cache.js'

/** A cache entry that was written. */
export interface CacheWrite {
  readonly key: string
  readonly entry: CacheEntry
}

/**
 * Wraps the cache stores of an application: every call is passed to the real store, and writes are recorded between
 * `start` and `stop`.
 */
export class RecordedStores {
  #writes: CacheWrite[] | null = null
  readonly #written: Set<CacheStore> = new Set()

  readonly wrap = (store: CacheStore): CacheStore => ({
    get: (key) => store.get(key),
    ...(store.getTagged !== undefined && {
      getTagged: (key: string, tags: readonly string[]) =>
        (store as Required<CacheStore>).getTagged(key, tags),
    }),
    set: (key, entry, ttlMs) => {
      this.#writes?.push({ key, entry })
      this.#written.add(store)
      return store.set(key, entry, ttlMs)
    },
    delete: (key) => store.delete(key),
    clear: (prefix) => store.clear(prefix),
    versions: (tags) => store.versions(tags),
    invalidate: (tags) => store.invalidate(tags),
    open: (context) => store.open?.(context),
    close: () => store.close?.(),
  })

  /** Starts recording. */
  start(): void {
    this.#writes ??= []
  }

  /** Returns the writes since the last call. */
  take(): CacheWrite[] {
    return this.#writes?.splice(0) ?? []
  }

  /** Empties every store to which entries were written. */
  async clear(): Promise<void> {
    for (const store of this.#written) await store.clear()
  }

  /** Stops recording. */
  stop(): void {
    this.#writes = null
  }
}

/** A string that was logged or cached for a tenant. */
export interface Trace {
  readonly kind: 'log' | 'cache'
  /** The name of a side. */
  readonly owner: string
  readonly text: string
  /** The place: `the message “…”`, `the key …`. */
  readonly where: string
}

/**
 * Lists the strings in cache entries that were written for a tenant.
 *
 * @param nameOf Returns the name of the side with a tenant ID.
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
