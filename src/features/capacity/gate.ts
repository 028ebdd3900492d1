import type { Clock } from '../../contracts/clock.js'
import type { CapacitySettings } from './capacity-options.js'
import { type RefusalReason, Ticket, type Turn } from './ticket.js'
import { WaitingLine } from './waiting-line.js'

/** Lets a number of requests run at once, and a number of others wait for their turn. */
export class Gate {
  /** How many requests run. */
  running = 0
  readonly #settings: CapacitySettings
  readonly #clock: Clock
  readonly #line = new WaitingLine()
  /** How many requests of each tenant run; a tenant without any has no entry. */
  readonly #runningOf = new Map<string, number>()

  /**
   * @param settings How many requests run and wait, and how long.
   * @param clock Measures how long requests wait.
   */
  constructor(settings: CapacitySettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** How many requests wait. */
  get queued(): number {
    return this.#line.size
  }

  /**
   * Admits a request.
   *
   * @param lane Whose request it is; empty if it has no tenant.
   * @returns the ticket, which runs or waits, or `'full'`.
   */
  enter(lane: string): Ticket | RefusalReason {
    const ticket = new Ticket(lane)
    // A request that waits is first, unless all that wait belong to tenants that use their share.
    if (this.running < this.#settings.concurrent && this.#mayRun(lane)) {
      this.#start(ticket)
      return ticket
    }
    if (this.queued >= this.#settings.queue && !this.#makeRoomFor(lane)) return 'full'
    this.#line.add(ticket)
    return ticket
  }

  /** Waits for the turn of a request. Call it once for a ticket that waits. */
  wait(ticket: Ticket): Promise<Turn> {
    const { waitMs } = this.#settings
    ticket.deadline = this.#clock.monotonic() + waitMs
    return new Promise((resolve) => {
      ticket.settle = resolve
      ticket.timer = this.#clock.setTimeout(() => this.#dismiss(ticket, 'wait'), waitMs)
    })
  }

  /** Ends a request: it gives back its place, or leaves the queue. Later calls do nothing. */
  leave(ticket: Ticket): void {
    if (ticket.state === 'over') return
    if (ticket.state === 'waiting') return this.#dismiss(ticket, 'left')
    ticket.state = 'over'
    this.running -= 1
    this.#count(ticket.lane, -1)
    this.#admitNext()
  }

  #admitNext(): void {
    while (this.running < this.#settings.concurrent) {
      const next = this.#line.take((lane) => this.#mayRun(lane))
      if (next === undefined) return
      // The timer of a busy process fires late: nobody may wait for the response any more.
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
    ticket.state = 'over'
    this.#settle(ticket, turn)
  }

  #settle(ticket: Ticket, turn: Turn): void {
    ticket.timer?.cancel()
    ticket.timer = null
    ticket.settle?.(turn)
  }

  /** Only tenants have a share: requests without one are those of everybody else. */
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
