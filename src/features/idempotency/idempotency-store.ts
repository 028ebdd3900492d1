import type { MaybePromise } from '../../contracts/cache.js'
import type { SessionStoreContext } from '../../contracts/session.js'
import { InjectionToken } from '../../di/token.js'

/** The parts of its application that a store may use. */
export interface IdempotencyStoreContext extends SessionStoreContext {}

/**
 * The result of claiming a key. A request that has claimed its key calls `keep` or `free` once.
 */
export type IdempotencyClaim =
  | {
      /** The request runs. */
      readonly state: 'claimed'
      /** Stores the record of the request. The response waits for it; if it rejects, the response is an error. */
      readonly keep: (record: string) => MaybePromise<void>
      /** Gives the key back: the request has failed. */
      readonly free: () => MaybePromise<void>
    }
  | {
      /** Another request has claimed the key. */
      readonly state: 'running'
    }
  | {
      /** An earlier request has run. */
      readonly state: 'kept'
      /** The text that was passed to `keep`. */
      readonly record: string
    }

/**
 * Keeps the responses of `@Idempotent()`. Of several requests that claim a key at once, in all processes that share the
 * store, one gets it. A method that cannot do its work rejects within bounded time: the request is then refused.
 */
export interface IdempotencyStore {
  /** Whether all processes share the records, and restarts keep them. */
  readonly isShared: boolean
  /**
   * Claims a key.
   *
   * @param key A digest of the key of the client, with tenant, caller and route.
   * @param ttlMs How long the record is kept, in milliseconds.
   */
  claim(key: string, ttlMs: number): MaybePromise<IdempotencyClaim>
  /** Makes the store ready, after the plugins are set up. */
  open?(context: IdempotencyStoreContext): MaybePromise<void>
  /** Releases the resources of the store, after the last request. */
  close?(): MaybePromise<void>
  /** Rejects if keys cannot be claimed now. Default: no check, for a store whose server another plugin checks. */
  check?(): MaybePromise<void>
}

/**
 * The token of the store of `@Idempotent()`. `postgres()` and `redisIdempotency()` provide it. If nothing does, the memory
 * of the process is the store, for development and tests.
 *
 * @example
 * new App({ providers: [{ token: IdempotencyStore, useValue: new MyStore() }] })
 */
export const IdempotencyStore: InjectionToken<IdempotencyStore | null> =
  new InjectionToken<IdempotencyStore | null>('IdempotencyStore', { useFactory: () => null })
