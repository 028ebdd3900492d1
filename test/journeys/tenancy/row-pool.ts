type Callback = (error: unknown, rows: readonly string[]) => void

/** The number of concurrent queries. */
const CONNECTIONS = 4

/** A pool without support for async contexts: it calls a waiting callback in the context of the query before. */
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
