import type { MaybePromise, StoreContext } from './cache.js'
import type { PluginContext } from './plugin.js'

/** The values of a session by name, each as the text of its JSON. */
export type SessionFields = Readonly<Record<string, string>>

/** A session in a store, as plain data. All times are milliseconds since 1970, of the application's clock. */
export interface SessionRecord {
  /** The SHA-256 digest of the session's id, as base64url. The id itself is only in the cookie. */
  readonly id: string
  /** The values of the session. */
  readonly fields: SessionFields
  /** The key of the user in {@link SessionStore.list}, which contains the tenant; `null` before a login. */
  readonly userKey: string | null
  /** The JSON of the user that has logged in, or of the user's id; `null` before a login. */
  readonly user: string | null
  /** The tenant of the session; `null` if it has none. */
  readonly tenant: string | null
  /** The start of the session. A new id does not change it; a login does. */
  readonly createdAt: number
  /** The time of the last use, or a little earlier, because not every request writes it. */
  readonly usedAt: number
  /** When the session expires if it is not used again. Never after `endsAt`. */
  readonly idleAt: number
  /** When the session expires in any case. */
  readonly endsAt: number
}

/** A change of some values of a session. */
export interface SessionChange {
  /** The new texts by name; `null` removes a value. */
  readonly set: Readonly<Record<string, string | null>>
  /** The values that the fields must still have; `null` for a missing field. */
  readonly expected: Readonly<Record<string, string | null>>
  /** The new `usedAt`. */
  readonly usedAt: number
  /** The new `idleAt`. */
  readonly idleAt: number
}

/** The result of a {@link SessionChange}. Only `'written'` has changed the session. */
export type SessionWrite = 'written' | 'conflict' | 'gone'

/** The parts of its application that a session store may use. */
export interface SessionStoreContext
  extends StoreContext,
    Pick<PluginContext, 'get' | 'usesTenants'> {}

/**
 * Stores the sessions of `blazon/sessions`. Each method does its work at once for all processes that share the store, so
 * that parallel requests cannot lose a change. A method that cannot do its work rejects within bounded time: the request
 * is then refused with 503.
 */
export interface SessionStore {
  /** Whether all processes share the sessions, and restarts keep them. Required in production. */
  readonly isShared: boolean
  /**
   * Called once for each application. Returns the store that it uses, for a store that two applications must not share.
   * Default: the store itself.
   */
  forApplication?(): SessionStore
  /** Returns a session; `undefined` if there is none. The caller checks whether the session has expired. */
  read(id: string): MaybePromise<SessionRecord | undefined>
  /** Stores a new session. */
  create(record: SessionRecord): MaybePromise<void>
  /** Changes some values if they still equal the values that the caller read. Other values stay unchanged. */
  write(id: string, change: SessionChange): MaybePromise<SessionWrite>
  /** Records the use of a session. Has no effect on an ended session, which must not become valid again. */
  touch(id: string, times: Pick<SessionChange, 'usedAt' | 'idleAt'>): MaybePromise<void>
  /** Removes a session and returns its last state. Of several concurrent calls, only one receives it. */
  take(id: string): MaybePromise<SessionRecord | undefined>
  /** Returns the sessions of a user, in any order. Some may have ended. */
  list(userKey: string): MaybePromise<readonly SessionRecord[]>
  /** Removes all sessions of a user except one. Returns their number. */
  removeAll(userKey: string, exceptId?: string): MaybePromise<number>
  /**
   * Calls a function when all writes of the current code are saved, before the response begins, and never if they are
   * rolled back. For a store whose sessions belong to the transaction of a request: a cookie that belongs to a change
   * which is not saved is not sent. Default: the writes of a method are saved when the method has done its work.
   */
  afterCommit?(task: () => void): MaybePromise<void>
  /**
   * Rejects if sessions can be neither read nor written now. `sessions()` is then `down` in the report of `Health`.
   * Default: no check, for a store whose server another plugin already checks.
   */
  check?(): MaybePromise<void>
  /** Makes the store ready, after the plugins are set up. A store that several applications use is opened by each. */
  open?(context: SessionStoreContext): MaybePromise<void>
  /** Releases the resources of the store, once for each `open`. */
  close?(): MaybePromise<void>
}
