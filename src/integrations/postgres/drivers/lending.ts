import { Deadline } from './deadline.js'

interface Waiter {
  readonly serve: () => void
  readonly refuse: (error: Error) => void
}

/** Counts what is lent, and lets those wait in order who come while all of it is. */
export class Lending {
  readonly size: number
  readonly #waiters = new Set<Waiter>()
  #lent = 0
  readonly #onBack: (() => void)[] = []

  constructor(size: number) {
    this.size = size
  }

  /** Takes one, at once or when it is this one's turn. After `ms` milliseconds it rejects with what `expire` gives. */
  async take(ms: number, expire: () => Error): Promise<void> {
    if (this.#lent < this.size) this.#lent++
    else await this.#wait(ms, expire)
  }

  /** Gives one back. */
  give(): void {
    const [next] = this.#waiters
    if (next !== undefined) return next.serve()
    this.#lent--
    if (this.#lent === 0) for (const resolve of this.#onBack.splice(0)) resolve()
  }

  /** Lets nobody wait any longer. */
  refuse(error: Error): void {
    for (const waiter of this.#waiters) waiter.refuse(error)
  }

  /** Resolves as soon as nothing is lent. */
  async back(): Promise<void> {
    if (this.#lent === 0) return
    await new Promise<void>((resolve) => this.#onBack.push(resolve))
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
