import type { Timer } from '../../contracts/clock.js'

/**
 * Why a request does not run: the queue is full, it has waited too long, a tenant with less requests takes its place, or too many
 * bodies are arriving.
 */
export type RefusalReason = 'full' | 'wait' | 'share' | 'bodies'

/** The end of a wait: the request runs, it is refused, or it is over before its turn. */
export type Turn = 'run' | 'left' | RefusalReason

/**
 * One request that the gate has let in. It waits, runs, receives its body, or is over. It was dropped if the gate has refused it
 * while it received.
 */
export class Ticket {
  /** The tenant of the request; empty for requests without a tenant, and if tenants have no shares. */
  readonly lane: string
  state: 'waiting' | 'running' | 'receiving' | 'over' | 'dropped' = 'waiting'
  /** Ends the wait, or the receiving; `null` for a request that does neither. */
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
