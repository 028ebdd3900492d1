import type { Clock } from './clock.js'
import type { OfRequest } from './handler.js'
import type { Duration } from './limits.js'
import type { Logger } from './logger.js'

/** Options of `@Cache`. */
export interface CacheDecoratorOptions {
  /** How long a response is fresh: seconds, or a string with a unit (`'90s'`). 0 caches nothing. */
  readonly ttl: Duration
  /**
   * Returns the key of the response. The key must contain everything that the handler reads, except the tenant,
   * which is put in front. A user never receives a response that was made for another user, even with the same key.
   * Default: method, path, sorted query, and the user, if there is one.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a key may type its request as Express' or as its own
  readonly key?: (req: any) => string
  /**
   * Whether all callers with the same key share a response, because the handler does not read the user. Default
   * `false`: a response that was made for a user is sent to this user only.
   */
  readonly shared?: boolean
  /** Tags of the response, for `CacheManager.invalidateTags`. Default: none. */
  readonly tags?: readonly string[] | OfRequest<readonly string[]>
  /**
   * Further response headers that are cached together with the body. Default: the headers that describe the body (type,
   * language, disposition, caching, validators, links), and the headers of `@Header`. Each header must be the same for
   * all callers that share the key.
   */
  readonly headers?: readonly string[]
  /**
   * How long after `ttl` a stale response is still sent while the handler creates a new one in the background:
   * seconds, or a string with a unit. Default 0: not at all.
   */
  readonly staleWhileRevalidate?: Duration
}

/** An entry of a store. Plain data, so that a store can serialize it. */
export interface CacheEntry {
  /** The tenant that owns the entry; `null` for none. Readers of another tenant miss. */
  readonly owner: string | null
  /**
   * The user that a response was made for; `null` for none, and for values. Another user misses. If a store loses
   * this field, every reader misses.
   */
  readonly user: string | null
  /** Whether the entry is a JSON value that the program has stored or a response that was sent. */
  readonly kind: 'value' | 'response'
  /** The stored text or bytes. */
  readonly body: string | Uint8Array
  /** Header names and values of a response, alternating; empty for a value. */
  readonly headers: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 until which the entry is fresh. */
  readonly freshUntil: number
  /**
   * The tags of the entry, under their names in the store. Each has the version from the time when the entry was
   * made.
   */
  readonly tags: readonly (readonly [tag: string, version: string])[]
}

/**
 * A value, or a promise of the value. A store that has the value in memory should return it directly: waiting for a promise
 * takes longer than the lookup.
 */
export type MaybePromise<T> = T | Promise<T>

/**
 * Stores cache entries. Keys and tags may be any strings; the store escapes them if necessary. A method that cannot
 * do its work rejects or throws within bounded time, and the caller continues without the cache.
 */
export interface CacheStore {
  /**
   * Whether other processes see the entries of this store. `blazon start` warns of a store with `false`. Default
   * `true`.
   */
  readonly isShared?: boolean
  /** Returns the entry, unless it has expired. The entry may be stale, or outdated by its tags. */
  get(key: string): MaybePromise<CacheEntry | undefined>
  /**
   * Returns the entry as `get` does, and the `versions` of the tags that the entry probably has. For stores that save a
   * round trip in this way. Default: the two are called one after the other.
   */
  getTagged?(
    key: string,
    tags: readonly string[],
  ): MaybePromise<{
    /** The entry, unless it has expired. */
    readonly entry: CacheEntry | undefined
    /** The current version of each tag, in the order of `tags`. */
    readonly versions: readonly string[]
  }>
  /** Stores an entry for at most `ttlMs` milliseconds; for a shorter time if the store needs the memory. */
  set(key: string, entry: CacheEntry, ttlMs: number): MaybePromise<void>
  /** Deletes an entry. Returns whether it existed. */
  delete(key: string): MaybePromise<boolean>
  /** Deletes every key that begins with `prefix`; without a prefix, all keys. */
  clear(prefix?: string): MaybePromise<void>
  /**
   * Returns the current version of each tag, in order. A tag that was lost or never seen gets a new version, never
   * an old one.
   */
  versions(tags: readonly string[]): MaybePromise<readonly string[]>
  /** Gives each tag a new version. All entries that were stored with the old version become outdated. */
  invalidate(tags: readonly string[]): MaybePromise<void>
  /**
   * Rejects if the store cannot be used now. `Health` then reports `cache` as `degraded`: requests do without it.
   * Default: no check.
   */
  check?(): MaybePromise<void>
  /** Makes the store ready, before the first request. It never waits for a server that is not available. */
  open?(context: StoreContext): MaybePromise<void>
  /** Releases the resources of the store, after the last request. */
  close?(): MaybePromise<void>
}

/** The parts of its application that a store may use. */
export interface StoreContext {
  /** The clock of the application. A test can move it. */
  readonly clock: Clock
  /** The logger of the application. */
  readonly logger: Logger
}
