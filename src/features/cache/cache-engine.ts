import type { CacheEntry, CacheStore, MaybePromise, StoreContext } from '../../contracts/cache.js'
import type { Logger } from '../../contracts/logger.js'
import { type Flight, Flights } from './flights.js'
import { chain, FAILED, type Outcome, StoreGuard } from './store-guard.js'

/** The cache statistics of this process since the application started. */
export interface CacheStats {
  /**
   * The number of requests and reads that found a fresh entry. Requests that waited for the response to another request
   * and received it also count.
   */
  readonly hits: number
  /** The number of requests and reads that found no usable entry. */
  readonly misses: number
  /** The number of requests to `@Cache` routes that found a stale entry and received it. */
  readonly stale: number
  /** The number of requests to `@Cache` routes that neither read nor filled the cache. */
  readonly bypasses: number
}

/** The tags of an entry, each with the version that the tag had before the entry was made. */
export type TagVersions = CacheEntry['tags']

/** An entry to write, without the fields that the engine fills in. */
export type Draft = Pick<CacheEntry, 'owner' | 'user' | 'kind' | 'body' | 'headers' | 'tags'>

/** How long an entry is stored, in milliseconds. */
export interface Lifetime {
  readonly freshMs: number
  /** How long after `freshMs` the stale entry can still be sent. */
  readonly staleMs: number
}

/** An entry, together with the current versions of the tags that were passed to `readTagged`. */
export interface TaggedEntry {
  readonly entry: CacheEntry | undefined
  readonly versions: TagVersions
}

const NO_TAGS: TagVersions = Object.freeze([])

/**
 * The core that `@Cache` and the manager share. It contains the store, the values and responses that are being made,
 * and the rules for reading and writing.
 */
export class CacheEngine {
  readonly flights: Flights
  readonly counts = { hits: 0, misses: 0, stale: 0, bypasses: 0 }
  readonly logger: Logger
  readonly #store: StoreGuard
  readonly #clock: StoreContext['clock']
  #isClosed = false

  constructor(store: CacheStore, context: StoreContext) {
    this.logger = context.logger
    this.#clock = context.clock
    this.#store = new StoreGuard(store, context)
    this.flights = new Flights(context.clock)
  }

  /** Whether the engine has been closed. Then, running work no longer stores or logs anything. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Opens the store on the first call. Returns `undefined` if the store is already open. */
  open(): MaybePromise<void> {
    return this.#store.open()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.flights.cancelAll('')
    await this.#store.close()
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now()
  }

  /** Whether the store supports `readTagged`. */
  get readsTagged(): boolean {
    return this.#store.can('getTagged')
  }

  /**
   * Returns the entry for a key, fresh or stale; `undefined` if there is no entry, or if one of its tags was
   * invalidated after the entry was made.
   */
  read(key: string): MaybePromise<Outcome<CacheEntry | undefined>> {
    return chain(
      this.#store.call('get', (store) => store.get(key)),
      (entry) => (entry === undefined || entry === FAILED ? entry : this.#current(entry, NO_TAGS)),
    )
  }

  /**
   * Like `read`, but needs only one round trip to the store if the entry has the expected `tags`. Also returns the
   * current versions of the tags, which are needed to create a new entry.
   */
  readTagged(key: string, tags: readonly string[]): MaybePromise<Outcome<TaggedEntry>> {
    return chain(
      this.#store.call('get', (store) => store.getTagged?.(key, tags)),
      (found) => {
        if (found === FAILED || !Array.isArray(found?.versions)) return FAILED
        const versions = pairsOf(tags, found.versions)
        if (found.entry === undefined) return { entry: undefined, versions }
        return chain(this.#current(found.entry, versions), (entry) =>
          entry === FAILED ? FAILED : { entry, versions },
        )
      },
    )
  }

  /**
   * Returns the entry if the versions of its tags are still current. Reads the current versions from the store unless
   * `known` contains them.
   */
  #current(entry: CacheEntry, known: TagVersions): MaybePromise<Outcome<CacheEntry | undefined>> {
    if (!isSound(entry)) return undefined
    if (entry.tags.length === 0) return entry
    if (isKnown(entry.tags, known)) return isEqual(entry.tags, known) ? entry : undefined
    return chain(this.versions(entry.tags.map(([tag]) => tag)), (versions) => {
      if (versions === FAILED) return FAILED
      return isEqual(entry.tags, versions) ? entry : undefined
    })
  }

  /**
   * Returns the current versions of tags. Call it before making the value, so that an invalidation in the meantime
   * makes the value outdated.
   */
  versions(tags: readonly string[]): MaybePromise<Outcome<TagVersions>> {
    if (tags.length === 0) return NO_TAGS
    return chain(
      this.#store.call('versions', (store) => store.versions(tags)),
      (versions) => (versions === FAILED ? FAILED : pairsOf(tags, versions)),
    )
  }

  entry(draft: Draft, { freshMs }: Lifetime): CacheEntry {
    const createdAt = this.now()
    return Object.freeze({ ...draft, createdAt, freshUntil: createdAt + freshMs })
  }

