import type { CacheStore, MaybePromise, StoreContext } from '../../contracts/cache.js'
import type { Timer } from '../../contracts/clock.js'
import { isThenable } from '../../step/thenable.js'

/** What a store could not do. */
export const FAILED: unique symbol = Symbol('failed')

/** What came of asking a store. */
export type Outcome<T> = T | typeof FAILED

/** What a store is asked to do. */
type Question = Exclude<keyof CacheStore, 'getTagged' | 'open' | 'close'>

/** A store that waits for a server gives up by itself after 50 ms; this ends what does not. */
const DEADLINE_MS = 100

/** Goes on with a value, at once if it is there. */
export function chain<T, U>(
  value: MaybePromise<T>,
  go: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isThenable(value) ? Promise.resolve(value).then(go) : go(value)
}

/** Stands between the cache and a store that may fail: nothing of it throws, rejects, or takes forever. */
export class StoreGuard {
  readonly #store: CacheStore
  readonly #context: StoreContext
  #opening: Promise<void> | undefined
  #isOpen = false
  /** What it could not do when it was last asked to. One that is full still reads. */
  readonly #down = new Set<Question>()

  constructor(store: CacheStore, context: StoreContext) {
    this.#store = store
    this.#context = context
  }

  /** Makes the store ready, once. Rejects as the store does: one that only cannot reach its server opens all the same. */
  open(): Promise<void> {
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

  /** Whether the store has a method that not all have. */
  can(method: keyof CacheStore): boolean {
    return typeof this.#store[method] === 'function'
  }

  /** Asks the store. Fails at once where it is not open. */
  ask<T>(
    what: Question,
    question: (store: CacheStore) => MaybePromise<T>,
  ): MaybePromise<Outcome<T>> {
    if (!this.#isOpen) return FAILED
    try {
      const answer = question(this.#store)
      if (isThenable(answer)) return this.#wait(what, answer as PromiseLike<T>)
      if (this.#down.size > 0) this.#recover(what)
      return answer
    } catch (error) {
      return this.#fail(what, error)
    }
  }

  #wait<T>(what: Question, answer: PromiseLike<T>): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const { clock } = this.#context
      const expire = () =>
        resolve(this.#fail(what, new Error(`No response within ${DEADLINE_MS} ms`)))
      let timer: Timer = clock.setTimeout(() => {
        // What was late may be this process: an answer that has arrived meanwhile is read before the next timer.
        timer = clock.setTimeout(expire, 1)
      }, DEADLINE_MS)
      answer.then(
        (value) => {
          timer.cancel()
          this.#recover(what)
          resolve(value)
        },
        (error) => {
          timer.cancel()
          resolve(this.#fail(what, error))
        },
      )
    })
  }

  /** Said once for each outage: a store that is away is away for every request. */
  #fail(what: Question, err: unknown): typeof FAILED {
    const { logger } = this.#context
    if (!this.#down.has(what))
      logger.warn({ err }, `The cache cannot ${what}: requests go on without it`)
    this.#down.add(what)
    return FAILED
  }

  #recover(what: Question): void {
    if (!this.#down.delete(what)) return
    this.#context.logger.info({}, `The cache can ${what} again`)
  }
}
