import type { Clock, Timer } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import { HttpError } from '../errors/http-error.js'
import { ignoreRejection } from '../step/step.js'

/** The interval between two log lines about the same cause, in milliseconds. */
const PERIOD_MS = 1000
/** The maximum number of causes that are counted separately. */
const MOST_CAUSES = 20
/** The common name for all further causes. */
const OTHERS = '(others)'
/** Error codes that concern a single request: its route or its data. */
const OF_ONE_REQUEST: readonly unknown[] = [
  'SERVICE_UNAVAILABLE',
  'HANDLER_TIMEOUT',
  'COMMIT_UNKNOWN',
]

/** The facts that identify the cause of a failure. */
interface Cause {
  readonly code: string
  /** The code or class of the underlying error, such as `ECONNREFUSED`. */
  readonly reason?: string
}

interface Count {
  readonly cause: Cause
  count: number
  timer: Timer
}

/**
 * Counts the failures during an outage, in which every request fails with the same error, for example because the
 * database is unreachable. The first error is logged like any other error. Later errors are logged in one line per
 * second, so that the log does not grow with the number of requests.
 */
export class RepeatedFailures {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #counts = new Map<string, Count>()
  #isClosed = false

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger
    this.#clock = clock
  }

  /** Whether an error repeats a logged error. If so, it is only counted and need not be logged. */
  note(error: unknown): boolean {
    const cause = this.#isClosed ? undefined : causeOf(error)
    if (cause === undefined) return false
    const name = `${cause.code} ${cause.reason}`
    const isKnown = this.#counts.has(name) || this.#counts.size < MOST_CAUSES
    const key = isKnown ? name : OTHERS
    const known = this.#counts.get(key)
    if (known !== undefined) {
      known.count++
      return true
    }
    const timer = this.#next(key)
    this.#counts.set(key, { cause: isKnown ? cause : { code: OTHERS }, count: 0, timer })
    return false
  }

  /** Logs the errors that have not been logged yet. Later errors are not counted. */
  close(): void {
    this.#isClosed = true
    for (const found of this.#counts.values()) {
      found.timer.cancel()
      if (found.count > 0) this.#log(found)
    }
    this.#counts.clear()
  }

  #next(key: string): Timer {
    return this.#clock.setTimeout(() => this.#end(key), PERIOD_MS)
  }

  /** One second without a failure ends the outage. */
  #end(key: string): void {
    const found = this.#counts.get(key)
    if (found === undefined) return
    if (found.count === 0) return void this.#counts.delete(key)
    this.#log(found)
    found.count = 0
    found.timer = this.#next(key)
  }

  #log({ cause, count }: Count): void {
    try {
      const facts = { ...cause, status: 503, count }
      const returned: unknown = this.#logger.error(facts, 'More requests failed')
      ignoreRejection(returned)
    } catch {
      // A failing logger must not end the process.
    }
  }
}

/**
 * Returns the cause that an error may share with errors of other requests; `undefined` if the error concerns only one
 * request.
 */
function causeOf(error: unknown): Cause | undefined {
  if (!HttpError.is(error) || error.status !== 503 || OF_ONE_REQUEST.includes(error.code)) {
    return undefined
  }
  const { code, cause } = error
  const reason = cause instanceof Error ? reasonOf(cause) : undefined
  return { code: String(code), ...(reason !== undefined && { reason }) }
}

/** The message is not used, because it may contain values from the request. */
function reasonOf(cause: Error): string {
  const { code } = cause as { readonly code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : cause.name
}
