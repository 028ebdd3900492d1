import type { Clock } from '../../contracts/clock.js'
import type { CheckedHealth, HealthCheck, HealthContext } from '../../contracts/health.js'
import type { Logger } from '../../contracts/logger.js'

/** How long a check may take, in milliseconds. */
const LIMIT_MS = 1000
/**
 * How long a call that does not return keeps its check from being called again. Without it, each round would add one
 * more waiting call; without an end, one lost promise would keep the application down.
 */
const STUCK_MS = 10_000

/** The input of {@link Probe}. */
export interface ProbeConfig {
  /** Names the check in the log: `{ plugin: 'postgres' }`. */
  readonly facts: object
  readonly check: HealthCheck
  readonly app: HealthContext
  readonly clock: Clock
  /** It must not throw. */
  readonly logger: Logger
}

/** One check, and the call of it that is under way. */
export class Probe {
  readonly #config: ProbeConfig
  readonly #isRequired: boolean
  #wasUp = true
  #call: { readonly startedAt: number; readonly result: Promise<CheckedHealth> } | undefined

  constructor(config: ProbeConfig) {
    this.#config = config
    const { check } = config
    this.#isRequired = typeof check === 'function' || check.required !== false
  }

  /** Runs the check, and waits for at most one second. Never rejects. The log gets each change of the result. */
  async ask(): Promise<CheckedHealth> {
    const result = await this.#within()
    const isUp = result.status === 'up'
    if (isUp !== this.#wasUp) this.#log(result)
    this.#wasUp = isUp
    return result
  }

  #log(result: CheckedHealth): void {
    const { facts, logger } = this.#config
    if (result.status === 'up') logger.info(facts, 'A health check succeeds again')
    else logger.warn({ ...facts, reason: result.reason }, 'A health check has failed')
  }

  #within(): Promise<CheckedHealth> {
    const { clock } = this.#config
    return new Promise((resolve) => {
      const late = `No response within ${LIMIT_MS} ms.`
      const timer = clock.setTimeout(() => resolve(this.#failed(late)), LIMIT_MS)
      void this.#calling().then((result) => {
        timer.cancel()
        resolve(result)
      })
    })
  }

  #calling(): Promise<CheckedHealth> {
    const now = this.#config.clock.monotonic()
    const before = this.#call
    if (before !== undefined && now - before.startedAt < STUCK_MS) return before.result
    const call = { startedAt: now, result: this.#run() }
    this.#call = call
    void call.result.then(() => {
      if (this.#call === call) this.#call = undefined
    })
    return call.result
  }

  async #run(): Promise<CheckedHealth> {
    const { check, app } = this.#config
    try {
      const details = await (typeof check === 'function' ? check(app) : check.check(app))
      return details === undefined ? { status: 'up' } : { status: 'up', details }
    } catch (error) {
      return this.#failed(messageOf(error))
    }
  }

  #failed(reason: string): CheckedHealth {
    return { status: this.#isRequired ? 'down' : 'degraded', reason }
  }
}

/** Never throws, even if the thrown value cannot be read. */
function messageOf(error: unknown): string {
  try {
    return textOf(error)
  } catch {
    return 'The error has no text.'
  }
}

/** Node reports an attempt at several addresses as an `AggregateError`, which has no message itself. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, name } = error
  if (error instanceof AggregateError && message === '') return error.errors.map(textOf).join(', ')
  return String(message) || name
}
