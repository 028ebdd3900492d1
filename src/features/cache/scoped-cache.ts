import type { CacheEntry } from '../../contracts/cache.js'
import type { CurrentTenant } from '../../contracts/tenant.js'
import type { Duration } from '../../contracts/units.js'
import {
  type CacheEngine,
  entryTags,
  type Lifetime,
  scopedTags,
  type TaggedEntry,
} from './cache-engine.js'
import type { Flight, Landing } from './flights.js'
import { chain, FAILED, type Outcome } from './store-guard.js'
import { ttlMs } from './ttl-ms.js'

/** How long, and under which tags, `getOrSet` keeps a value. */
export interface KeepOptions {
  /** Seconds, or a string with a unit. 0 keeps nothing. Default: the option `cache.defaultTtl`, 60 s. */
  readonly ttl?: Duration
  /** Names by which `invalidateTags` finds it. Default: none. */
  readonly tags?: readonly string[]
}

/** What the views of one cache share. */
export interface CacheParts {
  readonly engine: CacheEngine
  readonly currentTenant: CurrentTenant
  /** Whether code that runs for no tenant may read what belongs to one. */
  readonly actsForAll: () => boolean
  /** Throws where a tenant, or that of now, is one that a request has named and may not act for yet. */
  readonly refuseClaim: (tenant: string | undefined) => void
  /** Milliseconds. */
  readonly defaultTtlMs: number
}

/**
 * Values under keys, for programs. Values are kept as JSON: what comes out is a copy, and what JSON cannot say is lost (a `Date`
 * becomes a string). A store that fails is an empty one: nothing here rejects for it.
 */
export class ScopedCache {
  /** @internal */
  protected readonly parts: CacheParts
  readonly #tenant: string | null
  readonly #prefix: string

  /** Made by the application. */
  constructor(parts: CacheParts, tenant: string | null, prefix: string) {
    this.parts = parts
    this.#tenant = tenant
    this.#prefix = prefix
  }

  /**
   * The value of a key; `undefined` when there is none, when it has expired, and when another tenant has put it there: for code that
   * runs for a tenant, and for requests that name none. Of an answer that `@Cache` keeps it is the body: parsed, where it is JSON.
   *
   * @throws TypeError when the key is no string, or an empty one.
   * @example
   * const products = await cache.get<Product[]>('acme:products')
   */
  async get<T = unknown>(key: string): Promise<T | undefined> {
    return (await this.#find(this.#keyOf(key, 'get()')))?.value as T | undefined
  }

  /**
   * Keeps a value. The key is used as it is: who wants one of a tenant writes `<tenant>:<key>`, or asks `forTenant`.
   *
   * @param ttl Seconds, or a string with a unit (`'90s'`). 0 keeps nothing. Default: the option `cache.defaultTtl`, 60 s.
   * @throws TypeError when the key is no string, the value is nothing that JSON can say, or the ttl is no number or string;
   * RangeError when the ttl is no duration.
   * @example
   * await cache.set('acme:products', products, '5m')
   */
  async set<T>(key: string, value: T, ttl?: Duration): Promise<void> {
    const full = this.#keyOf(key, 'set()')
    const lifetime = this.#lifetime(ttl, 'set()')
    const body = toJson(value, 'set()')
    const { engine } = this.parts
    await engine.open()
    if (lifetime.freshMs === 0) return void (await engine.delete(full))
    const owned = { owner: this.#owner(), user: null } as const
    const draft = { ...owned, kind: 'value', body, headers: [], tags: [] } as const
    await engine.write(full, engine.entry(draft, lifetime), lifetime)
  }

  /** Forgets a key. Whatever is being made for it now will not be kept. Answers whether there was something. */
  async delete(key: string): Promise<boolean> {
    const full = this.#keyOf(key, 'delete()')
    this.#owner()
    await this.parts.engine.open()
    return await this.parts.engine.delete(full)
  }

  /** Forgets everything: of the tenant, in a view of one; else of everybody, whoever asks. */
  async clear(): Promise<void> {
    this.#owner()
    await this.parts.engine.open()
    await this.parts.engine.clear(this.#prefix)
  }

  /**
   * The value of a key, or the one that `load` makes now. Of several that ask for the same key at the same time, only the first
   * loads; they share its failure, too, which is not kept. A value of `undefined` is not kept.
   *
   * @throws what `load` throws; TypeError and RangeError as `set`.
   * @example
   * const rates = await cache.getOrSet('rates', () => fetchRates(), { ttl: '10m', tags: ['rates'] })
   */
  async getOrSet<T>(
    key: string,
    load: () => T | Promise<T>,
    options: KeepOptions = {},
  ): Promise<T> {
    checkKeepOptions(options)
    const { ttl, tags = [] } = options
    const full = this.#keyOf(key, 'getOrSet()')
    const lifetime = this.#lifetime(ttl, 'getOrSet()')
    checkTags(tags)
    const owner = this.#owner()
    const found = await this.#find(full, tags)
    if (found !== undefined) return found.value as T
    const { flights } = this.parts.engine
    const flight = flights.find(full)
    if (flight === undefined) {
      const own = flights.begin(full, { owner, user: null, tags: entryTags(owner, tags) })
      return await this.#load({ key: full, load, lifetime, flight: own })
    }
    const landing =
      flight.owner === owner && flight.user === null
        ? await this.#follow(full, flight)
        : ({ kind: 'late' } as const)
    if (landing.kind === 'failed') throw landing.error
    if (landing.kind === 'nothing') return undefined as T
    if (landing.kind === 'made') return readValue(landing.entry)?.value as T
    return await load()
  }

  /**
   * Makes everything that is kept under one of these tags a miss. For code that runs for a tenant, and in a view of one, that is
   * what belongs to the tenant; else it is everybody's.
   *
   * @example
   * await cache.invalidateTags(['products'])
   */
  async invalidateTags(tags: readonly string[]): Promise<void> {
    checkTags(tags)
    if (tags.length === 0) return
    const { engine } = this.parts
    await engine.open()
    await engine.invalidate(scopedTags(this.#owner(), [...new Set(tags)]))
  }

  /** Who reads and writes here. */
  #owner(): string | null {
    const current = this.parts.currentTenant() ?? null
    if (this.#tenant !== null && current === null) this.parts.refuseClaim(this.#tenant)
    if (this.#tenant === null || current === null || current === this.#tenant) {
      return this.#tenant ?? current
    }
    throw new Error(
      `Code that runs for the tenant '${current}' used the cache of the tenant '${this.#tenant}'. ` +
        'Use forTenant() there, or run the code with runWithTenant().',
    )
  }

  #keyOf(key: string, what: string): string {
    if (typeof key === 'string' && key !== '') return this.#prefix + key
    throw new TypeError(
      `CacheManager.${what}: the key is ${JSON.stringify(key)}. Give a string that is not empty.`,
    )
  }

  #lifetime(ttl: Duration | undefined, what: string): Lifetime {
    const { defaultTtlMs } = this.parts
    return {
      freshMs: ttl === undefined ? defaultTtlMs : ttlMs(ttl, `CacheManager.${what}`),
      staleMs: 0,
    }
  }

  /** @param tags Those that it is probably kept under. */
  async #find(key: string, tags: readonly string[] = []): Promise<Found | undefined> {
    const owner = this.#owner()
    const { engine } = this.parts
    await engine.open()
    const isTagged = tags.length > 0 && engine.readsTagged
    const entry = await (isTagged
      ? chain(engine.readTagged(key, entryTags(owner, tags)), entryOf)
      : engine.read(key))
    const isReadable =
      entry !== undefined &&
      entry !== FAILED &&
      entry.freshUntil > engine.now() &&
      this.#mayRead(owner, entry)
    const found = isReadable ? readValue(entry) : undefined
    engine.counts[found === undefined ? 'misses' : 'hits']++
    return found
  }

  /** What is nobody's may be read by everybody, and everything by who acts for all; a tenant never reads another's. */
  #mayRead(reader: string | null, { owner }: CacheEntry): boolean {
    return owner === null || owner === reader || (reader === null && this.parts.actsForAll())
  }

  /** In a promise of its own, so that whoever waits goes on in its own asynchronous context. */
  #follow(key: string, flight: Flight): Promise<Landing> {
    this.parts.engine.flights.limit(key, flight)
    return new Promise((resolve) => flight.follow(resolve))
  }

