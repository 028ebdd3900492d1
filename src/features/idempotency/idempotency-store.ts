import type { MaybePromise } from '../../contracts/cache.js'
import type { SessionStoreContext } from '../../contracts/session.js'
import { InjectionToken } from '../../di/token.js'

/** The parts of the application that a store can use. */
export interface IdempotencyStoreContext extends SessionStoreContext {}

/** The result of claiming a key. The request that has claimed a key calls `keep` or `free` once. */
export type IdempotencyClaim =
  | {
      /** The request is allowed to run. */
      readonly state: 'claimed'
      /**
       * Stores the request's record. The response is sent only after the record is stored. If `keep` rejects, the
       * client receives an error response.
       */
      readonly keep: (record: string) => MaybePromise<void>
      /** Releases the key. It is called if the request has failed. */
      readonly free: () => MaybePromise<void>
    }
  | {
      /** Another request has claimed the key. */
      readonly state: 'running'
    }
  | {
      /** An earlier request with this key has already run. */
      readonly state: 'kept'
      /** The string that was passed to `keep`. */
      readonly record: string
    }

/**
 * Stores the responses of `@Idempotent()` routes. If several requests claim a key at the same time, in any of the
 * processes that share the store, only one of them receives the key. A method that cannot do its work must reject
 * within a limited time. The request is then refused.
 */
export interface IdempotencyStore {
  /** Whether all processes share the records and the records survive a restart. */
  readonly isShared: boolean
  /**
   * Claims a key.
   *
   * @param key A digest of the client's key, the tenant, the caller and the route.
   * @param ttlMs How long the record is stored, in milliseconds.
   */
  claim(key: string, ttlMs: number): MaybePromise<IdempotencyClaim>
  /** Prepares the store. The framework calls this after the plugins are set up. */
  open?(context: IdempotencyStoreContext): MaybePromise<void>
  /** Releases the store's resources. The framework calls this after the last request. */
  close?(): MaybePromise<void>
  /**
   * Checks the store's health. Must reject if keys cannot be claimed at the moment. Omit this method if another plugin
   * checks the store's server.
   */
  check?(): MaybePromise<void>
}

/**
 * The token for the store of `@Idempotent()` responses. `postgres()` and `redisIdempotency()` provide a store. Without
 * a provider, responses are stored in the memory of the process, which is meant for development and tests.
 *
 * @example
 * new App({ providers: [{ token: IdempotencyStore, useValue: new MyStore() }] })
 */
export const IdempotencyStore: InjectionToken<IdempotencyStore | null> =
  new InjectionToken<IdempotencyStore | null>('IdempotencyStore', { useFactory: () => null })
