import type { Clock } from './clock.js'
import type { Request } from './handler.js'
import type { Logger } from './logger.js'
import type { Duration } from './units.js'

/** Options of `@Cache`. */
export interface CacheOptions {
  /** How long an answer is fresh: seconds, or a string with a unit (`'90s'`). 0 stores nothing. */
  readonly ttl: Duration
  /**
   * What tells one answer from another. It must name everything that the handler looks at, but for the tenant, which is put in front.
   * Of one key, no user is given what was made for another. Default: method, path, sorted query, and the user, if there is one.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a key may type its request as Express' or as its own
  readonly key?: (req: any) => string
  /**
   * Whether an answer is for everybody who has its key, whoever it was made for: the handler does not look at the user. Default `false`:
   * an answer made for a user is given to this user alone.
   */
  readonly shared?: boolean
  /** Names under which `CacheManager.invalidateTags` finds the answer. Default: none. */
  readonly tags?: readonly string[] | ((req: Request) => readonly string[])
  /**
   * Further headers of the answer that are kept with it. Default: those that describe the body (type, language, disposition, caching,
   * validators, links), and those of `@Header`. Each must be the same for everybody who shares the key.
   */
  readonly headers?: readonly string[]
  /** How long after `ttl` an answer is still given while a new one is made behind it. Default 0: not at all. */
  readonly staleWhileRevalidate?: Duration
}

/** What a store keeps. Plain data: a store may write it down. */
export interface CacheEntry {
  /** Whose it is; `null` when nobody's in particular. A reader that is somebody else misses. */
  readonly owner: string | null
  /** Which user an answer was made for; `null` for none, and for values. Another one misses, and so does everybody where it got lost. */
  readonly user: string | null
  /** JSON that a program has put there, or an answer that was sent. */
  readonly kind: 'value' | 'response'
  /** The text or the bytes that are kept. */
  readonly body: string | Uint8Array
  /** Header names and values, alternating, of an answer; empty for a value. */
  readonly headers: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 until which it is fresh. */
  readonly freshUntil: number
  /** The tags it was made under, as the store knows them, and what each of them was worth then. */
  readonly tags: readonly (readonly [tag: string, version: string])[]
}

/** At once, or later. A store that has the answer at hand gives it at hand: waiting costs more than finding. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Where entries are kept. Keys and tags are any strings, up to the store to make safe for its medium. What it cannot do it
 * rejects or throws, in bounded time; the caller then goes on without it.
 */
export interface CacheStore {
  /** The entry, unless it has expired; it may be stale, or outdated by its tags. */
  get(key: string): MaybePromise<CacheEntry | undefined>
  /**
   * As `get`, and `versions` of the tags that the entry is probably kept under, for a store that saves a trip to its server by it.
   * Default: one is asked after the other.
   */
  getTagged?(
    key: string,
    tags: readonly string[],
  ): MaybePromise<{
    /** The entry, unless it has expired. */
    readonly entry: CacheEntry | undefined
    /** What each tag is worth now, in the order of `tags`. */
    readonly versions: readonly string[]
  }>
  /** Keeps an entry for `ttlMs` milliseconds at most; less if room is needed. */
  set(key: string, entry: CacheEntry, ttlMs: number): MaybePromise<void>
  /** Whether there was something to forget. */
  delete(key: string): MaybePromise<boolean>
  /** Forgets every key that begins with `prefix`; everything, without. */
  clear(prefix?: string): MaybePromise<void>
  /** What each tag is worth now, in order. A tag that was lost or never seen gets a new worth, never an old one again. */
  versions(tags: readonly string[]): MaybePromise<readonly string[]>
  /** Gives tags a new worth, which outdates every entry made under them. */
  invalidate(tags: readonly string[]): MaybePromise<void>
  /** Makes the store ready, before the first request. It never waits for a server that is not there. */
  open?(context: StoreContext): MaybePromise<void>
  /** Lets go of what the store holds open; after the last request. */
  close?(): MaybePromise<void>
}

/** What a store may use of its application. */
export interface StoreContext {
  /** The clock of the application. A test can move it. */
  readonly clock: Clock
  /** The logger of the application. */
  readonly logger: Logger
}
