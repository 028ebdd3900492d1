import type { Clock } from '../../contracts/clock.js'
import type { CapacitySettings } from './capacity-options.js'
import { type RefusalReason, Ticket, type Turn } from './ticket.js'

/**
 * Limits how many requests run at the same time, and how many others wait for their turn. A request whose body is still
 * arriving neither runs nor waits, because its client may be slow on purpose.
 */
export class Gate {
  /** The number of running requests. */
  running = 0
  readonly #settings: CapacitySettings
  readonly #clock: Clock
  readonly #line = new WaitingLine()
  /** Requests that are receiving their body, the oldest first. */
  readonly #receiving = new Set<Ticket>()
  /**
   * Requests whose body has arrived and that are waiting for their turn. They run before requests that have not begun.
   */
  readonly #returning = new WaitingLine()
  /** The number of running requests of each tenant. Tenants without running requests have no entry. */
  readonly #runningOf = new Map<string, number>()

  /**
   * @param settings The maximum numbers of running and waiting requests, and the maximum wait.
   * @param clock The clock that measures how long requests wait.
   */
  constructor(settings: CapacitySettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** The number of requests that are waiting for their first turn. */
  get queued(): number {
    return this.#line.size
  }

  /** The number of requests that are waiting for the rest of their body. */
  get receiving(): number {
    return this.#receiving.size
  }

  /**
   * Admits a request.
   *
   * @param lane The request's tenant; empty if there is none.
   * @returns a ticket that is running or waiting, or the reason why the request is refused.
   */
  enter(lane: string): Ticket | RefusalReason {
    const ticket = new Ticket(lane)
    // If a place is free, no waiting request can take it, because all waiting requests belong to tenants that have
    // already used up their share.
    if (this.running < this.#settings.concurrent && this.#mayRun(lane)) {
      this.#start(ticket)
      return ticket
    }
    if (this.queued >= this.#settings.queue && !this.#makeRoomFor(lane)) return 'full'
    this.#line.add(ticket)
    return ticket
  }

  /** Waits for a request's turn. Call it once for each waiting ticket. */
  wait(ticket: Ticket): Promise<Turn> {
    const { waitMs } = this.#settings
    ticket.deadline = this.#clock.monotonic() + waitMs
    return new Promise((resolve) => {
      ticket.settle = resolve
      ticket.timer = this.#clock.setTimeout(() => this.#dismiss(ticket, 'wait'), waitMs)
    })
  }

  /**
   * Releases the place of a running request until its body has arrived. The promise settles only if the request is
   * refused in the meantime. Bodies need memory, so a body above the limit displaces the body that has been arriving
   * longest.
   */
  receive(ticket: Ticket): Promise<Turn> {
    ticket.state = 'receiving'
    this.#receiving.add(ticket)
    const dropped = new Promise<Turn>((resolve) => {
      ticket.settle = resolve
    })
    const [longest] = this.#receiving as Iterable<Ticket>
    const kept = this.#receiving.size + this.#returning.size
    if (kept > this.#settings.bodies && longest !== undefined) this.#drop(longest)
    this.#giveBack(ticket)
    return dropped
  }

  /**
   * Takes a place again for a request whose body has arrived: immediately if a place is free, otherwise when it is the
   * request's turn.
   */
  resume(ticket: Ticket): Promise<Turn> | 'run' {
    this.#receiving.delete(ticket)
    if (this.running < this.#settings.concurrent && this.#mayRun(ticket.lane)) {
      this.#start(ticket)
      return 'run'
    }
    ticket.state = 'waiting'
    this.#returning.add(ticket)
    return this.wait(ticket)
  }

  /**
   * Counts a request as running, even above the limit, because its handler was already running when its body arrived.
   */
  join(ticket: Ticket): void {
    if (this.#receiving.delete(ticket)) this.#start(ticket)
  }

  /** Ends a request: releases its place, or removes it from the queue. Later calls have no effect. */
  leave(ticket: Ticket): void {
    const { state } = ticket
    if (state === 'waiting') return this.#dismiss(ticket, 'left')
    if (state !== 'running' && state !== 'receiving') return
    ticket.state = 'over'
    if (!this.#receiving.delete(ticket)) this.#giveBack(ticket)
  }

  #giveBack({ lane }: Ticket): void {
    this.running -= 1
    this.#count(lane, -1)
    this.#admitNext()
  }

  #drop(ticket: Ticket): void {
    this.#receiving.delete(ticket)
    ticket.state = 'dropped'
    this.#settle(ticket, 'bodies')
  }

  #admitNext(): void {
    while (this.running < this.#settings.concurrent) {
      const mayRun = (lane: string) => this.#mayRun(lane)
      const next = this.#returning.take(mayRun) ?? this.#line.take(mayRun)
      if (next === undefined) return
      // In a busy process, the timer fires late, and the client may have stopped waiting.
      if (this.#clock.monotonic() >= next.deadline) this.#dismiss(next, 'wait')
      else {
        this.#start(next)
        this.#settle(next, 'run')
      }
    }
  }

  #start(ticket: Ticket): void {
    ticket.state = 'running'
    this.running += 1
    this.#count(ticket.lane, 1)
  }

  #dismiss(ticket: Ticket, turn: Turn): void {
    this.#line.remove(ticket)
    this.#returning.remove(ticket)
    ticket.state = 'over'
    this.#settle(ticket, turn)
  }

  #settle(ticket: Ticket, turn: Turn): void {
    ticket.timer?.cancel()
    ticket.timer = null
    ticket.settle?.(turn)
  }

