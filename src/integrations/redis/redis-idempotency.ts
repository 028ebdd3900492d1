import { randomUUID } from 'node:crypto'
import { HttpError, type IdempotencyStore, type Logger } from '../../index.js'
import {
  type IdempotencyClaim,
  type IdempotencyStoreContext,
  orStandIn,
} from '../../plugin/index.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { patientLinkOf, runScript, type Script, script } from './link-commands.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'

/**
 * How long a running request keeps its claim on a key, in milliseconds. The claim expires, because the process may end
 * before the request does.
 */
const LEASE_MS = 120_000

/** ARGV: the mark of the claim, its lifetime. Returns the existing value; an empty string if the claim was stored. */
const CLAIM = script(`local found = redis.call('GET', KEYS[1])
if found then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''`)

/** ARGV: the mark of the claim, the record, its lifetime. Another request may have claimed the key in the meantime. */
const KEEP = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

const FREE = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

/**
 * Creates a store in Redis for `@Idempotent()`. Several processes can share the store. Redis is not part of the
 * transaction in which a handler writes, so a write runs at least once, not exactly once: if the process ends or Redis
 * fails after the write but before the record is stored, a repeated request runs again. A request that runs for more
 * than two minutes loses its claim. If Redis does not reply in time, requests with an `Idempotency-Key` are refused
 * with a 503 response. Use an instance that does not evict keys (`maxmemory-policy noeviction`). The store needs the
 * peer dependency `redis`.
 *
 * With `postgres()`, do not configure another store, because `postgres()` saves the record in the same transaction as
 * the write.
 *
 * @param options The address of Redis and the timeout. Default: `redis://127.0.0.1:6379`, `'500ms'`.
 * @throws ConfigError at boot if an option is invalid or `redis` is not installed.
 * @example
 * new App({ providers: [{ token: IdempotencyStore, useValue: redisIdempotency({ url: process.env.REDIS_URL }) }] })
 */
export function redisIdempotency(options: RedisOptions = {}): IdempotencyStore {
  return orStandIn<IdempotencyStore>(
    () => {
      checkRedisOptions('redisIdempotency()', options)
      return new RedisIdempotency(patientLinkOf(options), new Keys(prefixOf(options)))
    },
    () => redisIdempotency(),
  )
}

class RedisIdempotency implements IdempotencyStore {
  readonly isShared = true
  readonly #link: Link
  readonly #keys: Keys
  #logger: Logger | undefined

  constructor(link: Link, keys: Keys) {
    this.#link = link
    this.#keys = keys
  }

  async open(context: IdempotencyStoreContext): Promise<void> {
    this.#logger = context.logger
    await this.#link.open(context)
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  async check(): Promise<void> {
    await this.#link.check()
  }

  async claim(key: string, ttlMs: number): Promise<IdempotencyClaim> {
    const name = this.#keys.idempotency(key)
    // A record is JSON, so it never begins with `?`.
    const mine = `?${randomUUID()}`
    const found = await this.#run(CLAIM, name, mine, LEASE_MS).catch((cause) => {
      throw new HttpError(503, undefined, {
        code: 'IDEMPOTENCY_UNAVAILABLE',
        cause,
        headers: LATER,
      })
    })
    if (found !== '') {
      return found.startsWith('?') ? { state: 'running' } : { state: 'kept', record: found }
    }
    return {
      state: 'claimed',
      keep: (record) => this.#keep([name, mine, record, ttlMs]),
      free: async () => void (await this.#run(FREE, name, mine)),
    }
  }

  /** Stores the record. The write has already run, so its response is sent even if storing the record fails. */
  async #keep(words: [string, string, string, number]): Promise<void> {
    try {
      if ((await this.#run(KEEP, ...words)) !== '1')
        throw new Error('The key no longer belongs to this request.')
    } catch (err) {
      this.#logger?.warn(
        { err },
        'The response of an @Idempotent() route was not stored, so a repeated request can run the handler again.',
      )
    }
  }

  async #run(script: Script, ...words: readonly (string | number)[]): Promise<string> {
    return String(await runScript(this.#link, script, words.map(String)))
  }
}

const LATER = { 'Retry-After': '1' }
