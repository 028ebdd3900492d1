import type { MaybePromise } from '../../contracts/cache.js'
import type { SessionStoreContext } from '../../contracts/session.js'
import { InjectionToken } from '../../di/token.js'

/** The parts of the application that a store may use. */
export interface IdempotencyStoreContext extends SessionStoreContext {}

/**
 * The result of claiming a key. A request that has claimed its key calls `keep` or `free` once.
 */
export type IdempotencyClaim =
  | {
      /** The request may run. */
      readonly state: 'claimed'
      /** Stores the record of the request. The response waits for it; if it rejects, the response is an error. */
      readonly keep: (record: string) => MaybePromise<void>
      /** Releases the key, because the request has failed. */
      readonly free: () => MaybePromise<void>
    }
  | {
      /** Another request has claimed the key. */
      readonly state: 'running'
    }
  | {
      /** An earlier request has already run. */
      readonly state: 'kept'
      /** The text that was passed to `keep`. */
      readonly record: string
    }

/**
 * Stores the responses of `@Idempotent()`. If several requests claim a key at the same time, in any of the processes
 * that share the store, only one of them receives it. A method that cannot do its work must reject within a limited
 * time; the request is then refused.
 */
export interface IdempotencyStore {
  /** Whether all processes share the records, and a restart does not delete them. */
  readonly isShared: boolean
  /**
   * Claims a key.
   *
   * @param key A digest of the client's key, the tenant, the caller and the route.
   * @param ttlMs How long the record is stored, in milliseconds.
   */
  claim(key: string, ttlMs: number): MaybePromise<IdempotencyClaim>
  /** Prepares the store. Called after the plugins are set up. */
  open?(context: IdempotencyStoreContext): MaybePromise<void>
  /** Releases the resources of the store. Called after the last request. */
  close?(): MaybePromise<void>
  /** Must reject if keys cannot be claimed now. Default: no check, for a store whose server another plugin checks. */
  check?(): MaybePromise<void>
}

/**
 * The token for the store of `@Idempotent()`. `postgres()` and `redisIdempotency()` provide this store. Without a
 * provider, responses are stored in the memory of the process, which is meant for development and tests.
 *
 * @example
 * new App({ providers: [{ token: IdempotencyStore, useValue: new MyStore() }] })
 */
export const IdempotencyStore: InjectionToken<IdempotencyStore | null> =
  new InjectionToken<IdempotencyStore | null>('IdempotencyStore', { useFactory: () => null })
