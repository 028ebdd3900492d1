/**
 * Calls `expire` after `ms` milliseconds. It uses Node's timer and not the clock of the
 * application, because a test clock does not make a server faster.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout
  #turn = 0

  constructor(ms: number, expire: () => void) {
    this.#timer = setTimeout(() => this.#look(expire), ms)
  }

  /** Restarts the timer. */
  restart(): void {
    this.#turn++
    this.#timer.refresh()
  }

  /** Does not keep the process alive while the timer runs. */
  unref(): this {
    this.#timer.unref()
    return this
  }

  cancel(): void {
    this.#turn++
    clearTimeout(this.#timer)
  }

  // When this process was busy, a response may have arrived that was not read yet. `setImmediate`
  // lets it be read first: the deadline limits the server, not this process.
  #look(expire: () => void): void {
    const turn = this.#turn
    setImmediate(() => {
      if (turn === this.#turn) expire()
    })
  }
}

/** The time of Node in milliseconds, since the process began: the lifetime of a connection and the work of a server are real. */
export function nowMs(): number {
  return performance.now()
}

/** A time limit that several waits share. */
export class Allowance {
  readonly #end: number

  constructor(ms: number) {
    this.#end = nowMs() + ms
  }

  /** The time that is left, in milliseconds; at least 1. */
  get leftMs(): number {
    return Math.max(1, this.#end - nowMs())
  }
}
