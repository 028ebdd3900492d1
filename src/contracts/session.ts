import type { MaybePromise, StoreContext } from './cache.js'
import type { PluginContext } from './plugin.js'

/** The values of a session by name, each as a JSON string. */
export type SessionFields = Readonly<Record<string, string>>

/** A session in a store, as plain data. All times are milliseconds since 1970, from the application's clock. */
export interface SessionRecord {
  /** The SHA-256 digest of the session ID, as base64url. The ID itself is only in the cookie. */
  readonly id: string
  /** The values of the session. */
  readonly fields: SessionFields
  /** The key that identifies the user and the tenant in {@link SessionStore.list}; `null` before a login. */
  readonly userKey: string | null
  /** The JSON of the logged-in user, or of the user's ID; `null` before a login. */
  readonly user: string | null
  /** The tenant of the session; `null` if it has none. */
  readonly tenant: string | null
  /** When the session began. A login changes this time, but a new ID does not. */
  readonly createdAt: number
  /** The time of the last use, or slightly earlier, because not every request updates it. */
  readonly usedAt: number
  /** When the session expires if it is not used again. Never after `endsAt`. */
  readonly idleAt: number
  /** When the session expires in any case. */
  readonly endsAt: number
}

/** A change of some values of a session. */
export interface SessionChange {
  /** The new values by name, each as a JSON string; `null` removes a value. */
  readonly set: Readonly<Record<string, string | null>>
  /**
   * The values that the fields must still have for the change to apply (compare-and-set); `null` for a missing field.
   */
  readonly expected: Readonly<Record<string, string | null>>
  /** The new `usedAt`. */
  readonly usedAt: number
  /** The new `idleAt`. */
  readonly idleAt: number
}

/** The result of a {@link SessionChange}. The session has changed only if it is `'written'`. */
export type SessionWrite = 'written' | 'conflict' | 'gone'

/** The parts of its application that a session store can use. */
export interface SessionStoreContext
  extends StoreContext,
    Pick<PluginContext, 'get' | 'usesTenants'> {}

/**
 * Stores the sessions of `blazon/sessions`. Each method is atomic across all processes that share the store, so that
 * concurrent requests cannot lose a change. If a method fails, it rejects within a bounded time, and the request is
 * refused with 503.
 */
export interface SessionStore {
  /** Whether all processes share the sessions, and the sessions survive restarts. Must be `true` in production. */
  readonly isShared: boolean
  /**
   * Returns the store for one application. The framework calls this method once for each application. Implement it if
   * two applications must not share a store. Default: the store itself.
   */
  forApplication?(): SessionStore
  /** Returns a session; `undefined` if there is none. The caller checks whether the session has expired. */
  read(id: string): MaybePromise<SessionRecord | undefined>
  /** Stores a new session. */
  create(record: SessionRecord): MaybePromise<void>
  /**
   * Changes some values if the expected values have not changed since the caller read them. Other values stay
   * unchanged.
   */
  write(id: string, change: SessionChange): MaybePromise<SessionWrite>
  /** Records the use of a session. Has no effect on an ended session, which must not become valid again. */
  touch(id: string, times: Pick<SessionChange, 'usedAt' | 'idleAt'>): MaybePromise<void>
  /** Removes a session and returns its last state. Of several concurrent calls, only one receives the state. */
  take(id: string): MaybePromise<SessionRecord | undefined>
  /** Returns the sessions of a user, in any order. Some of them may have ended. */
  list(userKey: string): MaybePromise<readonly SessionRecord[]>
  /** Removes all sessions of a user except one. Returns the number of removed sessions that had not ended. */
  removeAll(userKey: string, exceptId?: string): MaybePromise<number>
  /**
   * Calls a function after all writes of the current code have been committed, and before the response begins. If the
   * writes are rolled back, the function is not called. Implement this method if sessions are written in the
   * transaction of a request, so that no cookie is sent for a change that was not saved. If omitted, a write must be
   * saved when the method that writes it completes.
   */
  afterCommit?(task: () => void): MaybePromise<void>
  /**
   * Rejects if sessions cannot be read or written now. `sessions()` is then `down` in the report of `Health`. Omit this
   * method if another plugin already checks the store's server. Default: no check.
   */
  check?(): MaybePromise<void>
  /** Prepares the store after the plugins have been set up. Each application that uses the store calls this method. */
  open?(context: SessionStoreContext): MaybePromise<void>
  /** Releases the resources of the store. The framework calls this method once for each `open`. */
  close?(): MaybePromise<void>
}
