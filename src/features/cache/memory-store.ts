import { LRUCache } from 'lru-cache'
import type { CacheEntry, CacheStore } from '../../contracts/cache.js'
import type { Clock } from '../../contracts/clock.js'

/** What a memory store may hold. */
export interface MemoryBounds {
  readonly maxEntries: number
  readonly maxBytes: number
  /** The part of both that one owner may hold once there are several, 0 to 1. */
  readonly tenantShare: number
}

/** An entry with what the store must know of it. */
interface Shelved {
  readonly entry: CacheEntry
  readonly expiresAt: number
  readonly size: number
  /** Since it was written, or was last passed over. */
  wasRead: boolean
}

/** What one owner holds: keys, the oldest first. */
interface Holding {
  readonly keys: Set<string>
  bytes: number
}

/** What the objects around an entry take beside its strings: measured at 600 for entries of one owner, 830 where each has its own. */
const OVERHEAD_BYTES = 800

/**
 * Entries in memory. Neither keys nor owners can make it grow past its bounds, and when several owners share it, none of them
 * can push out what the others hold beyond its share.
 */
export class MemoryStore implements CacheStore {
  readonly #clock: Clock
  readonly #bounds: MemoryBounds
  readonly #entries: LRUCache<string, Shelved>
  readonly #holdings = new Map<string | null, Holding>()
  readonly #tags: LRUCache<string, string>
  #lastVersion = 0

  constructor(clock: Clock, bounds: MemoryBounds) {
    this.#clock = clock
    this.#bounds = bounds
    // Its own expiry is not used: it is a millisecond late, and asks for a time that never is 0.
    this.#entries = new LRUCache({
      max: bounds.maxEntries,
      maxSize: bounds.maxBytes,
      dispose: (shelved, key) => this.#forget(shelved, key),
    })
    // A tag that is pushed out gets a new worth when it is next asked for, which outdates its entries: a miss, never an old answer.
    this.#tags = new LRUCache({
      max: bounds.maxEntries,
      maxSize: Math.ceil(bounds.maxBytes / 8),
      sizeCalculation: (_, tag) => OVERHEAD_BYTES + tag.length,
    })
  }

  get(key: string): CacheEntry | undefined {
    const shelved = this.#entries.get(key)
    if (shelved === undefined) return undefined
    if (this.#clock.monotonic() >= shelved.expiresAt) {
      this.#entries.delete(key)
      return undefined
    }
    shelved.wasRead = true
    return shelved.entry
  }

  set(key: string, entry: CacheEntry, ttlMs: number): void {
    const kept = copyOf(entry)
    const size = sizeOf(key, kept)
    const expiresAt = this.#clock.monotonic() + ttlMs
    // Nothing is left of what stood here before, whether or not there is room for this.
    this.#entries.delete(key)
    if (size > this.#mostBytesOf(entry.owner)) return
    const isNew = !this.#holdings.has(entry.owner)
    const holding = this.#holdings.get(entry.owner) ?? { keys: new Set(), bytes: 0 }
    this.#holdings.set(entry.owner, holding)
    holding.keys.add(key)
    holding.bytes += size
    this.#entries.set(key, { entry: kept, expiresAt, size, wasRead: false }, { size })
    if (this.#holdings.size < 2) return
    // Who was alone until now may hold everything.
    const crowded = isNew && this.#holdings.size === 2 ? [...this.#holdings.values()] : [holding]
    for (const each of crowded) this.#trim(each)
  }

  delete(key: string): boolean {
    const isThere = this.get(key) !== undefined
    this.#entries.delete(key)
    return isThere
  }

  clear(prefix = ''): void {
    if (prefix === '') return this.#entries.clear()
    for (const key of [...this.#entries.keys()]) {
      if (key.startsWith(prefix)) this.#entries.delete(key)
    }
  }

  versions(tags: readonly string[]): readonly string[] {
    return tags.map((tag) => this.#tags.get(tag) ?? this.#renew(tag))
  }

  invalidate(tags: readonly string[]): void {
    for (const tag of tags) this.#renew(tag)
  }

  #mostBytesOf(owner: string | null): number {
    const { maxBytes, tenantShare } = this.#bounds
    const others = this.#holdings.size - Number(this.#holdings.has(owner))
    return others > 0 ? maxBytes * tenantShare : maxBytes
  }

  #renew(tag: string): string {
    const version = String(++this.#lastVersion)
    this.#tags.set(tag, version)
    return version
  }

  #forget({ entry, size }: Shelved, key: string): void {
    const holding = this.#holdings.get(entry.owner)
    if (holding === undefined) return
    holding.keys.delete(key)
    holding.bytes -= size
    if (holding.keys.size === 0) this.#holdings.delete(entry.owner)
  }

  /** Brings an owner down to its share. The oldest go first, but for those that were read since they were last passed over. */
  #trim(holding: Holding): void {
    const { maxEntries, maxBytes, tenantShare } = this.#bounds
    const entries = Math.max(1, Math.floor(maxEntries * tenantShare))
    const bytes = maxBytes * tenantShare
    for (const key of holding.keys) {
      if (holding.keys.size <= entries && holding.bytes <= bytes) return
      const shelved = this.#entries.peek(key)
      if (shelved?.wasRead) {
        shelved.wasRead = false
        // To the end of the set, where this loop meets it again.
        holding.keys.delete(key)
        holding.keys.add(key)
      } else this.#entries.delete(key)
    }
  }
}

/** Nothing that the writer still holds can change what is kept. */
function copyOf(entry: CacheEntry): CacheEntry {
  const { body, headers, tags } = entry
  return Object.freeze({
    ...entry,
    body: typeof body === 'string' ? body : Buffer.from(body),
    headers: Object.freeze([...headers]),
    tags: Object.freeze(tags.map(([tag, version]) => Object.freeze([tag, version] as const))),
  })
}

function sizeOf(key: string, { body, headers, tags, owner }: CacheEntry): number {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  const strings = [key, owner ?? '', ...headers, ...tags.flat()]
  return strings.reduce((sum, each) => sum + each.length, OVERHEAD_BYTES + bytes)
}
