import type { Clock, Timer } from '../../contracts/clock.js'
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
  /** The caller's stack. Its string is created only when it is read, because most stacks are never read. */
  readonly stack: { readonly stack?: string } | undefined
  readonly req: ServerRequest | undefined
}

interface CallConfig {
  readonly clock: Clock
  /** Returns the remaining time in milliseconds, regardless of the call's own `timeout`; `null` for no limit. */
  readonly rest: () => number | null
}

/**
 * How long after a request's time limit the timers of its calls fire, in milliseconds. Usually, the request's signal
 * has already ended a call by then.
 */
const AFTER_REQUEST_MS = 25

/**
 * A call that is being sent. It is a class, because in a profile on Node 20, creating a plain object with a getter and
 * copied fields took a quarter of the time before a call was sent.
 */
export class Call implements NewCall {
  readonly asked: AskedCall
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly isPublic: boolean
  readonly startedAt: number
  readonly req: ServerRequest | undefined
  /** The call's deadline, on the monotonic clock. */
  readonly endsAt: number
  /** The number of attempts so far. */
  attempts = 0
  readonly #config: CallConfig
  readonly #end = new AbortController()
  /** Whether the call's time limit is the remaining time of its request. */
  readonly #isOfRequest: boolean
  /** Whether the request's time limit had ended when the timer fired. */
  #isOverdue = false
  #timer: Timer | undefined
  readonly #release: () => void

  /** @throws TypeError for an invalid URL, header or `timeout`. */
  constructor(asked: AskedCall, headers: Headers, config: CallConfig) {
    const { input, init, req } = asked
    const isRequest = input instanceof Request
    this.asked = asked
    this.method = (init.method ?? (isRequest ? input.method : 'GET')).toUpperCase()
    this.url = urlOf(isRequest ? input.url : String(input))
    this.headers = headers
    this.isPublic = init.public === true
    this.req = req
    addContext(this)
    const left = config.rest() ?? Number.POSITIVE_INFINITY
    const ms = Math.min(left, init.timeout === undefined ? left : msOf(init.timeout))
    this.#config = config
    this.#isOfRequest = req !== undefined && ms === left
    this.startedAt = config.clock.monotonic()
    this.endsAt = this.startedAt + ms
    this.#wait(ms)
    const given = init.signal ?? (isRequest ? input.signal : null)
    this.#release = follow([req?.signal, given], this.#end)
  }

  /** Aborts at the call's deadline, or with another signal that the call follows. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Node creates this string on the first access. */
  get stack(): string | undefined {
    return this.asked.stack?.stack
  }

  /**
   * Receives the result of the call. If the call's time limit comes from its request, the call's own timer is
   * cancelled, so that it does not limit the response body.
   */
  noteHead(response: Response | undefined): void {
    if (this.#isOfRequest) this.#timer?.cancel()
    if (response?.body) unread.register(response.body, this.#release)
    else this.#release()
  }

  #wait(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return
    const after = this.#isOfRequest ? AFTER_REQUEST_MS : 0
    this.#timer = this.#config.clock.setTimeout(() => this.#stop(), ms + after)
  }

  #stop(): void {
    // A handler's time limit starts when the handler first waits. If the handler continued to work after making the
    // call, its limit ends later than the call's limit.
    const isWaiting = this.#isOfRequest && this.req?.res?.headersSent === false
    const more = isWaiting ? (this.#config.rest() ?? 0) : 0
    // After a blocked event loop, both timers are due, and this one can be the first.
    if (more > 0 || (isWaiting && !this.#isOverdue)) {
      this.#isOverdue = more <= 0
      return this.#wait(more)
    }
    const ms = Math.round(this.endsAt - this.startedAt)
    const message = `The call to ${this.url.host} took longer than ${ms} ms`
    this.#end.abort(new DOMException(message, 'TimeoutError'))
  }
}

/**
 * @throws TypeError if the URL is not absolute, or if it contains a user or a password. The message never contains the
 * password.
 */
function urlOf(text: string): URL {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new TypeError('outgoing(): the URL is not absolute.')
  }
  if (url.username === '' && url.password === '') return url
  const advice = 'Pass them in the authorization header.'
  throw new TypeError(`outgoing(): the URL of ${url.host} has a user or a password. ${advice}`)
}

function msOf(timeout: NonNullable<OutgoingInit['timeout']>): number {
  const seconds = toSeconds(timeout)
  if (seconds !== undefined && seconds > 0) return seconds * 1000
  throw new TypeError(
    `outgoing(): ${timeout} is not a duration greater than 0. Pass a number of seconds, or a string such as '5s'.`,
  )
}

const SAFE = /^(?:GET|HEAD|OPTIONS|QUERY)$/
const KEY = 'idempotency-key'

/** Whether sending a call twice has the same effect as sending it once (RFC 9110, 9.2.1). */
function isIdempotent({ method, headers }: Call): boolean {
  return SAFE.test(method) || headers.has(KEY)
}

/** Whether a call is safe to send twice, and its body can be sent twice. */
export function isRepeatable(call: Call): boolean {
  const { input, init } = call.asked
  const body = init.body ?? (input instanceof Request ? input.body : null)
  // A stream can be read only once.
  const isStream = body instanceof ReadableStream || Symbol.asyncIterator in Object(body)
  return isIdempotent(call) && !isStream
}

/**
 * Adds the headers of the call's request or job. A job may run several times, and each run uses the same idempotency
 * key.
 */
function addContext(call: Call): void {
  const { headers, isPublic, req } = call
  const work = req === undefined ? WorkContext.current() : undefined
  if (!isPublic && req !== undefined) {
    add(headers, REQUEST_ID_HEADER, sendableRequestId(req))
    const { traceparent, tracestate } = headers.has('traceparent') ? {} : traceOf(req).headers
    add(headers, 'traceparent', traceparent)
    add(headers, 'tracestate', tracestate)
  }
  if (!isPublic) for (const name in work?.headers) add(headers, name, work.headers[name])
  if (!isIdempotent(call)) add(headers, KEY, work?.idempotencyKey?.())
}

/** Adds a header, unless the application has set it. */
function add(headers: Headers, name: string, value: string | undefined): void {
  if (value !== undefined && !headers.has(name)) headers.set(name, value)
}

/**
 * Stops following a call's signals when the response body is garbage-collected, because no event shows when the
 * application has finished reading the body.
 */
const unread = new FinalizationRegistry<() => void>((release) => release())
/**
 * The calls that end when a signal aborts, by signal. The calls of a signal share one listener, because an
 * application's signal may live as long as the process, and adding a listener takes longer with each existing listener.
 */
const followers = new WeakMap<AbortSignal, Set<AbortController>>()

/**
 * Aborts the controller as soon as one of the signals aborts. In a loop on Node 20, `AbortSignal.any` took seven times
 * as long as a listener.
 *
 * @returns a function that stops following the signals.
 */
function follow(
  given: readonly (AbortSignal | null | undefined)[],
  controller: AbortController,
): () => void {
  const joined = given.flatMap((signal) => (signal ? join(signal, controller) : []))
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
