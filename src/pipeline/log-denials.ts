import type { Clock } from '../contracts/clock.js'
import { isFault } from '../errors/fault.js'
import type { BlazonRequest } from '../http/request.js'
import type { LogFailure } from './log-failure.js'

/** Logs why a guard let no request pass, if the reason is a failure and not a decision. */
export type LogDenial = (error: unknown, req: BlazonRequest) => void

const FAULT = 'The guard failed, so the request was refused'

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
  return function logDenial(error, req) {
    if (isFault(error) && take()) log(error, req, { status: 401, message: FAULT })
  }
}
