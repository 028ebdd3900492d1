import type { Timer } from '../../contracts/clock.js'

/** Why a request does not run: the queue is full, it has waited too long, or a tenant with less requests takes its place. */
export type RefusalReason = 'full' | 'wait' | 'share'

/** What becomes of a request that waits: it runs, it is refused, or it is over before its turn. */
export type Turn = 'run' | 'left' | RefusalReason

/** One request that the gate has let in: it runs, waits, or is over. */
export class Ticket {
  /** Whose request it is; empty for requests without a tenant, and if tenants are not told apart. */
  readonly lane: string
  state: 'waiting' | 'running' | 'over' = 'waiting'
  /** Ends the wait; `null` for a request that never waits. */
  settle: ((turn: Turn) => void) | null = null
  /** Refuses the request when it has waited too long. */
  timer: Timer | null = null
  /** When it has waited too long, by the clock that never goes back. */
  deadline = 0

  /** @param lane Whose request it is. */
  constructor(lane: string) {
    this.lane = lane
  }
}
