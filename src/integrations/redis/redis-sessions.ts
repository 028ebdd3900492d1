import type { SessionStore } from '../../index.js'
import {
  orStandIn,
  type SessionChange,
  type SessionRecord,
  type SessionStoreContext,
  type SessionWrite,
} from '../../plugin/index.js'
import { Keys } from './keys.js'
import type { Link } from './link.js'
import { patientLinkOf, runScript, type Script, script } from './link-commands.js'
import { checkRedisOptions, prefixOf, type RedisOptions } from './redis-options.js'

/** The maximum number of IDs that are removed from the list of a user's sessions at once. */
const CHUNK = 500

/** Reads a session: a hash of its fields, with each value under `v:<name>`. Each script is atomic. */
const READ = script("return redis.call('HGETALL', KEYS[1])")

/** Creates a session. ARGV: the lifetime, then alternating names and values. */
const CREATE = script(`redis.call('DEL', KEYS[1])
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`)

/**
 * Changes a session. ARGV: `lifetime`, `usedAt`, `idleAt`; then for each value its name, the expected string and the
 * new string. `=` precedes a string, `-` stands for no value, and `*` for any value or no change.
 */
const WRITE = script(`if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 4, #ARGV, 3 do
  local text = redis.call('HGET', KEYS[1], ARGV[i])
  local found = text and '=' .. text or '-'
  if ARGV[i + 1] ~= '*' and found ~= ARGV[i + 1] then return -1 end
end
for i = 4, #ARGV, 3 do
  if ARGV[i + 2] == '-' then redis.call('HDEL', KEYS[1], ARGV[i])
  elseif ARGV[i + 2] ~= '*' then redis.call('HSET', KEYS[1], ARGV[i], string.sub(ARGV[i + 2], 2)) end
end
redis.call('HSET', KEYS[1], 'usedAt', ARGV[2])
redis.call('HSET', KEYS[1], 'idleAt', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`)

const TAKE = script(`local found = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return found`)

/**
 * Adds a session to the list of a user's sessions. ARGV: the digest, the lifetime. The list expires with its last
 * session.
 */
const NOTE = script(`redis.call('SADD', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`)

/** The fields of a session, without its values. */
const FACTS = ['userKey', 'user', 'tenant', 'createdAt', 'usedAt', 'idleAt', 'endsAt'] as const

/**
 * Creates a store in Redis for `sessions()` from `blazon/sessions`. Several processes can share the store. If Redis
 * does not reply in time, requests that read or write a session are refused with a 503 response. Redis deletes expired
 * sessions. Use an instance that does not evict keys (`maxmemory-policy noeviction`), because evicting a session logs
 * its user out. The store needs the peer dependency `redis`.
 *
 * @param options The address of Redis and the timeout. Default: `redis://127.0.0.1:6379`, `'500ms'`.
 * @throws ConfigError at boot if an option is invalid or `redis` is not installed.
 * @example
 * export const web = sessions({ store: redisSessions({ url: 'rediss://sessions.example:6380' }) })
 */
export function redisSessions(options: RedisOptions = {}): SessionStore {
  return orStandIn<SessionStore>(
    () => {
      checkRedisOptions('redisSessions()', options)
      return new RedisSessions(patientLinkOf(options), new Keys(prefixOf(options)))
    },
    () => redisSessions(),
  )
}

class RedisSessions implements SessionStore {
  readonly isShared = true
  readonly #link: Link
  readonly #keys: Keys
  #users = 0

  constructor(link: Link, keys: Keys) {
    this.#link = link
    this.#keys = keys
  }

  async open(context: SessionStoreContext): Promise<void> {
    this.#users++
    await this.#link.open(context)
  }

