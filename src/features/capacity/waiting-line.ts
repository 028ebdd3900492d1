import type { Ticket } from './ticket.js'

/**
 * Requests that wait, in a lane for each tenant. Lanes take turns, so a tenant with many requests does not delay the
 * others. Within a lane, the first request goes first. A lane exists while a request waits in it.
 */
export class WaitingLine {
  size = 0
  // A map and a set keep the order in which entries were added, and remove one in constant time.
  readonly #lanes = new Map<string, Set<Ticket>>()

  /** Adds a request at the end of its lane. */
  add(ticket: Ticket): void {
    const lane = this.#lanes.get(ticket.lane)
    if (lane === undefined) this.#lanes.set(ticket.lane, new Set([ticket]))
    else lane.add(ticket)
    this.size += 1
  }

  /** Removes a request; nothing happens if it does not wait. */
  remove(ticket: Ticket): void {
    const lane = this.#lanes.get(ticket.lane)
    if (lane?.delete(ticket) !== true) return
    this.size -= 1
    if (lane.size === 0) this.#lanes.delete(ticket.lane)
  }

  /**
   * Removes the request whose turn it is.
   *
   * @param mayRun Whether a request of a lane may run now.
   * @returns `undefined` if no request of a lane that may run waits.
   */
  take(mayRun: (lane: string) => boolean): Ticket | undefined {
    for (const [name, lane] of this.#lanes) {
      if (!mayRun(name)) continue
      const [ticket] = lane as Iterable<Ticket>
      if (ticket === undefined) continue
      this.remove(ticket)
      // The lane goes behind the others.
      if (lane.size > 0) {
        this.#lanes.delete(name)
        this.#lanes.set(name, lane)
      }
      return ticket
    }
    return undefined
  }

  /**
   * Removes the newest request of the longest lane, to make room for a request of a shorter lane.
   *
   * @returns `undefined` if that would not make the lanes more even.
   */
  makeRoomFor(name: string): Ticket | undefined {
    let longest: Set<Ticket> | undefined
    for (const lane of this.#lanes.values()) {
      if (lane.size > (longest?.size ?? 0)) longest = lane
    }
    const own = this.#lanes.get(name)?.size ?? 0
    if (longest === undefined || longest.size <= own + 1) return undefined
    const newest = [...longest].at(-1)
    if (newest !== undefined) this.remove(newest)
    return newest
  }
}
