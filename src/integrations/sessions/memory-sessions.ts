import type { SessionStore } from '../../index.js'
import {
  type OptionNames,
  refuseUnknown,
  type SessionChange,
  type SessionRecord,
  type SessionStoreContext,
  type SessionWrite,
} from '../../plugin/index.js'

const DEFAULT_MAX_SESSIONS = 10_000
/**
 * How many ended sessions a new session removes at most, separately for anonymous and other sessions. The number is
 * greater than one, so that the number of ended sessions decreases.
 */
const FORGOTTEN_AT_ONCE = 2

/** Options of `memorySessions`. */
export interface MemorySessionsOptions {
  /** The maximum number of concurrent sessions. Default: 10,000. */
  readonly maxSessions?: number
}

const NAMES: OptionNames<MemorySessionsOptions> = { maxSessions: true }

/**
 * Creates a store in the memory of this process, for development and tests. It is the default of `sessions()`, but it
 * is refused in production, because a restart would log all users out, and other processes would not have the sessions.
 * When the store is full, a new session replaces the least recently used session, anonymous sessions first. Each
 * application has its own sessions.
 *
 * @throws RangeError if `maxSessions` is not a whole number of at least 1.
 * @example
 * const web = sessions({ store: memorySessions({ maxSessions: 100 }) })
 */
export function memorySessions(options: MemorySessionsOptions = {}): SessionStore {
  refuseUnknown('memorySessions()', options, NAMES)
  const { maxSessions = DEFAULT_MAX_SESSIONS } = options
  if (!Number.isInteger(maxSessions) || maxSessions < 1) {
    throw new RangeError(
      `memorySessions(): maxSessions is ${String(maxSessions)}; pass a whole number above 0.`,
    )
  }
  return new MemorySessions(maxSessions)
}

class MemorySessions implements SessionStore {
  readonly isShared = false
  readonly #max: number
  /**
   * The sessions in the order of their last use. Anonymous sessions are separate, because clients can create any number
   * of them.
   */
  readonly #anonymous = new Map<string, SessionRecord>()
  readonly #named = new Map<string, SessionRecord>()
  readonly #users = new Map<string, Set<string>>()
  #context: SessionStoreContext | undefined

  constructor(max: number) {
    this.#max = max
  }

  forApplication(): SessionStore {
    return new MemorySessions(this.#max)
  }

  open(context: SessionStoreContext): void {
    this.#context = context
  }

  read(id: string): SessionRecord | undefined {
    return this.#named.get(id) ?? this.#anonymous.get(id)
  }

  create(record: SessionRecord): void {
    this.#forgetEnded()
    while (this.#anonymous.size + this.#named.size >= this.#max) this.#dropOldest()
    this.#put(record)
    if (record.userKey === null) return
    const ids = this.#users.get(record.userKey) ?? new Set()
    this.#users.set(record.userKey, ids.add(record.id))
  }

  write(id: string, { set, expected, usedAt, idleAt }: SessionChange): SessionWrite {
    const record = this.read(id)
    if (record === undefined) return 'gone'
    const fields = new Map(Object.entries(record.fields))
    for (const [name, text] of Object.entries(expected)) {
      if ((fields.get(name) ?? null) !== text) return 'conflict'
    }
    for (const [name, text] of Object.entries(set)) {
      if (text === null) fields.delete(name)
      else fields.set(name, text)
    }
    this.#put({ ...record, fields: Object.fromEntries(fields), usedAt, idleAt })
    return 'written'
  }

  touch(id: string, times: Pick<SessionChange, 'usedAt' | 'idleAt'>): void {
    const record = this.read(id)
    if (record !== undefined) this.#put({ ...record, ...times })
  }

  take(id: string): SessionRecord | undefined {
    const record = this.read(id)
    if (record === undefined) return undefined
    this.#mapOf(record).delete(id)
    if (record.userKey !== null) {
      const ids = this.#users.get(record.userKey)
      ids?.delete(id)
      if (ids?.size === 0) this.#users.delete(record.userKey)
    }
    return record
  }

  list(userKey: string): SessionRecord[] {
    return [...(this.#users.get(userKey) ?? [])].flatMap((id) => this.read(id) ?? [])
  }

  removeAll(userKey: string, exceptId?: string): number {
    const records = this.list(userKey).filter(({ id }) => id !== exceptId)
    for (const { id } of records) this.take(id)
    const now = this.#now()
    return records.filter(({ idleAt }) => idleAt > now).length
  }

  #mapOf({ userKey }: SessionRecord): Map<string, SessionRecord> {
    return userKey === null ? this.#anonymous : this.#named
  }

  /** Stores a record as the most recently used record. */
  #put(record: SessionRecord): void {
    const map = this.#mapOf(record)
    map.delete(record.id)
    map.set(record.id, record)
  }

  #now(): number {
    return this.#context?.clock.now() ?? 0
  }

  #forgetEnded(): void {
    const now = this.#now()
    for (const map of [this.#anonymous, this.#named]) {
      let left = FORGOTTEN_AT_ONCE
      for (const { id, idleAt } of map.values()) {
        if (left-- === 0 || idleAt > now) break
        this.take(id)
      }
    }
  }

  #dropOldest(): void {
    const [oldest] = this.#anonymous.size > 0 ? this.#anonymous.keys() : this.#named.keys()
    if (oldest !== undefined) this.take(oldest)
  }
}
