import type { Clock, Timer } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import { isThenable } from '../../step/step.js'

/** The time between two lines about refused requests. */
const PERIOD_MS = 10_000

/**
 * Counts refused requests. The first is logged at once, all later ones in one line for each period: a line for each
 * request would add work during an overload.
 */
export class Refusals {
  /** The number of refused requests since the start, by reason. */
  readonly total: Record<RefusalReason, number> = { full: 0, wait: 0, share: 0, bodies: 0 }
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #load: () => object
  #unlogged: Partial<Record<RefusalReason, number>> = {}
  #period: Timer | null = null

  /**
   * @param load Returns how many requests run and wait, for the line.
   */
  constructor({ logger, clock }: { logger: Logger; clock: Clock }, load: () => object) {
    this.#logger = logger
    this.#clock = clock
    this.#load = load
  }

  /** Counts a refused request. */
  note(reason: RefusalReason): void {
    this.total[reason] += 1
    this.#unlogged[reason] = (this.#unlogged[reason] ?? 0) + 1
    if (this.#period === null) this.#log()
  }

  /** Logs the refusals that are not logged yet, and begins no new period. */
  close(): void {
    this.#log()
    this.#period?.cancel()
  }

  #log(): void {
    const reasons = this.#unlogged
    this.#unlogged = {}
    this.#period?.cancel()
    this.#period = null
    const counts = Object.values(reasons)
    if (counts.length === 0) return
    const refused = counts.reduce((sum, count) => sum + count, 0)
    this.#period = this.#clock.setTimeout(() => this.#log(), PERIOD_MS)
    try {
      const facts = { refused, reasons, ...this.#load() }
      const returned: unknown = this.#logger.warn(facts, 'Requests over the capacity are refused')
      // A logger that writes asynchronously may return a promise that rejects.
      if (isThenable(returned)) returned.then(undefined, () => {})
    } catch {
      // The requests must be refused even if the logger fails.
    }
  }
}

/**
 * Why a request does not run: the queue is full, it has waited too long, a tenant with less requests takes its place, or too many
 * bodies are arriving.
 */
export type RefusalReason = 'full' | 'wait' | 'share' | 'bodies'

/** The end of a wait: the request runs, is refused, or has ended. */
export type Turn = 'run' | 'left' | RefusalReason

/**
 * One request that the gate has let in. It waits, runs, receives its body, or is over. It was dropped if the gate has refused it
 * while it received.
 */
export class Ticket {
  /** The tenant of the request; empty for requests without a tenant, and if tenants have no share. */
  readonly lane: string
  state: 'waiting' | 'running' | 'receiving' | 'over' | 'dropped' = 'waiting'
  /** Ends the wait, or the reading of the body; `null` for other requests. */
  settle: ((turn: Turn) => void) | null = null
  /** Refuses the request after the maximum wait. */
  timer: Timer | null = null
  /** The end of the maximum wait, on the monotonic clock. */
  deadline = 0

  /** @param lane The lane of the request. */
  constructor(lane: string) {
    this.lane = lane
  }
}
