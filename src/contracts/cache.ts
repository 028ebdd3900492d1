import type { Clock } from './clock.js'
import type { OfRequest } from './handler.js'
import type { Duration } from './limits.js'
import type { Logger } from './logger.js'

/** Options of `@Cache`. */
export interface CacheDecoratorOptions {
  /** How long a response is fresh: seconds, or a string with a unit (`'90s'`). With 0, nothing is cached. */
  readonly ttl: Duration
  /**
   * Returns the key of the response. The key must contain everything that the handler reads, except the tenant, which
   * is added as a prefix. Without `shared`, a user never receives a response that was created for another user, even if
   * both have the same key. Default: method, path, sorted query, and the user, if there is one.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the function may declare Express' request type or its own
  readonly key?: (req: any) => string
  /**
   * Whether all callers with the same key share a response, because the handler does not read the user. Default
   * `false`: a response that was created for a user is sent only to this user.
   */
  readonly shared?: boolean
  /** The response tags, for `CacheManager.invalidateTags`. Default: none. */
  readonly tags?: readonly string[] | OfRequest<readonly string[]>
  /**
   * The names of additional response headers to cache with the body. Each header must be the same for all callers that
   * share the key. The headers that describe the body (type, language, disposition, caching, validators, links) and the
   * headers of `@Header` are always cached. Default: none.
   */
  readonly headers?: readonly string[]
  /**
   * How long after `ttl` a stale response is still sent while the handler creates a new response in the background:
   * seconds, or a string with a unit. Default 0: stale responses are not sent.
   */
  readonly staleWhileRevalidate?: Duration
}

/** A cache entry. It is plain data, so that a store can serialize it. */
export interface CacheEntry {
  /** The tenant that owns the entry; `null` if it belongs to no tenant. For any other tenant, a lookup is a miss. */
  readonly owner: string | null
  /**
   * The user for whom a response was created; `null` without a user, with `shared`, and for values. For any other user,
   * a lookup is a miss. If a store loses this field, every lookup is a miss.
   */
  readonly user: string | null
  /** Whether the entry is a JSON value that the program stored, or a response that was sent. */
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
   * The tags of the entry, by their names in the store, each with its version at the time when the entry was created.
   */
  readonly tags: readonly (readonly [tag: string, version: string])[]
}

/**
 * A value, or a promise of the value. A store that has the value in memory should return it directly: waiting for a
 * promise takes longer than the lookup.
 */
export type MaybePromise<T> = T | Promise<T>

/**
 * Stores cache entries. Keys and tags can be any strings; the store escapes them if necessary. If a method fails, it
 * rejects or throws within bounded time; the caller then continues without the cache.
 */
export interface CacheStore {
  /**
   * Whether this store shares its entries with other processes. If `false`, `blazon start` warns about the store.
   * Default `true`.
   */
  readonly isShared?: boolean
  /** Returns the entry, unless it has expired. The entry can be stale, or outdated by its tags. */
  get(key: string): MaybePromise<CacheEntry | undefined>
  /**
   * Returns the entry as `get` does, with the `versions` of the tags that the entry is expected to have. Implement this
   * method if it saves a round trip. If omitted, `get` and `versions` are called sequentially.
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
  /** Stores an entry for at most `ttlMs` milliseconds, or for a shorter time if the store needs the memory. */
  set(key: string, entry: CacheEntry, ttlMs: number): MaybePromise<void>
  /** Deletes an entry. Returns whether it existed. */
  delete(key: string): MaybePromise<boolean>
  /** Deletes every key that begins with `prefix`; without a prefix, all keys. */
  clear(prefix?: string): MaybePromise<void>
  /**
   * Returns the current version of each tag, in order. A tag that is unknown or was lost receives a new version, never
   * a previous version.
   */
  versions(tags: readonly string[]): MaybePromise<readonly string[]>
  /** Assigns a new version to each tag. All entries that were stored with an earlier version become outdated. */
  invalidate(tags: readonly string[]): MaybePromise<void>
  /**
   * Rejects if the store cannot be used now. `Health` then reports `cache` as `degraded`, because requests work without
   * it. Default: no check.
   */
  check?(): MaybePromise<void>
  /** Prepares the store before the first request. Must not wait for a server that is unavailable. */
  open?(context: StoreContext): MaybePromise<void>
  /** Releases the resources of the store, after the last request. */
  close?(): MaybePromise<void>
}

/** The parts of the application that a store can use. */
export interface StoreContext {
  /** The clock of the application. A test can change its time. */
  readonly clock: Clock
  /** The logger of the application. */
  readonly logger: Logger
}
