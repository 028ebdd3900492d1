import { randomBytes } from 'node:crypto'
import type { CacheStore } from '../../index.js'
import {
  type CacheEntry,
  type MaybePromise,
  orStandIn,
  type StoreContext,
} from '../../plugin/index.js'
import type { Driver } from './driver.js'
import { EntryReader, encodeEntry, MAX_ENTRY } from './entry-codec.js'
import { describeFailure, isServerError, waitAtMost } from './failures.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { findKeys, linkOf } from './link-commands.js'
import { Pending } from './pending.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'

const LAST_BYTE = String(MAX_ENTRY)
/**
 * The lifetime of tag versions and of the recorded origin. When a tag version expires, the entries with that version
 * are outdated.
 */
const MONTH_MS = String(30 * 24 * 3_600_000)
/** The number of keys that are deleted within one deadline. */
const CHUNK = 500
/** How long startup waits for pending deletions, in milliseconds. */
const FIRST_RECOVERY_MS = 1000
/** The pause before failed deletions are tried again, in milliseconds. It applies if no event signals a recovery. */
const RETRY_MS = 1000

/**
 * Creates a cache store in Redis that several processes share. If Redis does not reply in time, every read is a miss,
 * and nothing is stored. A request waits for at most one `timeout`. Later requests do not wait, because no command is
 * sent until Redis is available again. Values that were invalidated during the outage are deleted before any entry is
 * read again. The store needs the peer dependency `redis`.
 *
 * @param options The address of Redis and the timeout. Default: `redis://127.0.0.1:6379`, `'50ms'`.
 * @throws ConfigError at boot if an option is invalid or `redis` is not installed.
 * @example
 * new App({ cache: { store: redisCache({ url: 'rediss://cache.example:6380' }) } })
 */
export function redisCache(options: RedisOptions = {}): CacheStore {
  return orStandIn<CacheStore>(
    () => {
      checkRedisOptions('redisCache()', options)
      return new RedisCache(linkOf(options), new Keys(prefixOf(options)))
    },
    () => redisCache(),
  )
}

type Tagged = Awaited<ReturnType<NonNullable<CacheStore['getTagged']>>>

class RedisCache implements CacheStore {
  readonly #link: Link
  readonly #keys: Keys
  readonly #pending: Pending
  readonly #entries: EntryReader = new EntryReader()
  #context: StoreContext | undefined
  /** Whether all pending deletions have run. Until then, no entries are read. */
  #isClean = false
  /** Whether the entries are known to come from the servers that are currently connected. */
  #isHome = false
  #isRecovering = false
  #recovery: Promise<void> | undefined
  #hasLoggedRefusal = false

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
    // Another user of the shared link may already have opened it, in which case no recovery event follows.
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

  async check(): Promise<void> {
    await this.#link.check()
  }

