import type { MaybePromise, StoreContext } from './cache.js'
import type { OfRequest } from './handler.js'
import type { Duration } from './limits.js'

/**
 * How a limit distinguishes callers. `'ip'` is counted before the guard, everything else after it. `'key'` is the id of the
 * key that a guard such as `apiKeys` has accepted, and not the key itself. A function returns the key of the counter.
 */
export type RateLimitBy = 'ip' | 'user' | 'tenant' | 'key' | OfRequest<string>

/** One limit. */
export interface RateLimitPolicy {
  /**
   * The name of the limit in response headers. Limits with the same name are one limit, wherever they are declared,
   * and must be equal. Printable ASCII without quotes and backslashes. Default: derived from the place of the limit,
   * which then counts alone.
   */
  readonly name?: string
  /** Most requests in a window: a whole number, 1 or more. */
  readonly limit: number
  /**
   * How long a window is: whole seconds, or a string with a unit (`'1m'`). The first request of a caller begins its
   * window.
   */
  readonly window: Duration
  /**
   * How callers are distinguished. Default `'ip'`. A caller without a user, a tenant, an API key or a key from the function is
   * counted by address.
   */
  readonly by?: RateLimitBy
}

/** The state of a limit after a request was counted. */
export interface RateLimitResult {
  /** Whether the request is within the limit. */
  readonly isAllowed: boolean
  /** Requests that are left in the window. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/** One limit, in the form for stores. */
export interface RateLimitCount {
  /** Names the caller and the policy; any string. */
  readonly key: string
  /** The maximum number of requests in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
}

/** Counts requests. Counting is atomic: of any number of requests at once, exactly `limit` are allowed. */
export interface RateLimitStore {
  /**
   * Whether other processes see the counters of this store. `blazon start` warns of a store with `false`. Default
   * `true`.
   */
  readonly isShared?: boolean
  /** Counts one request. A store that cannot respond in time counts in this process: the promise never rejects. */
  consume(count: RateLimitCount): MaybePromise<RateLimitResult>
  /**
   * Rejects if the store cannot be used now. `Health` then reports `limits` as `degraded`: requests do without it.
   * Default: no check.
   */
  check?(): MaybePromise<void>
  /** Makes the store ready, before the first request. It never waits for a server that is not available. */
  open?(context: StoreContext): MaybePromise<void>
  /** Closes the connections and timers of the store, after the last request. */
  close?(): MaybePromise<void>
}
