import type { CacheEntry, MaybePromise } from '../../contracts/cache.js'
import type { Duration } from '../../contracts/limits.js'
import { isThenable } from '../../step/step.js'
import {
  type CacheEngine,
  entryTags,
  type Lifetime,
  scopedTags,
  type TaggedEntry,
} from './cache-engine.js'
import { ttlMs } from './cache-options.js'
import type { Flight, Landing } from './flights.js'
import { chain, FAILED, type Outcome } from './store-guard.js'

/** Options of `getOrSet`. */
export interface KeepOptions {
  /**
   * How long the value is stored: seconds, or a string with a unit. With 0, it is not stored. Default: the
   * `cache.defaultTtl` option (60 s).
   */
  readonly ttl?: Duration
  /** Tags of the value, for `invalidateTags`. Default: none. */
  readonly tags?: readonly string[]
}

/** The parts that all views of one cache share. */
export interface CacheParts {
  readonly engine: CacheEngine
  readonly currentTenant: () => string | undefined
  /** Whether code without a tenant is allowed to read the entries of all tenants. */
  readonly actsForAll: () => boolean
  /**
   * Throws if the request only claims the tenant and `tenant.authorize` has not allowed it yet. Without an argument,
   * checks the current tenant.
   */
  readonly refuseClaim: (tenant: string | undefined) => void
  /** The default time to live in milliseconds. */
  readonly defaultTtlMs: number
}

/**
 * A cache of values by key. Values are stored as JSON, so a read returns a copy. Values that JSON does not support are
 * converted (a `Date` becomes a string). If the store fails, the cache behaves as if it were empty. A failed store
 * makes a method reject only if the store cannot be opened.
 */
export class ScopedCache {
  /** @internal */
  protected readonly parts: CacheParts
  readonly #tenant: string | null
  readonly #prefix: string

  /** Only the application calls this. */
  constructor(parts: CacheParts, tenant: string | null, prefix: string) {
    this.parts = parts
    this.#tenant = tenant
    this.#prefix = prefix
  }

  /**
   * Returns the value for a key; `undefined` if there is no value, if it has expired, or if it belongs to another
   * tenant. The last case applies to code that runs for a tenant and to requests without a tenant. For a response that
   * `@Cache` stored, the value is the body. A JSON body is returned parsed.
   *
   * @throws TypeError when the key is not a string, or is empty.
   * @example
   * const products = await cache.get<Product[]>('acme:products')
   */
  async get<T = unknown>(key: string): Promise<T | undefined> {
    const full = this.#keyOf(key, 'get()')
    return (await this.#find(full, this.#owner(), []))?.value as T | undefined
  }

  /**
   * Stores a value. The key is used without a prefix: to store a tenant's value, use the key `<tenant>:<key>` or call
   * `forTenant`.
   *
   * @param ttl Seconds, or a string with a unit (`'90s'`). With 0, the value is not stored, and an existing value is
   * deleted. Default: the `cache.defaultTtl` option (60 s).
   * @throws TypeError if the key is not a string or is empty, if JSON cannot represent the value, or if `ttl` is
   * neither a number nor a string; RangeError if `ttl` is not a valid duration.
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

  /**
   * Deletes a key. A value that is currently being loaded for this key will not be stored. Returns whether there was a
   * value.
   */
  async delete(key: string): Promise<boolean> {
    const full = this.#keyOf(key, 'delete()')
    this.#owner()
    await this.parts.engine.open()
    return await this.parts.engine.delete(full)
  }

  /**
   * Deletes all keys. On a tenant's view of the cache, it deletes only that tenant's keys. Otherwise, it deletes the
   * keys of all tenants, even in code that runs for one tenant.
   */
  async clear(): Promise<void> {
    this.#owner()
    await this.parts.engine.open()
    await this.parts.engine.clear(this.#prefix)
  }

  /**
   * Returns the value for a key. On a miss, calls `load` and stores its result. If several callers miss the same key at
   * the same time, only the first caller calls `load`, and all callers receive its result or error. A caller that has
   * waited for 10 seconds calls `load` itself. Neither an error nor `undefined` is stored.
   *
   * @throws the error that `load` throws; TypeError and RangeError for the same reasons as `set`; TypeError if
   * `options` is not an object, or if `tags` is not a list of strings.
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
    const finding = this.#find(full, owner, tags)
    // A hit in memory is returned without an `await`, because three awaits took a seventh of the total time (`npm run
    // bench:field`, cached).
    const found = isThenable(finding) ? await finding : finding
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
   * Invalidates every entry with one of these tags, so that the next read is a miss. In code that runs for a tenant,
   * and on a tenant's view of the cache, it affects only the entries of that tenant. Otherwise, it affects the entries
   * of all tenants.
   *
   * @throws TypeError when `tags` is not a list of strings.
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

  /**
   * Returns the tenant for reads and writes: the tenant of this view, otherwise the current tenant; `null` if there is
   * neither. Throws if the two are different.
   */
  #owner(): string | null {
    const current = this.parts.currentTenant() ?? null
    if (this.#tenant !== null && current === null) this.parts.refuseClaim(this.#tenant)
    if (this.#tenant === null || current === null || current === this.#tenant) {
      return this.#tenant ?? current
    }
    throw new Error(
      `Code that runs for the tenant '${current}' used the cache of the tenant '${this.#tenant}'. ` +
        'Call forTenant() in that code, or run that code with runWithTenant().',
    )
  }

  #keyOf(key: string, what: string): string {
    if (typeof key === 'string' && key !== '') return this.#prefix + key
    throw new TypeError(
      `CacheManager.${what}: the key is ${JSON.stringify(key)}. Pass a non-empty string.`,
    )
  }

  #lifetime(ttl: Duration | undefined, what: string): Lifetime {
    const { defaultTtlMs } = this.parts
    return {
      freshMs: ttl === undefined ? defaultTtlMs : ttlMs(ttl, `CacheManager.${what}`),
      staleMs: 0,
    }
  }

