import type { MaybePromise, StoreContext } from './cache.js'
import type { Request } from './handler.js'
import type { Duration } from './units.js'

/** Who shares a limit. `ip` is asked before the guard, everybody else after it. */
export type RateLimitBy = 'ip' | 'user' | 'tenant' | ((req: Request) => string)

/** One limit. */
export interface RateLimitPolicy {
  /**
   * Named in headers; limits of equal names are one limit, wherever they stand, and must be equal. Printable ASCII without
   * quotes and backslashes. Default: derived from its place, which counts by itself.
   */
  readonly name?: string
  /** Most requests in a window. A whole number from 1 on. */
  readonly limit: number
  /** How long a window is: whole seconds, or a string with a unit (`'1m'`). It begins with its first request. */
  readonly window: Duration
  /** Default `'ip'`. Who is no user, or has no tenant, or is given no name by the function, is counted by address. */
  readonly by?: RateLimitBy
}

/** What is left after a request was counted. */
export interface RateLimitResult {
  /** Whether the request is within the limit. */
  readonly isAllowed: boolean
  /** Requests that are left in the window. */
  readonly remaining: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

/** One limit as a store sees it. */
export interface RateLimitCount {
  /** Whose requests are counted, and by which policy; any string. */
  readonly key: string
  /** The most requests in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
}

/** Where requests are counted. Counting is atomic: of any number at once, exactly `limit` are allowed. */
export interface RateLimitStore {
  /** Counts one request. A store that cannot say in bounded time counts by itself: it never rejects. */
  consume(count: RateLimitCount): MaybePromise<RateLimitResult>
  /** Makes the store ready, before the first request. It never waits for a server that is not there. */
  open?(context: StoreContext): MaybePromise<void>
  /** Lets go of what the store holds open; after the last request. */
  close?(): MaybePromise<void>
}

/** The `rateLimit` option, beside `true` (100 requests a minute for an address) and `false` (no limit at all, decorators included). */
export interface RateLimitOptions extends Partial<RateLimitPolicy> {
  /**
   * Several limits at once; a request must be within each. Default: the one described beside, 100 a minute by address as far as
   * nothing else is said. An empty list leaves limits to decorators.
   */
  readonly policies?: readonly RateLimitPolicy[]
  /** Where requests are counted. Default: in this process. */
  readonly store?: RateLimitStore
}
