import type { CacheStore, MaybePromise, StoreContext } from '../../contracts/cache.js'
import type { Timer } from '../../contracts/clock.js'
import { isThenable } from '../../step/step.js'

/** The result of a store call that failed. */
export const FAILED: unique symbol = Symbol('failed')

/** The result of a store call: a value, or `FAILED`. */
export type Outcome<T> = T | typeof FAILED

/** The store methods whose failures are not passed to the caller as errors. */
type StoreMethod = Exclude<keyof CacheStore, 'getTagged' | 'open' | 'close'>

/**
 * The maximum time to wait for a store call, in milliseconds. A store that uses a server should stop waiting after 50
 * ms. This limit is for other stores.
 */
const DEADLINE_MS = 100

/** Calls `go` with a value: synchronously if the value is not a promise. */
export function chain<T, U>(
  value: MaybePromise<T>,
  go: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isThenable(value) ? Promise.resolve(value).then(go) : go(value)
}

/**
 * Wraps a store that can fail. Except for `open` and `close`, no method of the wrapper throws or rejects, and every
 * call ends within a time limit.
 */
export class StoreGuard {
  readonly #store: CacheStore
  readonly #context: StoreContext
  #opening: Promise<void> | undefined
  #isOpen = false
  /**
   * The methods whose last call failed. Each method is tracked separately, because a full store may still be readable.
   */
  readonly #down = new Set<StoreMethod>()

  constructor(store: CacheStore, context: StoreContext) {
    this.#store = store
    this.#context = context
  }

  /**
   * Opens the store on the first call. Returns `undefined` if the store is already open. Rejects if the store rejects.
   * A store that cannot reach its server yet should still open without an error.
   */
  open(): MaybePromise<void> {
    if (this.#isOpen) return undefined
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    await this.#store.open?.(this.#context)
    this.#isOpen = true
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#store.close?.()
  }

  /** Whether the store has an optional method. */
  can(method: keyof CacheStore): boolean {
    return typeof this.#store[method] === 'function'
  }

  /** Calls the store. Returns `FAILED` immediately if the store is not open. */
  call<T>(
    method: StoreMethod,
    run: (store: CacheStore) => MaybePromise<T>,
  ): MaybePromise<Outcome<T>> {
    if (!this.#isOpen) return FAILED
    try {
      const result = run(this.#store)
      if (isThenable(result)) return this.#wait(method, result as PromiseLike<T>)
      if (this.#down.size > 0) this.#recover(method)
      return result
    } catch (error) {
      return this.#fail(method, error)
    }
  }

  #wait<T>(method: StoreMethod, result: PromiseLike<T>): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const { clock } = this.#context
      const expire = () =>
        resolve(this.#fail(method, new Error(`No response within ${DEADLINE_MS} ms`)))
      let timer: Timer = clock.setTimeout(() => {
        // Perhaps the process was blocked, and the store is not slow. A result that arrived in the meantime is read
        // before this new timer fires.
        timer = clock.setTimeout(expire, 1)
      }, DEADLINE_MS)
      result.then(
        (value) => {
          timer.cancel()
          this.#recover(method)
          resolve(value)
        },
        (error) => {
          timer.cancel()
          resolve(this.#fail(method, error))
        },
      )
    })
  }

  /** Logs a failure only once per outage instead of once per request. */
  #fail(method: StoreMethod, err: unknown): typeof FAILED {
    const { logger } = this.#context
    if (!this.#down.has(method))
      logger.warn(
        { err },
        `${method}() of the cache store fails: requests continue without the cache`,
      )
    this.#down.add(method)
    return FAILED
  }

  #recover(method: StoreMethod): void {
    if (!this.#down.delete(method)) return
    this.#context.logger.info({}, `${method}() of the cache store works again`)
  }
}
