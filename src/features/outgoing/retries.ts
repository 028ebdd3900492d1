import type { Clock } from '../../contracts/clock.js'
import { type Call, isRepeatable } from './call.js'

/** The result of sending a call once. */
export type Attempt =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

/** Whether the host failed; `null` if unknown. */
export function hasFailed({ signal }: Call, { response, error }: Attempt): boolean | null {
  if (response !== undefined) return response.status >= 500
  if (isRefusal(error)) return null
  // If the client disconnected or the application cancelled the call, the host has not failed. A timeout counts as a
  // failure of the host.
  const { name, code } = Object(signal.reason)
  const isLate = name === 'TimeoutError' || code === 'HANDLER_TIMEOUT'
  return !signal.aborted || isLate ? true : null
}

/** Whether an error comes from `outgoing` itself, for example because a URL is not public. */
function isRefusal(error: unknown): boolean {
  return typeof Object(error).status === 'number'
}

/** The maximum number of times that a call is sent. */
const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 200
/**
 * The statuses of temporary problems. 500 is not one of them, because such a response probably depends on the call
 * itself.
 */
const PASSING = new Set([429, 502, 503, 504])

/** Returns how long to wait before a call is sent again, in milliseconds; `null` if it is not sent again. */
export function waitBefore(call: Call, { response, error }: Attempt, clock: Clock): number | null {
  if (call.attempts >= MOST_ATTEMPTS || call.signal.aborted || !isRepeatable(call)) return null
  if (response === undefined ? isRefusal(error) : !PASSING.has(response.status)) return null
  // The wait contains a random part, so that calls that failed together are not retried together.
  const random = Math.random() * FIRST_WAIT_MS * 2 ** (call.attempts - 1)
  const ms = random + retryAfterMs(response?.headers.get('retry-after') ?? '', clock)
  return clock.monotonic() + ms < call.endsAt ? ms : null
}

/**
 * Returns the wait that `Retry-After` requires, in milliseconds. The header contains seconds or a date (RFC 9110,
 * 10.2.3). Returns 0 if it is missing or invalid.
 */
function retryAfterMs(value: string, clock: Clock): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  return Math.max(0, Date.parse(value) - clock.now() || 0)
}
