import type { CacheEntry, CacheStore, StoreContext } from '../../contracts/cache.js'
import type { Size } from '../../contracts/limits.js'
import { ConfigError } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { orStandIn } from '../../errors/stand-in.js'
import { toBytes } from '../../http/units.js'
import type { MemoryBounds, MemoryStore } from './memory-store.js'

/** Options of {@link memoryCache}. */
export interface MemoryCacheOptions {
  /** The maximum number of entries. Default: 10,000. */
  readonly maxEntries?: number
  /**
   * The maximum total size of all entries, including keys and headers: a number of bytes, or a string with a unit.
   * Default: `'64mb'`.
   */
  readonly maxBytes?: Size
  /**
   * The share of both limits that one tenant can use if other tenants, or code without a tenant, also have entries: a
   * number above 0 and at most 1. Default: 0.25.
   */
  readonly tenantShare?: number
}

/**
 * Creates a cache store in the memory of this process. It is the default of `cache.store`. When the store is full, it
 * evicts the least recently used entries. When a tenant exceeds its share, the store evicts the oldest entries of that
 * tenant only.
 *
 * @throws ConfigError at boot, if `maxEntries`, `maxBytes` or `tenantShare` is out of range, or if there is an unknown
 * option.
 * @example
 * const app = new App({ controllers, cache: { store: memoryCache({ maxBytes: '256mb' }) } })
 */
export function memoryCache(options: MemoryCacheOptions = {}): CacheStore {
  return orStandIn(
    () => new MemoryCache(readBounds(options)),
    () => new MemoryCache(readBounds({})),
  )
}

/**
 * The store that `memoryCache` returns. It loads `MemoryStore` and its dependency only when it is opened, so they are
 * never loaded in an application that caches nothing.
 */
class MemoryCache implements CacheStore {
  readonly isShared = false
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
      'memoryCache() is not open. The application opens it at boot. In a test without an application, call open() first.',
    )
  }
}

const NAMES: OptionNames<MemoryCacheOptions> = {
  maxEntries: true,
  maxBytes: true,
  tenantShare: true,
}
const DEFAULT_ENTRIES = 10_000
const DEFAULT_BYTES = 64 * 1024 ** 2
const DEFAULT_SHARE = 0.25

function readBounds(options: MemoryCacheOptions): MemoryBounds {
  const { maxEntries = DEFAULT_ENTRIES, tenantShare = DEFAULT_SHARE } = options
  const maxBytes = toBytes(options.maxBytes ?? DEFAULT_BYTES) ?? 0
  const problems = unknownOptions('memoryCache(): ', options, NAMES)
  const refuse = (name: keyof MemoryCacheOptions, remedy: string) =>
    problems.push({
      code: 'E_OPTION_INVALID',
      subject: `memoryCache({ ${name} })`,
      cause: `${String(options[name])} is not a valid limit.`,
      remedy,
    })
  if (!(Number.isSafeInteger(maxEntries) && maxEntries > 0)) {
    refuse('maxEntries', 'Pass a whole number above 0.')
  }
  if (!(maxBytes > 0))
    refuse('maxBytes', "Pass a number of bytes greater than 0, or a string such as '64mb'.")
  if (!(typeof tenantShare === 'number' && tenantShare > 0 && tenantShare <= 1)) {
    refuse('tenantShare', 'Pass a number above 0 and at most 1.')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { maxEntries, maxBytes, tenantShare }
}
