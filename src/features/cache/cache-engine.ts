import type { CacheEntry, CacheStore, MaybePromise, StoreContext } from '../../contracts/cache.js'
import type { Logger } from '../../contracts/logger.js'
import { type Flight, Flights } from './flights.js'
import { chain, FAILED, type Outcome, StoreGuard } from './store-guard.js'
import { tenantKey } from './tenant-key.js'

/** What happened since the application started, in this process. */
export interface CacheStats {
  /** Requests and reads that were given something fresh. */
  readonly hits: number
  /** Those that were given nothing. */
  readonly misses: number
  /** Answers of `@Cache` that were given after their time, while a new one was made. */
  readonly stale: number
  /** Requests of `@Cache` routes that the cache had no part in. */
  readonly bypasses: number
}

/** What an entry is made under: tags, and what each was worth before it was made. */
export type TagVersions = CacheEntry['tags']

/** An entry that is to be written, without what the engine knows itself. */
export type Draft = Pick<CacheEntry, 'owner' | 'user' | 'kind' | 'body' | 'headers' | 'tags'>

/** How long something is kept, in milliseconds. */
export interface Lifetime {
  readonly freshMs: number
  /** How much longer it may be given while a new one is made. */
  readonly staleMs: number
}

/** An entry, and what the tags are worth that it was asked for with. */
export interface TaggedEntry {
  readonly entry: CacheEntry | undefined
  readonly versions: TagVersions
}

const NO_TAGS: TagVersions = Object.freeze([])

/** What `@Cache` and the manager share: one store, the answers that are being made, and the rules of reading and writing. */
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

  /** Whether nothing that is still under way matters any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  open(): Promise<void> {
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

  /** Whether `readTagged` is there to be asked. */
  get readsTagged(): boolean {
    return this.#store.can('getTagged')
  }

  /** The entry of a key, fresh or stale, unless one of its tags was invalidated since. */
  read(key: string): MaybePromise<Outcome<CacheEntry | undefined>> {
    return chain(
      this.#store.ask('get', (store) => store.get(key)),
      (entry) => (entry === undefined || entry === FAILED ? entry : this.#current(entry, NO_TAGS)),
    )
  }

  /** As `read`, for what is kept under `tags`, if it is what it was; and what these are worth, for who makes it anew. */
  readTagged(key: string, tags: readonly string[]): MaybePromise<Outcome<TaggedEntry>> {
    return chain(
      this.#store.ask('get', (store) => store.getTagged?.(key, tags)),
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

  /** An entry whose tags are worth what they were; asks for what they are worth if it is not known yet. */
  #current(entry: CacheEntry, known: TagVersions): MaybePromise<Outcome<CacheEntry | undefined>> {
    if (!isSound(entry)) return undefined
    if (isKnown(entry.tags, known)) return isEqual(entry.tags, known) ? entry : undefined
    return chain(this.versions(entry.tags.map(([tag]) => tag)), (versions) => {
      if (versions === FAILED) return FAILED
      return isEqual(entry.tags, versions) ? entry : undefined
    })
  }

  /** What tags are worth now: to be asked before what is kept under them is made. */
  versions(tags: readonly string[]): MaybePromise<Outcome<TagVersions>> {
    if (tags.length === 0) return NO_TAGS
    return chain(
      this.#store.ask('versions', (store) => store.versions(tags)),
      (versions) => (versions === FAILED ? FAILED : pairsOf(tags, versions)),
    )
  }

  /** Makes an entry of a draft. */
  entry(draft: Draft, { freshMs }: Lifetime): CacheEntry {
    const createdAt = this.now()
    return Object.freeze({ ...draft, createdAt, freshUntil: createdAt + freshMs })
  }

  /** Keeps an entry. What was being made for its key is older. */
  write(key: string, entry: CacheEntry, lifetime: Lifetime): MaybePromise<unknown> {
    this.flights.cancel(key)
    return this.#write(key, entry, lifetime)
  }

  /** Lets those who follow a flight have its entry, and keeps it unless it was cancelled on the way. */
  land(
    key: string,
    flight: Flight,
    { entry, lifetime }: { entry: CacheEntry; lifetime: Lifetime },
  ): void {
    flight.land({ kind: 'made', entry })
    if (flight.isCancelled) return this.flights.end(key, flight)
    // Until it is written, whoever misses it finds the flight.
    const written = this.#write(key, entry, lifetime)
    void chain(written, () => this.flights.end(key, flight))
  }

  async delete(key: string): Promise<boolean> {
    this.flights.cancel(key)
    return (await this.#store.ask('delete', (store) => store.delete(key))) === true
  }

  /** Forgets what begins with `prefix`; everything, where it is empty. */
  async clear(prefix: string): Promise<void> {
    this.flights.cancelAll(prefix)
    await this.#store.ask('clear', (store) => store.clear(prefix === '' ? undefined : prefix))
  }

  async invalidate(tags: readonly string[]): Promise<void> {
    this.flights.cancelTagged(tags)
    await this.#store.ask('invalidate', (store) => store.invalidate(tags))
  }

  #write(key: string, entry: CacheEntry, { freshMs, staleMs }: Lifetime): MaybePromise<unknown> {
    const ms = freshMs + staleMs
    if (this.#isClosed || !(ms > 0)) return undefined
    return this.#store.ask('set', (store) => store.set(key, entry, ms))
  }
}

function pairsOf(tags: readonly string[], versions: readonly string[]): TagVersions {
  return tags.map((tag, i) => [tag, versions[i] ?? ''] as const)
}

/** Whether they are of the same tags. */
function isKnown(tags: TagVersions, known: TagVersions): boolean {
  return tags.length === known.length && tags.every(([tag], i) => tag === known[i]?.[0])
}

/** Whether these tags are worth the same. */
function isEqual(tags: TagVersions, known: TagVersions): boolean {
  return tags.every(([, version], i) => version === known[i]?.[1])
}

/** Whatever has become of it in the store, what is not an entry is a miss. */
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
 * The tags that an entry is kept under: those of its tenant, so that no tenant can invalidate what is another's, and the
 * bare ones, by which a program that acts for no tenant invalidates everybody's.
 */
export function entryTags(owner: string | null, tags: readonly string[]): readonly string[] {
  const unique = [...new Set(tags)]
  const bare = scopedTags(null, unique)
  return owner === null ? bare : [...scopedTags(owner, unique), ...bare]
}

/** The tags by which somebody invalidates. No tenant's begins with a colon, so `a:b` of everybody is not `b` of a tenant `a`. */
export function scopedTags(owner: string | null, tags: readonly string[]): readonly string[] {
  return tags.map((tag) => (owner === null ? `:${tag}` : tenantKey(owner, tag)))
}
