import type { Timer } from '../../contracts/clock.js'

/**
 * The reason why a request is refused: the queue is full, the request has waited too long, a request of a tenant with
 * fewer requests takes its place in the queue, or too many bodies are arriving.
 */
export type RefusalReason = 'full' | 'wait' | 'share' | 'bodies'

/** The result of waiting: the request runs, has already ended, or is refused. */
export type Turn = 'run' | 'left' | RefusalReason

/**
 * A request that the gate has admitted. It is waiting, running, receiving its body, or finished. Its state is `dropped`
 * if the gate refused it while its body was arriving.
 */
export class Ticket {
  /** The tenant of the request; empty if the request has no tenant, or if tenants have no share. */
  readonly lane: string
  state: 'waiting' | 'running' | 'receiving' | 'over' | 'dropped' = 'waiting'
  /** Ends the wait for the request's turn or body; `null` if the request has never waited. */
  settle: ((turn: Turn) => void) | null = null
  /** Refuses the request after the maximum wait. */
  timer: Timer | null = null
  /** The time at which the maximum wait ends, on the monotonic clock. */
  deadline = 0

  constructor(lane: string) {
    this.lane = lane
  }
}
