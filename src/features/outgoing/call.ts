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
  /** Its text is read late, because most stacks are not read. */
  readonly stack: { readonly stack?: string } | undefined
  readonly req: ServerRequest | undefined
}

/** Dependencies of a call. */
interface CallConfig {
  readonly clock: Clock
  /** Returns the milliseconds that are left without a time of the call's own; `null` for any time. */
  readonly rest: () => number | null
}

/** The signal of a request ends its calls. For an ended request, calls end a moment later. */
const AFTER_REQUEST_MS = 25

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
  /** The deadline of the call, on the monotonic clock. */
  readonly endsAt: number
  /** The number of attempts. */
  attempts = 0
  readonly #config: CallConfig
  readonly #end = new AbortController()
  /** Whether the time of the call is the rest of its request. */
  readonly #isOfRequest: boolean
  #timer: Timer | undefined
  readonly #release: () => void

  /** @throws TypeError for a URL, a header or a time that is not valid. */
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

  /** Aborts at the deadline of the call. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Node creates the text at the first access. */
  get stack(): string | undefined {
    return this.asked.stack?.stack
  }

  /** Called with the result: the request limits the body of a response. */
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
    // The time of a handler begins when it first waits: if it worked on after the call, it has more time than the call had.
    const isWaiting = this.#isOfRequest && this.req?.res?.headersSent === false
    const more = isWaiting ? (this.#config.rest() ?? 0) : 0
    if (more > 0) return this.#wait(more)
    const ms = Math.round(this.endsAt - this.startedAt)
    const message = `The call to ${this.url.host} took longer than ${ms} ms`
    this.#end.abort(new DOMException(message, 'TimeoutError'))
  }
}

/** @throws TypeError for a URL that is not absolute, or contains a user. The message contains no password. */
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
    `outgoing(): ${timeout} is not a duration. Pass seconds, or a string such as '5s'.`,
  )
}

const SAFE = /^(?:GET|HEAD|OPTIONS|QUERY)$/
const KEY = 'idempotency-key'

/** Whether sending a call twice has the effect of sending it once (RFC 9110, 9.2.1). */
function isIdempotent({ method, headers }: Call): boolean {
  return SAFE.test(method) || headers.has(KEY)
}

/** Whether a call may be sent twice, and can be. */
export function isRepeatable(call: Call): boolean {
  const { input, init } = call.asked
  const body = init.body ?? (input instanceof Request ? input.body : null)
  // A stream is used up after it was sent.
  const isStream = body instanceof ReadableStream || Symbol.asyncIterator in Object(body)
  return isIdempotent(call) && !isStream
}

/** Adds the context of a call: of its request, or of its job, which may run several times with the same key. */
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

/** Adds a header that the program has not set. */
function add(headers: Headers, name: string, value: string | undefined): void {
  if (value !== undefined && !headers.has(name)) headers.set(name, value)
}

/** Forgets the signals of a response together with its body: no event shows that a program has read it. */
const unread = new FinalizationRegistry<() => void>((release) => release())
/**
 * The calls that end with a signal. They share one listener: a signal of a program may live as long as the process, and adding
 * a listener takes longer with each one that is there.
 */
const followers = new WeakMap<AbortSignal, Set<AbortController>>()

/**
 * Aborts with the first of some signals. In a loop on Node 20, `AbortSignal.any` took seven times as long as a listener.
 *
 * @returns a function that ends it.
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
