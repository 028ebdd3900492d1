import type { Clock } from '../../contracts/clock.js'
import type { Request as ServerRequest } from '../../contracts/handler.js'
import type { NewCall } from '../../contracts/outgoing-call.js'
import { WorkContext } from '../../http/contexts.js'
import { REQUEST_ID_HEADER, sendableRequestId } from '../../http/request-id.js'
import { traceOf } from '../../http/trace-context.js'
import { toSeconds } from '../../http/units.js'
import type { OutgoingInit } from './outgoing-options.js'

/** The call, as passed to `outgoing`. */
export interface AskedCall {
  readonly input: string | URL | Request
  readonly init: OutgoingInit
  /** Its text is read late, because most stacks are not read. */
  readonly stack: { readonly stack?: string } | undefined
  readonly req: ServerRequest | undefined
}

/**
 * A call on its way. It is an instance: in a profile on Node 20, an object with a getter and the fields of another one took a
 * quarter of the time before a call is sent.
 */
export class Call implements NewCall {
  readonly asked: AskedCall
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly isPublic: boolean
  readonly startedAt: number
  readonly req: ServerRequest | undefined
  readonly limit: Limit
  /** The number of attempts. */
  attempts = 0

  /** @throws TypeError for a URL, a header or a time that is not valid. */
  constructor(asked: AskedCall, headers: Headers, config: Pick<LimitConfig, 'clock' | 'rest'>) {
    this.asked = asked
    this.method = methodOf(asked)
    this.url = urlOf(asked)
    this.headers = headers
    this.isPublic = asked.init.public === true
    this.startedAt = config.clock.monotonic()
    this.req = asked.req
    addContext(headers, asked)
    this.limit = limitOf(asked, { ...config, url: this.url })
  }

  /** Node creates the text at the first access. */
  get stack(): string | undefined {
    return this.asked.stack?.stack
  }
}

const SAFE = /^(?:GET|HEAD|OPTIONS|QUERY)$/
const KEY = 'idempotency-key'

/** Returns the method of a call. */
function methodOf({ input, init }: AskedCall): string {
  return (init.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
}

/** @throws TypeError for a URL that is not absolute, or contains a user. The message contains no password. */
function urlOf({ input }: AskedCall): URL {
  const text = input instanceof Request ? input.url : String(input)
  const url = parse(text)
  if (url.username === '' && url.password === '') return url
  const advice = 'Pass them in the authorization header.'
  throw new TypeError(`outgoing(): the URL of ${url.host} has a user or a password. ${advice}`)
}

/** @throws TypeError without the text, which the error of `URL` has. */
function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new TypeError('outgoing(): the URL is not absolute.')
  }
}

/** Whether sending a call twice has the effect of sending it once (RFC 9110, 9.2.1), and it can be sent twice. */
export function isRepeatable({ asked: { input, init }, method, headers }: Call): boolean {
  if (!SAFE.test(method) && !headers.has(KEY)) return false
  const { body = null } = init
  // A stream is used up after it was sent.
  if (body === null) return !(input instanceof Request) || input.body === null
  return !(body instanceof ReadableStream) && !(Symbol.asyncIterator in Object(body))
}

/** Adds the context of a call to the headers of the program. */
function addContext(headers: Headers, asked: AskedCall): void {
  const added = contextOf(asked, headers)
  for (const name in added) {
    const value = added[name]
    if (value !== undefined && !headers.has(name)) headers.set(name, value)
  }
}

/** The headers of its request, or of its job, which may run several times with the same key. */
function contextOf(asked: AskedCall, headers: Headers): Record<string, string | undefined> {
  const { init, req } = asked
  const isPublic = init.public === true
  if (req === undefined) {
    const { headers: own, idempotencyKey } = WorkContext.current() ?? {}
    const isKeyless = SAFE.test(methodOf(asked)) || headers.has(KEY)
    return { ...(isPublic ? {} : own), [KEY]: isKeyless ? undefined : idempotencyKey?.() }
  }
  if (isPublic) return {}
  const trace = headers.has('traceparent') ? {} : traceOf(req).headers
  return { [REQUEST_ID_HEADER]: sendableRequestId(req), ...trace }
}