  /** Writes an entry. Values that are still being made for the same key are older, so they will not be stored. */
  write(key: string, entry: CacheEntry, lifetime: Lifetime): MaybePromise<unknown> {
    this.flights.cancel(key)
    return this.#write(key, entry, lifetime)
  }

  /** Passes the entry to all followers of a flight, and stores the entry unless the flight was cancelled. */
  land(
    key: string,
    flight: Flight,
    { entry, lifetime }: { entry: CacheEntry; lifetime: Lifetime },
  ): void {
    flight.land({ kind: 'made', entry })
    if (flight.isCancelled) return this.flights.end(key, flight)
    // The flight ends only after the entry is written. Until then, requests that miss the entry can follow the flight.
    const written = this.#write(key, entry, lifetime)
    void chain(written, () => this.flights.end(key, flight))
  }

  async delete(key: string): Promise<boolean> {
    this.flights.cancel(key)
    return (await this.#store.call('delete', (store) => store.delete(key))) === true
  }

  /** Deletes all keys that begin with `prefix`, or all keys if `prefix` is empty. */
  async clear(prefix: string): Promise<void> {
    this.flights.cancelAll(prefix)
    await this.#store.call('clear', (store) => store.clear(prefix === '' ? undefined : prefix))
  }

  async invalidate(tags: readonly string[]): Promise<void> {
    this.flights.cancelTagged(tags)
    await this.#store.call('invalidate', (store) => store.invalidate(tags))
  }

  #write(key: string, entry: CacheEntry, { freshMs, staleMs }: Lifetime): MaybePromise<unknown> {
    const ms = freshMs + staleMs
    if (this.#isClosed || !(ms > 0)) return undefined
    return this.#store.call('set', (store) => store.set(key, entry, ms))
  }
}

function pairsOf(tags: readonly string[], versions: readonly string[]): TagVersions {
  return tags.map((tag, i) => [tag, versions[i] ?? ''] as const)
}

/** Whether `known` contains the same tags in the same order. */
function isKnown(tags: TagVersions, known: TagVersions): boolean {
  return tags.length === known.length && tags.every(([tag], i) => tag === known[i]?.[0])
}

/** Whether all tags have the same versions in both lists. */
function isEqual(tags: TagVersions, known: TagVersions): boolean {
  return tags.every(([, version], i) => version === known[i]?.[1])
}

/** Whether a value from the store has the shape of an entry. A value with another shape counts as a miss. */
function isSound(entry: CacheEntry): boolean {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    (typeof entry.body === 'string' || entry.body instanceof Uint8Array) &&
    Array.isArray(entry.headers) &&
    Array.isArray(entry.tags) &&
    Number.isFinite(entry.createdAt) &&
    Number.isFinite(entry.freshUntil)
  )
}

/**
 * Returns the tags under which an entry is stored. Tags that begin with the tenant allow a tenant to invalidate only
 * its own entries. Tags without a tenant allow code that runs for no tenant to invalidate the entries of all tenants.
 */
export function entryTags(owner: string | null, tags: readonly string[]): readonly string[] {
  const unique = [...new Set(tags)]
  const bare = scopedTags(null, unique)
  return owner === null ? bare : [...scopedTags(owner, unique), ...bare]
}

/**
 * Returns the tags that `invalidateTags` invalidates for an owner. Tags without a tenant begin with a colon, so that
 * they never equal a tenant's tags. Without a tenant, the tag `a:b` becomes `:a:b`. For the tenant `a`, the tag `b`
 * becomes `a:b`.
 */
export function scopedTags(owner: string | null, tags: readonly string[]): readonly string[] {
  return tags.map((tag) => (owner === null ? `:${tag}` : tenantKey(owner, tag)))
}

/**
 * Matches the characters that must be encoded: all characters that are not visible ASCII, and the visible characters
 * that a store uses as separators, patterns or hash tags in its keys.
 */
const SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/gu
const HAS_SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/

/**
 * Returns the key under which the cache stores an entry of a tenant: `<tenant>:<key>`. Characters of the tenant ID that
 * a store could read as a separator or a pattern are percent-encoded; ordinary IDs are unchanged. So the tenant always
 * ends at the first `:`, and two different pairs of tenant and key never produce the same result.
 *
 * @param tenant The tenant ID: any string.
 * @param key The key within the tenant: any string. It is not encoded.
 * @example
 * tenantKey('acme', 'products') // 'acme:products'
 * tenantKey('a:b', 'c') // 'a%3Ab:c'
 */
export function tenantKey(tenant: string, key: string): string {
  return HAS_SPECIAL.test(tenant) ? `${tenant.replace(SPECIAL, encode)}:${key}` : `${tenant}:${key}`
}

function encode(character: string): string {
  const code = character.codePointAt(0) as number
  if (code < 0x80) return `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  // A lone surrogate has no UTF-8 encoding. `%u` is unambiguous, because `%` itself is always encoded.
  const isLone = code >= 0xd800 && code <= 0xdfff
  return isLone ? `%u${code.toString(16).toUpperCase()}` : encodeURIComponent(character)
}
