import type { Clock } from '../../contracts/clock.js'
import type { Request as ServerRequest } from '../../contracts/handler.js'
import type { NewCall } from '../../contracts/outgoing-call.js'
import { toSeconds } from '../../http/units.js'
import type { OutgoingInit } from './outgoing-parts.js'

/** The call as the program has written it. */
export interface AskedCall {
  readonly input: string | URL | Request
  readonly init: OutgoingInit
  /** Its text is read late, because most stacks are not read. */
  readonly stack: { readonly stack?: string } | undefined
  readonly req: ServerRequest | undefined
}

/** A call on its way. */
export interface Call extends NewCall {
  readonly asked: AskedCall
  /** Aborts when the call must end. */
  readonly signal: AbortSignal
  /** When the call must end, on the monotonic clock. */
  readonly endsAt: number
  /** Whether sending it twice has the effect of sending it once, and it can be sent twice. */
  readonly isRepeatable: boolean
}

const SAFE = /^(?:GET|HEAD|OPTIONS|QUERY)$/

/** Whether requests of a method change nothing (RFC 9110, 9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE.test(method)
}

/** Returns the method of a call. */
export function methodOf({ input, init }: AskedCall): string {
  return (init.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
}

/** @throws TypeError for a URL that is not absolute, or has a user. Its message has no password. */
export function urlOf({ input }: AskedCall): URL {
  const text = input instanceof Request ? input.url : String(input)
  if (!URL.canParse(text)) throw new TypeError('outgoing(): the URL is not absolute.')
  const url = new URL(text)
  if (url.username === '' && url.password === '') return url
  const advice = 'Give them in a header: authorization.'
  throw new TypeError(`outgoing(): the URL of ${url.host} has a user or a password. ${advice}`)
}

/** Whether a call may be sent again. */
export function isRepeatable(asked: AskedCall, method: string, headers: Headers): boolean {
  if (!isSafe(method) && !headers.has('idempotency-key')) return false
  const { input, init } = asked
  const { body = null } = init
  // A stream has been read when it was sent.
  if (body === null) return !(input instanceof Request) || input.body === null
  return !(body instanceof ReadableStream) && !(Symbol.asyncIterator in Object(body))
}

/** The signal of a request ends its calls. A request that is over has no such end, so its calls have one a moment later. */
const AFTER_REQUEST_MS = 25

/** The time that a call has. */
export interface Limit {
  readonly signal: AbortSignal
  readonly endsAt: number
  /** Called with the head of the response: its request limits the body. */
  readonly onHead: () => void
}

/** Dependencies of the limit of a call. */
export interface LimitConfig {
  readonly clock: Clock
  /** Milliseconds that are left without a time of the call's own; `null` for any time. */
  readonly rest: number | null
  /** For the message. */
  readonly url: URL
}

/**
 * Limits a call to the rest of its request, or to a shorter time of its own.
 *
 * @throws TypeError for a time that is not a duration.
 */
export function limitOf({ input, init, req }: AskedCall, { clock, rest, url }: LimitConfig): Limit {
  const own = init.timeout === undefined ? null : ownMs(init.timeout)
  const left = rest ?? Number.POSITIVE_INFINITY
  const isOwn = own !== null && own < left
  const ms = isOwn ? own : left
  const controller = new AbortController()
  const message = `The call to ${url.host} took longer than ${Math.round(ms)} ms`
  const stop = () => controller.abort(new DOMException(message, 'TimeoutError'))
  const isOfRequest = req !== undefined && !isOwn
  const timer = Number.isFinite(ms)
    ? clock.setTimeout(stop, isOfRequest ? ms + AFTER_REQUEST_MS : ms)
    : null
  const given = init.signal ?? (input instanceof Request ? input.signal : null)
  const signals = [controller.signal, req?.signal, given].filter((each) => each != null)
  return {
    // Most calls outside of requests have one; `any` takes as long as the rest of this function.
    signal: signals.length === 1 ? controller.signal : AbortSignal.any(signals),
    endsAt: clock.monotonic() + ms,
    onHead: () => {
      if (isOfRequest) timer?.cancel()
    },
  }
}

function ownMs(timeout: NonNullable<OutgoingInit['timeout']>): number {
  const seconds = toSeconds(timeout)
  if (seconds !== undefined && seconds > 0) return seconds * 1000
  throw new TypeError(`outgoing(): ${timeout} is not a duration. Give seconds, or '250ms', '5s'.`)
}
