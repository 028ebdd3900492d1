import type { CacheEntry, CacheStore, StoreContext } from '../../contracts/cache.js'
import type { Size } from '../../contracts/units.js'
import { ConfigError, type Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { toBytes } from '../../http/units.js'
import type { MemoryBounds, MemoryStore } from './memory-store.js'

/** Options of {@link memoryCache}. */
export interface MemoryCacheOptions {
  /** Most entries. Default 10 000. */
  readonly maxEntries?: number
  /** Most bytes of keys, bodies and what is around them. Default `'64mb'`. */
  readonly maxBytes?: Size
  /** The part of both that one tenant may hold as soon as several share the cache, above 0 and at most 1. Default 0.25. */
  readonly tenantShare?: number
}

/**
 * A cache in the memory of this process, which is the default. What is used least goes first; a tenant that is over
 * its share loses its own oldest entries, never those of others.
 *
 * @throws ConfigError for a bound that is none.
 * @example
 * const app = new App({ controllers, cache: { store: memoryCache({ maxBytes: '256mb' }) } })
 */
export function memoryCache(options: MemoryCacheOptions = {}): CacheStore {
  return new MemoryCache(readBounds(options))
}

/** Loads what it is built on when it is opened: an application that caches nothing does not pay for it. */
class MemoryCache implements CacheStore {
  readonly #bounds: MemoryBounds
  #store: MemoryStore | undefined

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds
  }

  async open({ clock }: StoreContext): Promise<void> {
    const { MemoryStore } = await import('./memory-store.js')
    this.#store = new MemoryStore(clock, this.#bounds)
  }

  close(): void {
    this.#store = undefined
  }

  get(key: string): CacheEntry | undefined {
    return this.#opened().get(key)
  }

  set(key: string, entry: CacheEntry, ttlMs: number): void {
    this.#opened().set(key, entry, ttlMs)
  }

  delete(key: string): boolean {
    return this.#opened().delete(key)
  }

  clear(prefix?: string): void {
    this.#opened().clear(prefix)
  }

  versions(tags: readonly string[]): readonly string[] {
    return this.#opened().versions(tags)
  }

  invalidate(tags: readonly string[]): void {
    this.#opened().invalidate(tags)
  }

  #opened(): MemoryStore {
    if (this.#store !== undefined) return this.#store
    throw new Error(
      'memoryCache() is not open. The application opens it; a test without an application calls open().',
    )
  }
}

const DEFAULT_ENTRIES = 10_000
const DEFAULT_BYTES = 64 * 1024 ** 2
const DEFAULT_SHARE = 0.25

function readBounds(options: MemoryCacheOptions): MemoryBounds {
  const { maxEntries = DEFAULT_ENTRIES, tenantShare = DEFAULT_SHARE } = options
  const maxBytes = toBytes(options.maxBytes ?? DEFAULT_BYTES) ?? 0
  const problems: Problem[] = []
  const refuse = (name: keyof MemoryCacheOptions, remedy: string) =>
    problems.push(
      invalid(`memoryCache({ ${name} })`, `${String(options[name])} is not a valid limit.`, remedy),
    )
  if (!(Number.isSafeInteger(maxEntries) && maxEntries > 0)) {
    refuse('maxEntries', 'Give a whole number above 0.')
  }
  if (!(maxBytes > 0)) refuse('maxBytes', "Give bytes above 0, or '64mb'.")
  if (!(typeof tenantShare === 'number' && tenantShare > 0 && tenantShare <= 1)) {
    refuse('tenantShare', 'Give a number above 0 and at most 1.')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { maxEntries, maxBytes, tenantShare }
}