  async #load<T>({ key, load, lifetime, flight }: LoadConfig<T>): Promise<T> {
    const { engine } = this.parts
    try {
      const tags = await engine.versions(flight.tags)
      const value = await load()
      if (value === undefined) {
        flight.land({ kind: 'nothing' })
        engine.flights.end(key, flight)
        return value
      }
      const body = toJson(value, 'getOrSet()')
      const { owner, user } = flight
      const owned = { owner, user, kind: 'value', body, headers: [] } as const
      const entry = engine.entry({ ...owned, tags: tags === FAILED ? [] : tags }, lifetime)
      if (tags === FAILED) flight.isCancelled = true
      engine.land(key, flight, { entry, lifetime })
      return readValue(entry)?.value as T
    } catch (error) {
      flight.land({ kind: 'failed', error })
      engine.flights.end(key, flight)
      throw error
    }
  }
}

function entryOf(found: Outcome<TaggedEntry>): Outcome<CacheEntry | undefined> {
  return found === FAILED ? FAILED : found.entry
}

interface Found {
  readonly value: unknown
}

interface LoadConfig<T> {
  readonly key: string
  readonly load: () => T | Promise<T>
  readonly lifetime: Lifetime
  readonly flight: Flight
}

/** `undefined` for what claims to be JSON and is none: nobody knows who has written to the store. */
function readValue({ kind, body, headers }: CacheEntry): Found | undefined {
  const isText = typeof body === 'string'
  if (kind === 'response' && !isJson(headers)) return { value: isText ? body : Buffer.from(body) }
  try {
    return { value: JSON.parse(isText ? body : Buffer.from(body).toString('utf8')) }
  } catch {
    return undefined
  }
}

function isJson(headers: readonly string[]): boolean {
  const index = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type')
  return index >= 0 && /^application\/(?:[^;]+\+)?json\b/i.test(headers[index + 1] as string)
}

function toJson(value: unknown, what: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`CacheManager.${what}: the value is not JSON: ${reason}`, { cause })
  }
  if (text !== undefined) return text
  throw new TypeError(`CacheManager.${what}: JSON cannot hold a value of type ${typeof value}.`)
}

/** A time to live in its place would be lost, and the value kept for as long as all others. */
function checkKeepOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  const given = JSON.stringify(options) ?? String(options)
  throw new TypeError(`CacheManager.getOrSet(): the options are ${given}. Give { ttl: '60s' }.`)
}

function checkTags(tags: unknown): void {
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return
  throw new TypeError('CacheManager: tags must be a list of strings.')
}
