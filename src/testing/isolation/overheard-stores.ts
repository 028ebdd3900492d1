import type { CacheEntry, CacheStore } from '../../contracts/cache.js'

/** Something that was cached. */
export interface CacheWrite {
  readonly key: string
  readonly entry: CacheEntry
}

/** Passes everything on to the store of an application, whichever that is, and tells what is written while somebody listens. */
export class OverheardStores {
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

  /** Listens from now on. */
  listen(): void {
    this.#writes ??= []
  }

  /** What was written since it was last taken. */
  take(): CacheWrite[] {
    return this.#writes?.splice(0) ?? []
  }

  /** Forgets what is cached. */
  async clear(): Promise<void> {
    for (const store of this.#written) await store.clear()
  }

  /** Stops listening. */
  stop(): void {
    this.#writes = null
  }
}
