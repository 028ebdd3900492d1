/**
 * Calls `expire` after `ms` milliseconds. It uses Node's timer instead of the application's clock, because a test clock
 * does not make a server faster.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout
  #turn = 0

  constructor(ms: number, expire: () => void) {
    this.#timer = setTimeout(() => this.#look(expire), ms)
  }

  restart(): void {
    this.#turn++
    this.#timer.refresh()
  }

  /** Allows the process to end while the timer is running. */
  unref(): this {
    this.#timer.unref()
    return this
  }

  cancel(): void {
    this.#turn++
    clearTimeout(this.#timer)
  }

  // While this process was busy, a response may have arrived that has not been read yet. With `setImmediate`, the
  // response is read first, because the deadline should limit the server, not this process.
  #look(expire: () => void): void {
    const turn = this.#turn
    setImmediate(() => {
      if (turn === this.#turn) expire()
    })
  }
}

/**
 * Returns Node's monotonic time since the process started, in milliseconds. Connection lifetimes and server deadlines
 * need real time.
 */
export function nowMs(): number {
  return performance.now()
}

/** A time limit that several waits share. */
export class Allowance {
  readonly #end: number

  constructor(ms: number) {
    this.#end = nowMs() + ms
  }

  /** The remaining time, in milliseconds; at least 1. */
  get leftMs(): number {
    return Math.max(1, this.#end - nowMs())
  }
}
