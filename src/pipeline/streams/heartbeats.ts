import type { Clock, Timer } from '../../contracts/clock.js'

/** A stream that may need a sign of life. */
export interface Beating {
  /** Called twice in the longest time without one. */
  beat(): void
}

/** One timer for all streams with the same heartbeat: 10,000 timers would take more memory than their streams. */
export class Heartbeats {
  readonly #streams = new Set<Beating>()
  readonly #clock: Clock
  readonly #ms: number
  #timer: Timer | undefined

  /** @param ms The longest time in which a stream sends nothing. */
  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
  }

  add(stream: Beating): void {
    this.#streams.add(stream)
    this.#timer ??= this.#clock.setInterval(() => this.#beat(), this.#ms / 2)
  }

  delete(stream: Beating): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }
}