  async close(): Promise<void> {
    if (this.#users === 0) return
    this.#users--
    await this.#link.close()
  }

  async check(): Promise<void> {
    await this.#link.check()
  }

  async read(id: string): Promise<SessionRecord | undefined> {
    return recordOf(id, await this.#run(READ, this.#keys.session(id)))
  }

  async create(record: SessionRecord): Promise<void> {
    // The list is written first, because a session that is missing from the list could not be revoked.
    await this.#note(record)
    const facts = FACTS.flatMap((name) =>
      record[name] === null ? [] : [name, String(record[name])],
    )
    const values = Object.entries(record.fields).flatMap(([name, text]) => [`v:${name}`, text])
    const key = this.#keys.session(record.id)
    await this.#run(CREATE, key, lifetimeOf(record.idleAt - record.usedAt), ...facts, ...values)
    // In the meantime, `list` may have removed the ID, because the session did not exist yet.
    await this.#note(record)
  }

  async #note({ id, userKey, usedAt, endsAt }: SessionRecord): Promise<void> {
    if (userKey === null) return
    await this.#run(NOTE, this.#keys.sessionsOf(userKey), id, lifetimeOf(endsAt - usedAt))
  }

  async write(id: string, change: SessionChange): Promise<SessionWrite> {
    const mark = (texts: SessionChange['set'], name: string) => {
      if (!Object.hasOwn(texts, name)) return '*'
      return texts[name] === null ? '-' : `=${texts[name]}`
    }
    const names = Object.keys({ ...change.expected, ...change.set })
    const words = names.flatMap((name) => [
      `v:${name}`,
      mark(change.expected, name),
      mark(change.set, name),
    ])
    const result = await this.#run(WRITE, this.#keys.session(id), ...timesOf(change), ...words)
    if (result === 1) return 'written'
    return result === 0 ? 'gone' : 'conflict'
  }

  async touch(id: string, times: Pick<SessionChange, 'usedAt' | 'idleAt'>): Promise<void> {
    await this.#run(WRITE, this.#keys.session(id), ...timesOf(times))
  }

  async take(id: string): Promise<SessionRecord | undefined> {
    const record = recordOf(id, await this.#run(TAKE, this.#keys.session(id)))
    const { userKey } = record ?? {}
    if (userKey != null) {
      const list = this.#keys.sessionsOf(userKey)
      await this.#link.run(({ send }) => send('SREM', list, id))
    }
    return record
  }

  async list(userKey: string): Promise<SessionRecord[]> {
    const ids = await this.#idsOf(userKey)
    const found = await Promise.all(ids.map((id) => this.read(id)))
    const lost = ids.filter((_, index) => found[index] === undefined)
    // These sessions have expired in Redis. They cannot return, because every new session has a new ID.
    if (lost.length > 0) {
      const list = this.#keys.sessionsOf(userKey)
      await this.#link.run(({ send }) => send('SREM', list, ...lost.slice(0, CHUNK)))
    }
    return found.filter((record) => record !== undefined)
  }

  async removeAll(userKey: string, exceptId?: string): Promise<number> {
    const ids = (await this.#idsOf(userKey)).filter((id) => id !== exceptId)
    const taken: (SessionRecord | undefined)[] = []
    for (let at = 0; at < ids.length; at += CHUNK) {
      const part = ids.slice(at, at + CHUNK)
      taken.push(...(await Promise.all(part.map((id) => this.take(id)))))
    }
    return taken.filter((record) => record !== undefined).length
  }

  async #idsOf(userKey: string): Promise<string[]> {
    const list = this.#keys.sessionsOf(userKey)
    const reply = await this.#link.run(({ send }) => send('SMEMBERS', list))
    return [...(reply as Iterable<unknown>)].map(String)
  }

  #run(script: Script, key: string, ...words: string[]): Promise<unknown> {
    return runScript(this.#link, script, [key, ...words])
  }
}

function timesOf({ usedAt, idleAt }: Pick<SessionChange, 'usedAt' | 'idleAt'>): string[] {
  return [lifetimeOf(idleAt - usedAt), String(usedAt), String(idleAt)]
}

/**
 * Returns a lifetime for Redis in whole milliseconds. It can be rounded up, because the reader also compares the times
 * with the application's clock.
 */
function lifetimeOf(ms: number): string {
  return String(Math.max(1, Math.ceil(ms)))
}

/**
 * Converts a reply to a session.
 *
 * @param reply Alternating names and values.
 */
function recordOf(id: string, reply: unknown): SessionRecord | undefined {
  const words = (reply as unknown[]).map(String)
  if (words.length === 0) return undefined
  const facts = new Map<string, string>()
  const fields: [name: string, text: string][] = []
  for (let at = 0; at < words.length; at += 2) {
    const [name, text] = words.slice(at, at + 2) as [string, string]
    if (name.startsWith('v:')) fields.push([name.slice(2), text])
    else facts.set(name, text)
  }
  const text = (name: (typeof FACTS)[number]) => facts.get(name) ?? null
  const time = (name: (typeof FACTS)[number]) => Number(facts.get(name))
  return {
    id,
    fields: Object.fromEntries(fields),
    userKey: text('userKey'),
    user: text('user'),
    tenant: text('tenant'),
    createdAt: time('createdAt'),
    usedAt: time('usedAt'),
    idleAt: time('idleAt'),
    endsAt: time('endsAt'),
  }
}
