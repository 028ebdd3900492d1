import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../index.js'
import type { ApiKeyRecord } from './api-keys-options.js'

/** The maximum number of stored keys. When it is exceeded, a new key replaces the oldest one. */
const MOST = 10_000

interface CachedKey<TRecord> {
  readonly record: TRecord
  /** The time when the look-up began, because the result may be that old. */
  readonly since: number
}

interface Flight<TRecord> {
  readonly result: Promise<TRecord | undefined>
  readonly since: number
}

export interface FoundKeysParts<TRecord> {
  readonly clock: Clock
  readonly cacheMs: number
  /** Looks up a key by its hash. */
  readonly find: (hash: string) => Promise<TRecord | undefined>
}

/**
 * Caches valid keys by their hashes. Unknown, revoked and expired keys are not cached. Each of them takes a look-up, so
 * response times do not reveal why a key is refused. In addition, forged keys do not displace valid keys. Requests with
 * the same key share a look-up.
 */
export class FoundKeys<TRecord extends ApiKeyRecord> {
  readonly #parts: FoundKeysParts<TRecord>
  readonly #kept = new Map<string, CachedKey<TRecord>>()
  readonly #flights = new Map<string, Flight<TRecord>>()

  constructor(parts: FoundKeysParts<TRecord>) {
    this.#parts = parts
  }

  /** Returns the key with this hash, synchronously if it is cached. The key may have expired in the meantime. */
  get(hash: string): TRecord | Promise<TRecord | undefined> {
    const { clock, cacheMs, find } = this.#parts
    if (cacheMs === 0) return find(hash)
    const now = clock.monotonic()
    const kept = this.#kept.get(hash)
    if (kept !== undefined) {
      if (now - kept.since < cacheMs) return kept.record
      this.#kept.delete(hash)
    }
    this.#dropOldFlights(now)
    return (this.#flights.get(hash) ?? this.#start(hash, now)).result
  }

  #start(hash: string, since: number): Flight<TRecord> {
    const flight: Flight<TRecord> = { result: this.#look(hash, since), since }
    this.#flights.set(hash, flight)
    const end = () => {
      if (this.#flights.get(hash) === flight) this.#flights.delete(hash)
    }
    flight.result.then(end, end)
    return flight
  }

  async #look(hash: string, since: number): Promise<TRecord | undefined> {
    const { clock, find } = this.#parts
    const record = await find(hash)
    if (record === undefined || !isLive(record, clock.now())) return undefined
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MOST && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(hash, { record, since })
    return record
  }

  /**
   * Removes look-ups that have taken too long, because a look-up that never ends must not block its key forever. The
   * first look-up is the oldest one.
   */
  #dropOldFlights(now: number): void {
    for (const [hash, { since }] of this.#flights) {
      if (now - since < this.#parts.cacheMs) return
      this.#flights.delete(hash)
    }
  }
}

/**
 * Checks the result of `find`, and returns an immutable copy that requests can share.
 *
 * @returns `undefined` if there is no such key.
 * @throws TypeError if the result is not a record of the key with this hash, because of a bug in `find`. The message
 * contains neither the key nor the hash.
 */
export function checkedRecord<TRecord extends ApiKeyRecord>(
  record: TRecord | null | undefined,
  hash: string,
): TRecord | undefined {
  if (record === undefined || record === null) return undefined
  if (typeof record !== 'object') throw mistake('a record', typeof record)
  if (typeof record.id !== 'string' || record.id === '')
    throw mistake('a non-empty string as `id`', typeof record.id)
  if (!isSame(record.hash, hash)) {
    throw new TypeError(
      `apiKeys(): \`find\` returned the key ${record.id}, whose \`hash\` differs from the requested hash. Search a column that stores the SHA-256 hash of each key in lower-case hexadecimal digits.`,
    )
  }
  const { tenant } = record
  if (!isTextOrNone(tenant)) throw mistake('a non-empty string as `tenant`', typeof tenant)
  return Object.freeze({
    ...record,
    permissions: namesOf(record, 'permissions'),
    roles: namesOf(record, 'roles'),
    expiresAt: expiryOf(record),
  })
}

/** Whether a key is neither revoked nor expired. */
export function isLive({ revokedAt, expiresAt }: ApiKeyRecord, now: number): boolean {
  const isRevoked = revokedAt !== undefined && revokedAt !== null
  return !isRevoked && (typeof expiresAt !== 'number' || now < expiresAt)
}

function isSame(hash: unknown, wanted: string): boolean {
  if (typeof hash !== 'string' || hash.length !== wanted.length) return false
  const [one, other] = [Buffer.from(hash), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value !== '')
}

/**
 * Returns the names in a field. A string is refused, because `includes` would accept any substring of it:
 * `'orders:write'.includes('orders')`.
 */
function namesOf(record: ApiKeyRecord, field: 'permissions' | 'roles'): readonly string[] {
  const names: unknown = record[field] ?? []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) {
    return Object.freeze([...names])
  }
  throw mistake(`a list of strings as \`${field}\``, typeof names)
}

/** Returns the expiry of a key. Refuses an invalid date, with which the key would never expire. */
function expiryOf({ expiresAt }: ApiKeyRecord): number | null {
  if (expiresAt === undefined || expiresAt === null) return null
  const ms = expiresAt instanceof Date ? expiresAt.getTime() : expiresAt
  if (typeof ms === 'number' && !Number.isNaN(ms)) return ms
  throw mistake('a valid Date or milliseconds as `expiresAt`', typeof expiresAt)
}

function mistake(wanted: string, got: string): TypeError {
  return new TypeError(
    `apiKeys(): \`find\` must return ${wanted}, but the value has the type ${got}.`,
  )
}
