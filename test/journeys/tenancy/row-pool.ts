type Callback = (error: unknown, rows: readonly string[]) => void

/** So many queries are under way at a time. */
const CONNECTIONS = 4

/** A pool of connections, of the kind that knows no asynchronous contexts: who waits is called back in the context of who lets go. */
export class RowPool {
  readonly #waiting: (() => void)[] = []
  #free = CONNECTIONS

  query(tenant: string | undefined, callback: Callback): void {
    const run = () => {
      setTimeout(() => {
        callback(null, [`row of ${tenant}`])
        const next = this.#waiting.shift()
        if (next === undefined) this.#free++
        else next()
      }, Math.random() * 2)
    }
    if (this.#free === 0) return void this.#waiting.push(run)
    this.#free--
    run()
  }
}