/** The signal of a request ends its calls. For an ended request, calls end a moment later. */
const AFTER_REQUEST_MS = 25

/** The time that a call has. */
export interface Limit {
  /** Aborts at the deadline of the call. */
  readonly signal: AbortSignal
  /** The deadline of the call, on the monotonic clock. */
  readonly endsAt: number
  /** Called with the result: the request limits the body of a response. */
  readonly onHead: (response: Response | undefined) => void
}

/** Dependencies of the limit of a call. */
interface LimitConfig {
  readonly clock: Clock
  /** Returns the milliseconds that are left without a time of the call's own; `null` for any time. */
  readonly rest: () => number | null
  /** For the message. */
  readonly url: URL
}

/**
 * Limits a call to the rest of its request, or to a shorter time of its own.
 *
 * @throws TypeError for a time that is not a duration.
 */
function limitOf({ input, init, req }: AskedCall, { clock, rest, url }: LimitConfig): Limit {
  const left = rest() ?? Number.POSITIVE_INFINITY
  const ms = Math.min(left, init.timeout === undefined ? left : msOf(init.timeout))
  const ofRequest = ms === left ? req : undefined
  const controller = new AbortController()
  const message = `The call to ${url.host} took longer than ${Math.round(ms)} ms`
  const stop = () => {
    // The time of a handler begins when it first waits: if it worked on after the call, it has more time than the call had.
    const more = ofRequest === undefined || ofRequest.res?.headersSent !== false ? 0 : (rest() ?? 0)
    if (more > 0) timer = clock.setTimeout(stop, more + AFTER_REQUEST_MS)
    else controller.abort(new DOMException(message, 'TimeoutError'))
  }
  let timer =
    ms === Number.POSITIVE_INFINITY
      ? null
      : clock.setTimeout(stop, ofRequest === undefined ? ms : ms + AFTER_REQUEST_MS)
  const given = init.signal ?? (input instanceof Request ? input.signal : null)
  const release = follow([req?.signal, given], controller)
  return {
    signal: controller.signal,
    endsAt: clock.monotonic() + ms,
    onHead(response) {
      if (ofRequest !== undefined) timer?.cancel()
      if (response?.body) unread.register(response.body, release)
      else release()
    },
  }
}

/** Forgets the signals of a response together with its body: no event shows that a program has read it. */
const unread = new FinalizationRegistry<() => void>((release) => release())
/** Node warns of a signal with eleven listeners, so all calls of a request share one. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>()

/**
 * Aborts with the first of some signals. In a loop on Node 20, `AbortSignal.any` took seven times as long as a listener.
 *
 * @returns a function that ends it.
 */
function follow(
  signals: readonly (AbortSignal | null | undefined)[],
  controller: AbortController,
): () => void {
  const joined = signals.flatMap((signal) => (signal ? join(signal, controller) : []))
  return () => {
    for (const each of joined) each.delete(controller)
  }
}

function join(signal: AbortSignal, controller: AbortController): Set<AbortController> {
  if (signal.aborted) controller.abort(signal.reason)
  const known = followers.get(signal)
  const all = known ?? new Set()
  all.add(controller)
  if (known !== undefined) return known
  followers.set(signal, all)
  const abort = () => {
    for (const each of all) each.abort(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  return all
}

function msOf(timeout: NonNullable<OutgoingInit['timeout']>): number {
  const seconds = toSeconds(timeout)
  if (seconds !== undefined && seconds > 0) return seconds * 1000
  throw new TypeError(
    `outgoing(): ${timeout} is not a duration. Pass seconds, or a string such as '5s'.`,
  )
}
