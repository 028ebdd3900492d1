import type { Clock } from '../../contracts/clock.js'
import { type Call, isRepeatable } from './call.js'

/** The result of sending a call once. */
export type Attempt =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

/** Whether the host did not work; `null` if that is not known. */
export function hasFailed({ signal }: Call, { response, error }: Attempt): boolean | null {
  if (response !== undefined) return response.status >= 500
  if (isRefusal(error)) return null
  // A client that has left, or a program that wants no answer any more, is no failure of the host. The end of the time is one.
  const { name, code } = Object(signal.reason)
  const isLate = name === 'TimeoutError' || code === 'HANDLER_TIMEOUT'
  return !signal.aborted || isLate ? true : null
}

/** An error of this function itself, such as a URL that is not public. */
function isRefusal(error: unknown): boolean {
  return typeof Object(error).status === 'number'
}

/** A call is sent three times at most. */
const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 200
/** They are about the moment. A 500 is about the call. */
const PASSING = new Set([429, 502, 503, 504])

/** Returns how long to wait before a call is sent again, in milliseconds; `null` if it is not. */
export function waitBefore(call: Call, { response, error }: Attempt, clock: Clock): number | null {
  if (call.attempts >= MOST_ATTEMPTS || call.signal.aborted || !isRepeatable(call)) return null
  if (response === undefined ? isRefusal(error) : !PASSING.has(response.status)) return null
  // A random part, so that calls that failed together are not retried together.
  const random = Math.random() * FIRST_WAIT_MS * 2 ** (call.attempts - 1)
  const ms = random + retryAfterMs(response?.headers.get('retry-after') ?? '', clock)
  return clock.monotonic() + ms < call.endsAt ? ms : null
}

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3); 0 if it is missing or invalid. */
function retryAfterMs(value: string, clock: Clock): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  return Math.max(0, Date.parse(value) - clock.now() || 0)
}
