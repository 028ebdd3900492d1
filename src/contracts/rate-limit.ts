import type { MaybePromise, StoreContext } from './cache.js'
import type { Request } from './handler.js'
import type { Duration } from './units.js'

/** Who shares a limit. `ip` is asked before the guard, everybody else after it. */
export type RateLimitBy = 'ip' | 'user' | 'tenant' | ((req: Request) => string)

/** One limit. */
export interface RateLimitPolicy {
  /** Named in headers; equal names share what is left. Default: derived from its place. */
  readonly name?: string
  /** Most requests in a window. */
  readonly limit: number
  /** How long a window is: seconds, or a string with a unit (`'1m'`). It begins with its first request. */
  readonly window: Duration
  /** Default `'ip'`. */
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
  readonly limit: number
  readonly windowMs: number
}

/** Where requests are counted. Counting is atomic: of any number at once, exactly `limit` are allowed. */
export interface RateLimitStore {
  /** Counts one request. A store that cannot say in bounded time counts by itself: it never rejects. */
  consume(count: RateLimitCount): MaybePromise<RateLimitResult>
  /** Makes the store ready, before the first request. It never waits for a server that is not there. */
  open?(context: StoreContext): MaybePromise<void>
  close?(): MaybePromise<void>
}

/** The `rateLimit` option, beside `true` and `false`. */
export interface RateLimitOptions extends Partial<RateLimitPolicy> {
  /** Several limits at once; a request must be within each. Default: the one described beside. */
  readonly policies?: readonly RateLimitPolicy[]
  /** Where requests are counted. Default: in this process. */
  readonly store?: RateLimitStore
}
