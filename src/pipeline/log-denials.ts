import type { Clock } from '../contracts/clock.js'
import { isFault } from '../errors/fault.js'
import type { BlazonRequest } from '../http/request.js'
import type { LogFailure } from './log-failure.js'

/** Tells the log why a guard let nobody pass, where that is no decision of it. */
export type LogDenial = (error: unknown, req: BlazonRequest) => void

const FAULT = 'The guard failed, so the request was refused'

/** So many lines at once, and then one for each of these milliseconds: a bad token may be what a guard stumbles over. */
const BURST = 20
const REFILL_MS = 1000

/** Makes the function that tells a guard that is broken from one that has turned somebody away. */
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