  /**
   * Whether a request in this lane can run. Only tenants have a share, because requests without a tenant have no common
   * owner.
   */
  #mayRun(lane: string): boolean {
    const { perTenant } = this.#settings
    if (perTenant === null || lane === '') return true
    return (this.#runningOf.get(lane) ?? 0) < perTenant
  }

  #count(lane: string, change: 1 | -1): void {
    if (this.#settings.perTenant === null || lane === '') return
    const now = (this.#runningOf.get(lane) ?? 0) + change
    if (now === 0) this.#runningOf.delete(lane)
    else this.#runningOf.set(lane, now)
  }

  #makeRoomFor(lane: string): boolean {
    if (this.#settings.perTenant === null) return false
    const dropped = this.#line.makeRoomFor(lane)
    if (dropped === undefined) return false
    this.#dismiss(dropped, 'share')
    return true
  }
}

/**
 * The waiting requests, in one lane for each tenant. Lanes take turns, so a tenant with many requests does not delay
 * the others. Within a lane, the oldest request goes first. A lane exists as long as it contains a request.
 */
class WaitingLine {
  size = 0
  // Maps and sets keep the order of insertion, and remove an entry in constant time.
  readonly #lanes = new Map<string, Set<Ticket>>()

  /** Adds a request at the end of its lane. */
  add(ticket: Ticket): void {
    const lane = this.#lanes.get(ticket.lane)
    if (lane === undefined) this.#lanes.set(ticket.lane, new Set([ticket]))
    else lane.add(ticket)
    this.size += 1
  }

  /** Removes a request. Has no effect if the request is not waiting. */
  remove(ticket: Ticket): void {
    const lane = this.#lanes.get(ticket.lane)
    if (lane?.delete(ticket) !== true) return
    this.size -= 1
    if (lane.size === 0) this.#lanes.delete(ticket.lane)
  }

  /**
   * Removes the request whose turn it is.
   *
   * @param mayRun Returns whether a request of a lane can run now.
   * @returns the request; `undefined` if no waiting request can run.
   */
  take(mayRun: (lane: string) => boolean): Ticket | undefined {
    for (const [name, lane] of this.#lanes) {
      if (!mayRun(name)) continue
      const [ticket] = lane as Iterable<Ticket>
      if (ticket === undefined) continue
      this.remove(ticket)
      // Moves the lane behind the other lanes.
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
   * @returns the removed request; `undefined` if removing a request would not balance the lanes.
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
