import type { PoolUsage } from '../driver.js'
import { Deadline } from './deadline.js'

interface Waiter {
  readonly serve: () => void
  readonly refuse: (error: Error) => void
}

/**
 * How long the pool respects the server's connection limit, in milliseconds. After that, it tries to open more
 * connections again.
 */
const NARROW_MS = 1000

/** Counts the checked-out connections. When all are checked out, further callers wait in order. */
export class Lending {
  readonly size: number
  readonly #waiters = new Set<Waiter>()
  #lent = 0
  /** The current maximum number of checked-out connections. */
  #limit: number
  #widening: Deadline | undefined
  readonly #onIdle: (() => void)[] = []

  constructor(size: number) {
    this.size = size
    this.#limit = size
  }

  /** Returns the numbers of checked-out connections and waiting callers. */
  usage(): PoolUsage {
    return { lent: this.#lent, waiting: this.#waiters.size }
  }

  /** Checks out a connection if one is available. */
  takeNow(): boolean {
    if (this.#lent >= this.#limit) return false
    this.#lent++
    return true
  }

  /**
   * Checks out a connection, immediately or when it is the caller's turn. After `ms` milliseconds, the promise rejects
   * with the error that `expire` returns.
   */
  async take(ms: number, expire: () => Error): Promise<void> {
    if (!this.takeNow()) await this.#wait(ms, expire)
  }

  /** Returns a connection to the pool, or passes it to the next waiting caller. */
  release(): void {
    const [next] = this.#waiters
    if (next !== undefined && this.#lent <= this.#limit) return next.serve()
    this.#lent--
    if (this.#lent === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /**
   * Limits the number of checked-out connections to the number that the server accepts, for one second. Further callers
   * wait.
   */
  narrow(limit: number): void {
    this.#limit = Math.min(limit, this.size)
    this.#widening ??= new Deadline(NARROW_MS, () => this.#widen()).unref()
  }

  #widen(): void {
    this.#widening = undefined
    this.#limit = this.size
    for (const { serve } of this.#waiters) {
      if (!this.takeNow()) return
      serve()
    }
  }

  /** Rejects all waiting callers. */
  refuse(error: Error): void {
    for (const waiter of this.#waiters) waiter.refuse(error)
  }

  /** Resolves when no connection is checked out. */
  async whenIdle(): Promise<void> {
    if (this.#lent === 0) return
    await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  #wait(ms: number, expire: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        deadline.cancel()
        this.#waiters.delete(waiter)
      }
      const serve = () => {
        leave()
        resolve()
      }
      const refuse = (error: Error) => {
        leave()
        reject(error)
      }
      const waiter = { serve, refuse }
      const deadline = new Deadline(ms, () => refuse(expire()))
      this.#waiters.add(waiter)
    })
  }
}
