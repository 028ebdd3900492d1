import { randomBytes } from 'node:crypto'
import type { CacheEntry, CacheStore, MaybePromise, StoreContext } from '../../index.js'
import { waitAtMost } from './deadline.js'
import { describeFailure, isServerError } from './describe-failure.js'
import type { Driver } from './driver.js'
import { encodeEntry, MAX_ENTRY } from './entry-codec.js'
import { EntryReader } from './entry-reader.js'
import { findKeys } from './find-keys.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { Pending } from './pending.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'
import { linkOf } from './shared-links.js'

const LAST_BYTE = String(MAX_ENTRY)
/** How long a version of a tag, and the note of the servers, is kept: what is older is outdated, and Redis is left tidy. */
const MONTH_MS = String(30 * 24 * 3_600_000)
/** Keys that are forgotten in one go. */
const CHUNK = 500
/** How long a start waits for what must happen before entries may be read, in milliseconds. */
const FIRST_RECOVERY_MS = 1000
/** How long to wait before what failed is tried again where nothing says that it could work now, in milliseconds. */
const RETRY_MS = 1000

/**
 * Keeps what is cached in Redis, so that several processes share it. Where Redis does not answer in time, nothing is
 * found and nothing is kept: a request then loses one `timeout` at most, and none once that is known. What was
 * invalidated meanwhile is invalidated before anything is read again. Needs the package `redis`.
 *
 * @throws ConfigError when an option is wrong; at the start of the application, when `redis` is not installed.
 * @example
 * new App({ cache: { store: redisCache({ url: 'rediss://cache.example:6380' }) } })
 */
export function redisCache(options: RedisOptions = {}): CacheStore {
  checkRedisOptions('redisCache()', options)
  return new RedisCache(linkOf(options), new Keys(prefixOf(options)))
}

/** An entry, and what its tags are worth. */
type Tagged = Awaited<ReturnType<NonNullable<CacheStore['getTagged']>>>

class RedisCache implements CacheStore {
  readonly #link: Link
  readonly #keys: Keys
  readonly #pending: Pending
  readonly #entries: EntryReader = new EntryReader()
  #context: StoreContext | undefined
  /** Whether everything that had to be forgotten is. */
  #isClean = false
  /** Whether it is known that the entries were written where they are read. */
  #isHome = false
  #isRecovering = false
  #recovery: Promise<void> | undefined
  #saidRefused = false

  constructor(link: Link, keys: Keys) {
    this.#link = link
    this.#keys = keys
    this.#pending = new Pending(keys.pattern(''))
    link.onRecovery((isNewConnection) => {
      if (this.#context === undefined) return
      if (isNewConnection) {
        this.#isHome = false
        this.#isClean = false
      }
      this.#recover()
    })
  }

  async open(context: StoreContext): Promise<void> {
    await this.#recovery
    this.#context = context
    await this.#link.open(context)
    // The link may have been opened by someone else before.
    this.#recover()
    if (this.#isRecovering) await waitAtMost(FIRST_RECOVERY_MS, this.#recovery)
  }

  async close(): Promise<void> {
    if (this.#context === undefined) return
    this.#context = undefined
    this.#isClean = false
    this.#isHome = false
    this.#entries.forgetAll()
    await this.#link.close()
  }

  get(key: string): MaybePromise<CacheEntry | undefined> {
    if (!this.#isUsable) return undefined
    const name = this.#keys.entry(key)
    // Not GET: what is too long to be an entry is not worth being sent.
    return this.#link.ask(({ send }) => send('GETRANGE', name, '0', LAST_BYTE), {
      read: (bytes) => this.#entries.read(key, bytes),
      fail: () => undefined,
    })
  }

  getTagged(key: string, tags: readonly string[]): MaybePromise<Tagged> {
    if (!this.#isUsable) return { entry: undefined, versions: tags.map(newWorth) }
    const names = tags.map((tag) => this.#keys.tag(tag))
    // One command: whoever writes what is too long under such a key makes it slow, until it is written anew.
    return this.#link.ask(({ getAll }) => getAll([this.#keys.entry(key), ...names]), {
      read: ([bytes, ...known]) => {
        const entry = this.#entries.read(key, bytes)
        if (!known.includes(null)) return { entry, versions: known.map(String) }
        return this.#create(names).then((versions) => ({ entry, versions }))
      },
      fail: () => ({ entry: undefined, versions: tags.map(newWorth) }),
    })
  }

  async set(key: string, entry: CacheEntry, ttlMs: number): Promise<void> {
    const ttl = Math.floor(ttlMs)
    if (!this.#isUsable || !(ttl >= 1)) return
    const bytes = encodeEntry(key, entry)
    if (bytes === undefined) return
    const name = this.#keys.entry(key)
    try {
      await this.#link.run(({ send }) => send('SET', name, bytes, 'PX', String(ttl)))
      this.#saidRefused = false
    } catch (error) {
      if (isServerError(error)) return this.#say(error, 'Redis refused to store a cached value.')
      // It may still be written, after what outdates it.
      this.#forgetLater([name])
    }
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#forget([this.#keys.entry(key)])) > 0
  }

  async clear(prefix: string = ''): Promise<void> {
    const pattern = this.#keys.pattern(prefix)
    if (!this.#isUsable) return this.#clearLater(pattern)
    try {
      await this.#sweep(pattern)
    } catch {
      this.#clearLater(pattern)
    }
  }

  versions(tags: readonly string[]): MaybePromise<readonly string[]> {
    if (tags.length === 0) return []
    if (!this.#isUsable) return tags.map(newWorth)
    const names = tags.map((tag) => this.#keys.tag(tag))
    return this.#link.ask(({ getAll }) => getAll(names), {
      read: (known) => (known.includes(null) ? this.#create(names) : known.map(String)),
      fail: () => names.map(newWorth),
    })
  }

  async invalidate(tags: readonly string[]): Promise<void> {
    // A version that is lost is made anew, and a full Redis can still forget.
    await this.#forget(tags.map((tag) => this.#keys.tag(tag)))
  }

  get #isUsable(): boolean {
    return this.#isClean && this.#link.isAvailable
  }

  /** Asks for something that may just as well be missing. */
  async #ask<T>(send: (driver: Driver) => Promise<T>): Promise<T | undefined> {
    if (!this.#isUsable) return undefined
    return this.#link.ask(send, { read: (value) => value, fail: () => undefined })
  }

  /** Gives a version to each tag that has none. Of several who do, the first one wins. */
  async #create(names: readonly string[]): Promise<readonly string[]> {
    const fresh = names.map(newWorth)
    const known = await this.#ask(({ send }) =>
      Promise.all(
        names.map(async (name, index) => {
          const made = send('SET', name, fresh[index] as string, 'NX', 'PX', MONTH_MS)
          const [, version] = await Promise.all([made.catch(() => null), send('GET', name)])
          return version
        }),
      ),
    )
    // What Redis does not keep is worth something that nothing else is worth.
    return fresh.map((version, index) => String(known?.[index] ?? version))
  }

  /** Forgets keys, now or before anything is read again; gives how many there were, as far as is known. */
  async #forget(names: readonly string[]): Promise<number> {
    if (this.#isUsable) {
      try {
        return await this.#unlink(names)
      } catch {
        // Below.
      }
    }
    this.#forgetLater(names)
    return 0
  }

  #forgetLater(keys: readonly string[]): void {
    this.#pending.add({ keys })
    this.#soil()
  }

