/**
 * Calls `expire` once so much time has passed. Node's own time, not the application's: no clock makes a server quicker.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout
  #turn = 0

  constructor(ms: number, expire: () => void) {
    this.#timer = setTimeout(() => this.#look(expire), ms)
  }

  /** Counts from now on. */
  restart(): void {
    this.#turn++
    this.#timer.refresh()
  }

  cancel(): void {
    this.#turn++
    clearTimeout(this.#timer)
  }

  // What has arrived while this process was busy is read first: the deadline is for the server, not for us.
  #look(expire: () => void): void {
    const turn = this.#turn
    setImmediate(() => {
      if (turn === this.#turn) expire()
    })
  }
}

/** An amount of time that several waits share. */
export class Allowance {
  readonly #end: number

  constructor(ms: number) {
    this.#end = performance.now() + ms
  }

  /** What is left, in milliseconds; at least one. */
  get leftMs(): number {
    return Math.max(1, this.#end - performance.now())
  }
}
