import type { Clock, Timer } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import { isThenable } from '../../step/step.js'
import type { RefusalReason } from './ticket.js'

/** The minimum time between two log lines about refused requests. */
const PERIOD_MS = 10_000

/**
 * Counts refused requests. The first refusal is logged immediately. Later refusals are logged as one line per period,
 * because one line per request would add work during an overload.
 */
export class RefusalLog {
  /** The number of refused requests since the start, by reason. */
  readonly total: Record<RefusalReason, number> = { full: 0, wait: 0, share: 0, bodies: 0 }
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #load: () => object
  #unlogged: Partial<Record<RefusalReason, number>> = {}
  #period: Timer | null = null

  /** @param load Returns the numbers of running, waiting and receiving requests, for the log line. */
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

  /** Logs the refusals that have not been logged yet, without starting a new period. */
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
      const returned: unknown = this.#logger.warn(
        facts,
        'Requests that exceed the capacity are refused',
      )
      // A logger that writes asynchronously may return a promise that rejects.
      if (isThenable(returned)) returned.then(undefined, () => {})
    } catch {
      // The request must be refused even if the logger fails.
    }
  }
}
