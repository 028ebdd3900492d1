import type { MaybePromise, StoreContext } from './cache.js'
import type { OfRequest } from './handler.js'
import type { Duration } from './limits.js'

/**
 * How a limit distinguishes callers. Limits by `'ip'` count requests before the guard, all other limits after it.
 * `'key'` is the ID of the key that a guard such as `apiKeys` has accepted, not the key itself. A function returns the
 * key of the counter.
 */
export type RateLimitBy = 'ip' | 'user' | 'tenant' | 'key' | OfRequest<string>

/** One limit. */
export interface RateLimitPolicy {
  /**
   * The name of the limit in response headers. Limits with the same name share a counter, wherever they are declared,
   * and must be identical. Printable ASCII without quotes or backslashes. Default: a name derived from the place where
   * the limit is declared, with its own counter.
   */
  readonly name?: string
  /** The maximum number of requests in a window: a whole number, 1 or more. */
  readonly limit: number
  /**
   * The length of a window: whole seconds, or a string with a unit (`'1m'`). The first request of a caller begins its
   * window.
   */
  readonly window: Duration
  /**
   * How callers are distinguished. Default `'ip'`. If the request has no such user, tenant or key, or if the function
   * returns no key, the IP address distinguishes the caller.
   */
  readonly by?: RateLimitBy
}

/** The state of a limit after a request has been counted. */
export interface RateLimitResult {
  /** Whether the request is within the limit. */
  readonly isAllowed: boolean
  /** The number of requests that remain in the window. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/** One limit, in the form that stores receive. */
export interface RateLimitCount {
  /** Identifies the caller and the policy; any string. */
  readonly key: string
  /** The maximum number of requests in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
}

/** Counts requests. Counting is atomic: of more than `limit` concurrent requests, exactly `limit` are allowed. */
export interface RateLimitStore {
  /**
   * Whether this store shares its counters with other processes. If `false`, `blazon start` warns about the store.
   * Default `true`.
   */
  readonly isShared?: boolean
  /**
   * Counts one request. A store that cannot count in time counts in this process instead, so the promise never rejects.
   */
  consume(count: RateLimitCount): MaybePromise<RateLimitResult>
  /**
   * Rejects if the store cannot be used now. `Health` then reports `limits` as `degraded`, because requests are still
   * served. Default: no check.
   */
  check?(): MaybePromise<void>
  /** Prepares the store before the first request. Must not wait for a server that is unavailable. */
  open?(context: StoreContext): MaybePromise<void>
  /** Closes the connections and timers of the store, after the last request. */
  close?(): MaybePromise<void>
}
