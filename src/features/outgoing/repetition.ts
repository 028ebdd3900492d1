import type { Clock } from '../../contracts/clock.js'
import type { Call } from './call.js'

/** A call is sent three times at most. */
const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 200
/** They are about the moment. A 500 is about the call. */
const PASSING = new Set([429, 502, 503, 504])

/** The result of sending a call once. */
export type Attempt =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

/** Whether the host did not work; `null` if that is not known. */
export function hasFailed(
  { asked: { req }, signal }: Call,
  { response, error }: Attempt,
): boolean | null {
  if (response !== undefined) return response.status >= 500
  if (isRefusal(error)) return null
  if (!signal.aborted) return true
  // The time was over. A client that has left, or a program that wants no answer any more, is no failure of the host.
  const { name, code } = Object(signal.reason) as {
    readonly name?: unknown
    readonly code?: unknown
  }
  const isLate = name === 'TimeoutError' || (req !== undefined && code === 'HANDLER_TIMEOUT')
  return isLate ? true : null
}

/** An error of this function itself, such as a URL that is not public. */
export function isRefusal(error: unknown): boolean {
  return typeof Object(error).status === 'number'
}

/**
 * Returns how long to wait before a call is sent again, in milliseconds; `null` if it is not.
 *
 * @param attempts How often it was sent.
 */
export function waitBefore(
  call: Call,
  { response, error }: Attempt,
  { attempts, clock }: { readonly attempts: number; readonly clock: Clock },
): number | null {
  if (!call.isRepeatable || attempts >= MOST_ATTEMPTS || call.signal.aborted) return null
  if (response === undefined ? isRefusal(error) : !PASSING.has(response.status)) return null
  // A random part, so that calls that have failed together do not come together again.
  const wait = Math.random() * FIRST_WAIT_MS * 2 ** (attempts - 1)
  const wanted = retryAfterMs(response?.headers.get('retry-after') ?? null, clock)
  const ms = wanted + wait
  return clock.monotonic() + ms < call.endsAt ? ms : null
}

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3); 0 without a valid one. */
function retryAfterMs(value: string | null, clock: Clock): number {
  if (value === null) return 0
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? 0 : Math.max(0, date - clock.now())
}

/** @throws the reason of the signal. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    function abort() {
      timer.cancel()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}
