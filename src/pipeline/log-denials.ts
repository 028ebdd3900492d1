import type { Clock } from '../contracts/clock.js'
import type { Request } from '../contracts/handler.js'
import { isDecision } from '../errors/failure.js'
import { isFault } from '../errors/fault.js'
import type { BlazonRequest } from '../http/request.js'
import type { FailureNote, LogFailure } from './log-failure.js'

/** Logs why a guard let no request pass, if the reason is a failure and not a decision. */
export type LogDenial = (error: unknown, req: BlazonRequest, note?: FailureNote) => void

const REFUSED: FailureNote = {
  status: 401,
  message: 'The guard failed, so the request was refused',
}

/**
 * The most lines at once. After that, one line per `REFILL_MS`. A bad token may make a guard fail, so a client
 * could otherwise fill the log.
 */
const BURST = 20
const REFILL_MS = 1000

/**
 * Creates the function that logs failures of the guard. Errors with which a guard has refused a request are not
 * logged.
 */
export function createDenialLog(log: LogFailure, clock: Clock): LogDenial {
  let left = BURST
  let filledAt = clock.monotonic()
  const take = () => {
    const now = clock.monotonic()
    left = Math.min(BURST, left + (now - filledAt) / REFILL_MS)
    filledAt = now
    if (left < 1) return false
    left--
    return true
  }
  return function logDenial(error, req, note = REFUSED) {
    if (isFault(error) && take()) log(error, req, note)
  }
}

/**
 * Logs failures of the guards of other options than `auth`. The plugins of these options exist before the application
 * has its log.
 */
export class OtherDenials {
  #log: LogDenial | null = null

  /** Sets the function that logs. Boot calls it before the first request. */
  start(log: LogDenial): void {
    this.#log = log
  }

  /** Logs the failure, unless the guard has decided with an HTTP error. */
  readonly logDenial = (error: unknown, req: Request, note?: FailureNote): void => {
    if (!isDecision(error)) this.#log?.(error, req as BlazonRequest, note)
  }
}