  get(key: string): MaybePromise<CacheEntry | undefined> {
    if (!this.#isUsable) return undefined
    const name = this.#keys.entry(key)
    // `GETRANGE`, unlike `GET`, limits the reply to the maximum size of a valid entry.
    return this.#link.call(({ send }) => send('GETRANGE', name, '0', LAST_BYTE), {
      read: (bytes) => this.#entries.read(key, bytes),
      fail: () => undefined,
    })
  }

  getTagged(key: string, tags: readonly string[]): MaybePromise<Tagged> {
    if (!this.#isUsable) return { entry: undefined, versions: tags.map(newVersion) }
    const names = tags.map((tag) => this.#keys.tag(tag))
    // One command reads the entry and its tags. It does not limit the length, so an unrelated value that is too long
    // slows this read down until the entry is written again.
    return this.#link.call(({ getAll }) => getAll([this.#keys.entry(key), ...names]), {
      read: ([bytes, ...known]) => {
        const entry = this.#entries.read(key, bytes)
        if (!known.includes(null)) return { entry, versions: known.map(String) }
        return this.#create(names).then((versions) => ({ entry, versions }))
      },
      fail: () => ({ entry: undefined, versions: tags.map(newVersion) }),
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
      this.#hasLoggedRefusal = false
    } catch (error) {
      if (isServerError(error))
        return this.#logRefusal(error, 'Redis refused to store a cached value.')
      // After a timeout, the server may still run the `SET`, possibly after an invalidation. So the key is deleted
      // later.
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
    if (!this.#isUsable) return tags.map(newVersion)
    const names = tags.map((tag) => this.#keys.tag(tag))
    return this.#link.call(({ getAll }) => getAll(names), {
      read: (known) => (known.includes(null) ? this.#create(names) : known.map(String)),
      fail: () => names.map(newVersion),
    })
  }

  async invalidate(tags: readonly string[]): Promise<void> {
    // The versions are deleted, not replaced: the next read creates a missing version, and a server that is out of
    // memory can still delete.
    await this.#forget(tags.map((tag) => this.#keys.tag(tag)))
  }

  get #isUsable(): boolean {
    return this.#isClean && this.#link.isAvailable
  }

  /** Sends commands whose result is optional. Returns `undefined` if they fail. */
  async #try<T>(send: (driver: Driver) => Promise<T>): Promise<T | undefined> {
    if (!this.#isUsable) return undefined
    return this.#link.call(send, { read: (value) => value, fail: () => undefined })
  }

  /** Creates a version for each tag that has none. If several processes do so, the first version is kept (`NX`). */
  async #create(names: readonly string[]): Promise<readonly string[]> {
    const fresh = names.map(newVersion)
    const known = await this.#try(({ send }) =>
      Promise.all(
        names.map(async (name, index) => {
          const made = send('SET', name, fresh[index] as string, 'NX', 'PX', MONTH_MS)
          const [, version] = await Promise.all([made.catch(() => null), send('GET', name)])
          return version
        }),
      ),
    )
    // If Redis stored nothing, the version is random and matches no entry.
    return fresh.map((version, index) => String(known?.[index] ?? version))
  }

  /**
   * Deletes keys immediately, or otherwise before any entry is read again. Returns the number of keys that existed, or
   * 0 if this number is unknown.
   */
  async #forget(names: readonly string[]): Promise<number> {
    if (this.#isUsable) {
      try {
        return await this.#unlink(names)
      } catch {
        // The keys are deleted later, see below.
      }
    }
    this.#forgetLater(names)
    return 0
  }

  #forgetLater(keys: readonly string[]): void {
    this.#pending.add({ keys })
    this.#recoverLater()
  }

  #clearLater(pattern: string): void {
    this.#pending.add({ patterns: [pattern] })
    this.#recoverLater()
  }

  #recoverLater(): void {
    this.#isClean = false
    this.#recover()
  }

  /** Deletes keys with one command per key, because the keys may be on different servers in a cluster. */
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

  /** Runs the pending deletions, then allows reads again. */
  async #replay(): Promise<void> {
    try {
      while (!this.#isHome || !this.#pending.isEmpty) {
        if (!this.#isHome) await this.#checkOrigin()
        await this.#replayBatch()
      }
      this.#isClean = true
      this.#hasLoggedRefusal = false
    } catch (error) {
      if (isServerError(error))
        this.#logRefusal(
          error,
          'Redis refused to delete cached values: no cached value is read until it deletes them.',
        )
      this.#context?.clock.setTimeout(() => this.#recover(), RETRY_MS)
    } finally {
      // The flag is set synchronously, because a deletion that is added from now on must start a new recovery.
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
   * Checks which servers the entries were written to. A server that was restored from a backup, or became primary after
   * a failover, may contain entries and tag versions that have been invalidated since. So if the entries were written
   * to other servers, they are all deleted.
   */
  async #checkOrigin(): Promise<void> {
    // The flag is set before the check, because a connection that is opened during the check resets it to `false`.
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

  /** Logs that the server refused a command: only once, until the server accepts a command again. */
  #logRefusal(error: unknown, message: string): void {
    if (this.#hasLoggedRefusal) return
    this.#hasLoggedRefusal = true
    this.#context?.logger.warn({ reason: describeFailure(error) }, message)
  }
}

/** Returns a random version that no other tag has had. */
function newVersion(): string {
  return randomBytes(9).toString('base64url')
}

/**
 * Returns the run IDs of all servers, which change whenever a server starts; `undefined` if a server does not report
 * its run ID.
 */
async function serversOf({ masters }: Driver): Promise<string | undefined> {
  const ids = await Promise.all(
    (await masters()).map(async (send) => {
      const info = await send('INFO', 'server').catch(unlessServerError)
      return /^run_id:(\w+)/m.exec(String(info))?.[1]
    }),
  )
  return ids.includes(undefined) ? undefined : ids.sort().join(' ')
}

/** Ignores an error reply from the server, because the command had no effect. Throws any other error. */
function unlessServerError(error: unknown): void {
  if (!isServerError(error)) throw error
}