  /**
   * Finds the value for a key. The result is a promise only if the store must be opened or returns a promise.
   *
   * @param owner The tenant that reads; `null` if there is none.
   * @param tags The tags that the entry probably has.
   */
  #find(
    key: string,
    owner: string | null,
    tags: readonly string[],
  ): MaybePromise<CachedValue | undefined> {
    const { engine } = this.parts
    return chain(engine.open(), () => {
      const isTagged = tags.length > 0 && engine.readsTagged
      const entry = isTagged
        ? chain(engine.readTagged(key, entryTags(owner, tags)), entryOf)
        : engine.read(key)
      return chain(entry, (read) => this.#valueOf(read, owner))
    })
  }

  /** Returns the value of an entry, and counts the hit or the miss. */
  #valueOf(entry: Outcome<CacheEntry | undefined>, owner: string | null): CachedValue | undefined {
    const { engine } = this.parts
    const isReadable =
      entry !== undefined &&
      entry !== FAILED &&
      entry.freshUntil > engine.now() &&
      this.#mayRead(owner, entry)
    const found = isReadable ? readValue(entry) : undefined
    engine.counts[found === undefined ? 'misses' : 'hits']++
    return found
  }

  /**
   * Whether a reader may read an entry. All code can read an entry that belongs to no tenant. Code that acts for all
   * tenants can read every entry. A tenant never reads an entry of another tenant.
   */
  #mayRead(reader: string | null, { owner }: CacheEntry): boolean {
    return owner === null || owner === reader || (reader === null && this.parts.actsForAll())
  }

  /**
   * Waits for the value that another caller is loading. The promise is created here, so that the waiting code continues
   * in its own async context.
   */
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

interface CachedValue {
  readonly value: unknown
}

interface LoadConfig<T> {
  readonly key: string
  readonly load: () => T | Promise<T>
  readonly lifetime: Lifetime
  readonly flight: Flight
}

/**
 * Returns the value of an entry; `undefined` if the body should be JSON but is not, for example because another program
 * has written to the store.
 */
function readValue({ kind, body, headers }: CacheEntry): CachedValue | undefined {
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
    throw new TypeError(
      `CacheManager.${what}: the value cannot be represented in JSON: ${reason}`,
      { cause },
    )
  }
  if (text !== undefined) return text
  throw new TypeError(
    `CacheManager.${what}: JSON cannot represent a value of type ${typeof value}.`,
  )
}

/**
 * Throws if the options are not an object. Without this check, a `ttl` passed in place of the object would be ignored,
 * and the value would be stored for the default time.
 */
function checkKeepOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  const given = JSON.stringify(options) ?? String(options)
  throw new TypeError(`CacheManager.getOrSet(): the options are ${given}. Pass { ttl: '60s' }.`)
}

function checkTags(tags: unknown): void {
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return
  throw new TypeError('CacheManager: tags must be a list of strings.')
}