  #clearLater(pattern: string): void {
    this.#pending.add({ patterns: [pattern] })
    this.#soil()
  }

  #soil(): void {
    this.#isClean = false
    this.#recover()
  }

  /** One command a key: in a cluster, each has a place of its own. */
  async #unlink(names: readonly (string | Buffer)[]): Promise<number> {
    let count = 0
    for (let start = 0; start < names.length; start += CHUNK) {
      const chunk = names.slice(start, start + CHUNK)
      const counts = await this.#link.run(({ send }) =>
        Promise.all(chunk.map((name) => send('UNLINK', name))),
      )
      for (const one of counts) count += Number(one)
    }
    return count
  }

  async #sweep(pattern: string): Promise<void> {
    for await (const names of findKeys(this.#link, pattern)) await this.#unlink(names)
  }

  #recover(): void {
    if (this.#isClean || this.#isRecovering || this.#context === undefined) return
    if (!this.#link.isAvailable) return
    this.#isRecovering = true
    this.#recovery = this.#replay()
  }

  /** Does what must be done before anything is read. */
  async #replay(): Promise<void> {
    try {
      while (!this.#isHome || !this.#pending.isEmpty) {
        if (!this.#isHome) await this.#checkOrigin()
        await this.#replayBatch()
      }
      this.#isClean = true
      this.#saidRefused = false
    } catch (error) {
      if (isServerError(error))
        this.#say(
          error,
          'Redis refused to delete cached values: nothing is read from it until it does.',
        )
      this.#context?.clock.setTimeout(() => this.#recover(), RETRY_MS)
    } finally {
      // At once: what is to be forgotten from now on begins another one.
      this.#isRecovering = false
    }
  }

  async #replayBatch(): Promise<void> {
    const batch = this.#pending.take()
    try {
      await this.#unlink(batch.keys)
      for (const pattern of batch.patterns) await this.#sweep(pattern)
    } catch (error) {
      this.#pending.add(batch)
      throw error
    }
  }

  /**
   * A server that was started from an old copy of its data, or took over from another, may have entries and versions
   * of tags again that were invalidated. So what another server wrote is forgotten.
   */
  async #checkOrigin(): Promise<void> {
    // A connection that is made during this says `false` again.
    this.#isHome = true
    try {
      await this.#forgetForeign()
    } catch (error) {
      this.#isHome = false
      throw error
    }
  }

  async #forgetForeign(): Promise<void> {
    const origin = await this.#link.run(serversOf)
    const name = this.#keys.origin
    if (origin === undefined) return
    const known = await this.#link.run(({ send }) => send('GET', name))
    if (String(known) === origin) return
    await this.#sweep(this.#keys.pattern(''))
    await this.#link
      .run(({ send }) => send('SET', name, origin, 'PX', MONTH_MS))
      .catch(unlessServerError)
  }

  /** Says what the server refuses, once until it does it again. */
  #say(error: unknown, message: string): void {
    if (this.#saidRefused) return
    this.#saidRefused = true
    this.#context?.logger.warn({ reason: describeFailure(error) }, message)
  }
}

/** What nothing else is worth. */
function newWorth(): string {
  return randomBytes(9).toString('base64url')
}

/** Which servers there are, each start of one a new one; `undefined` when they do not say. */
async function serversOf({ masters }: Driver): Promise<string | undefined> {
  const ids = await Promise.all(
    (await masters()).map(async (send) => {
      const info = await send('INFO', 'server').catch(unlessServerError)
      return /^run_id:(\w+)/m.exec(String(info))?.[1]
    }),
  )
  return ids.includes(undefined) ? undefined : ids.sort().join(' ')
}

/** Goes on where the server has refused; what it does not allow it has not done. */
function unlessServerError(error: unknown): void {
  if (!isServerError(error)) throw error
}
