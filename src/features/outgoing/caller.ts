import type { Request as ServerRequest } from '../../contracts/handler.js'
import type { CallResult, KeptCall } from '../../contracts/outgoing-call.js'
import type { Metric } from '../../contracts/reports.js'
import { refuse } from '../../errors/refuse.js'
import { WorkContext } from '../../http/contexts.js'
import { REQUEST_ID_HEADER, sendableRequestId } from '../../http/request-id.js'
import { traceOf } from '../../http/trace-context.js'
import {
  type AskedCall,
  type Call,
  isRepeatable,
  isSafe,
  limitOf,
  methodOf,
  urlOf,
} from './call.js'
import { type HostState, HostStates } from './host-state.js'
import type { OutgoingLinks, OutgoingParts } from './outgoing-parts.js'
import { type Attempt, hasFailed, pause, waitBefore } from './repetition.js'
import { type Transport, transportOf } from './transport.js'

/** A call, and how often it was sent. */
interface Sending {
  readonly call: Call
  attempts: number
}

/** Sends the calls of an application. */
export class Caller {
  readonly #parts: OutgoingParts
  /** They come when the requests of the application can be handled. */
  readonly #links: () => OutgoingLinks
  readonly #leftOut = new Set<string>()
  readonly #send: Transport
  readonly #hosts = new HostStates()
  /** Strangers choose these hosts, so they cannot make the state of another host be forgotten. */
  readonly #publicHosts = new HostStates()
  readonly #counts = new CallCounts()

  /**
   * @param parts The parts of the application that calls depend on.
   * @param links Returns the parts that come later.
   */
  constructor(parts: OutgoingParts, links: () => OutgoingLinks) {
    this.#parts = parts
    this.#links = links
    this.#send = transportOf(parts)
  }

  /** Sends a call, and returns a response as `fetch` does. */
  async call(asked: AskedCall): Promise<Response> {
    const { call, onHead } = this.#open(asked)
    const end = this.#links().onCall?.(call)
    const sending: Sending = { call, attempts: 0 }
    try {
      const response = await this.#repeat(sending)
      this.#counts.add(call, response.status)
      end?.({ ...this.#resultOf(sending, response), status: response.status, error: undefined })
      return response
    } catch (error) {
      this.#counts.add(call, null)
      end?.({ ...this.#resultOf(sending, null), status: null, error })
      throw error
    } finally {
      onHead()
    }
  }

  /** The metrics of calls. */
  metrics(): readonly Metric[] {
    return this.#counts.metrics(this.openCircuits)
  }

  /** Lists the hosts to which calls are refused, without hosts that strangers have chosen. */
  readonly openCircuits = (): readonly string[] => this.#hosts.open(this.#parts.clock.monotonic())

  #open(asked: AskedCall): { readonly call: Call; readonly onHead: () => void } {
    const { clock, settings, credentials } = this.#parts
    const { init, req, stack } = asked
    const [url, method] = [urlOf(asked), methodOf(asked)]
    const headers = headersOf(asked, { credentials, onLeftOut: this.#noteLeftOut })
    const rest = req === undefined ? settings.timeoutMs : this.#links().restOf(req)
    const { onHead, ...limit } = limitOf(asked, { clock, rest, url })
    const call: Call = {
      ...limit,
      asked,
      method,
      url,
      headers,
      isPublic: init.public === true,
      startedAt: clock.monotonic(),
      req,
      isRepeatable: isRepeatable(asked, method, headers),
      // Node makes the text when it is first read.
      get stack() {
        return stack?.stack
      },
    }
    return { call, onHead }
  }

  /** Sends a call, and sends it again as long as it may be. */
  async #repeat(sending: Sending): Promise<Response> {
    const { call } = sending
    const { clock, settings, answer } = this.#parts
    const { retries, circuit } = settings
    // Most applications need to know nothing about hosts.
    if (!retries && !circuit) return await this.#sendOnce(sending)
    const host = (call.isPublic ? this.#publicHosts : this.#hosts).of(call.url.host)
    host.count(clock.monotonic())
    for (;;) {
      if (circuit) this.#enter(host, call)
      const attempt = await this.#attempt(sending)
      host.note(hasFailed(call, attempt), clock.monotonic())
      const wait = retries ? waitBefore(call, attempt, { attempts: sending.attempts, clock }) : null
      if (wait === null || !host.takeRepetition()) return settle(attempt)
      // Its body is unused.
      void attempt.response?.body?.cancel().catch(() => {})
      // A test that answers calls does not move its clock for each of them.
      if (answer === null) await pause(wait, clock, call.signal)
    }
  }

  async #attempt(sending: Sending): Promise<Attempt> {
    try {
      return { response: await this.#sendOnce(sending) }
    } catch (error) {
      return { error }
    }
  }

  async #sendOnce(sending: Sending): Promise<Response> {
    sending.attempts += 1
    return await this.#send(sending.call)
  }

  /** @throws HttpError with the status 503 if the host has failed. */
  #enter(host: HostState, { url }: Call): void {
    const ms = host.enter(this.#parts.clock.monotonic())
    if (ms === 0) return
    // Clients do not read the message of such an error.
    throw refuse('CIRCUIT_OPEN', `${url.host} has failed, so it is not called for a while`, {
      headers: { 'Retry-After': String(Math.ceil(ms / 1000)) },
      stack: true,
    })
  }

  #resultOf({ call, attempts }: Sending, response: Response | null) {
    const { bodies } = this.#links().needs
    const durationMs = this.#parts.clock.monotonic() - call.startedAt
    const kept = bodies ? keepCall(call.asked, response) : null
    return { attempts, durationMs, kept } satisfies Partial<CallResult>
  }

  readonly #noteLeftOut = (header: string): void => {
    if (this.#leftOut.has(header)) return
    this.#leftOut.add(header)
    this.#parts.logger.warn({ header }, 'A call does not forward this header of its request')
  }
}

function settle({ response, error }: Attempt): Response {
  if (response === undefined) throw error
  return response
}

/** The most bytes that are kept of a body. */
const MOST = 1_000_000

/** Keeps the bodies of a call. The program reads its response as before. */
function keepCall({ init: { body } }: AskedCall, response: Response | null): KeptCall {
  const sent = textOf(body)
  if (response === null) {
    return { sent, headers: [], received: () => ({ bytes: new Uint8Array(), isWhole: true }) }
  }
  const chunks: Uint8Array[] = []
  const state = { isWhole: response.body === null }
  void readCopy(response, chunks).then(
    (isWhole) => {
      state.isWhole = isWhole
    },
    () => {},
  )
  const received = () => ({ bytes: Buffer.concat(chunks), isWhole: state.isWhole })
  return { sent, headers: [...response.headers], received }
}

/** Reads a copy of a body, not more than is kept. Returns whether it is all. */
async function readCopy(response: Response, chunks: Uint8Array[]): Promise<boolean> {
  const reader = response.clone().body?.getReader()
  let length = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > MOST) {
      // The other half of the body goes on.
      void reader.cancel().catch(() => {})
      return false
    }
    chunks.push(value)
  }
  return true
}

function textOf(body: unknown): string | null {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  return body instanceof Uint8Array ? Buffer.from(body).toString() : null
}

/** The hosts that a program calls are few. More than these share one name, so that the number of series is bounded. */
const MOST_HOSTS = 100
const OTHERS = 'other'
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|QUERY)$/

/** Counts calls by host, method and class of the status. */
class CallCounts {
  readonly #counts = new Map<string, { readonly labels: Record<string, string>; value: number }>()
  readonly #hosts = new Set<string>()

  /** @param status `null` for a call that has failed. */
  add({ url, method, isPublic }: Call, status: number | null): void {
    const labels = {
      host: isPublic ? 'public' : this.#hostOf(url),
      method: METHODS.test(method) ? method : OTHERS,
      status: status === null ? 'error' : `${Math.floor(status / 100)}xx`,
    }
    const key = Object.values(labels).join(' ')
    const known = this.#counts.get(key) ?? { labels, value: 0 }
    known.value += 1
    this.#counts.set(key, known)
  }

  #hostOf({ host }: URL): string {
    if (this.#hosts.has(host)) return host
    if (this.#hosts.size >= MOST_HOSTS) return OTHERS
    this.#hosts.add(host)
    return host
  }

  /** The metrics of calls. */
  metrics(openCircuits: () => readonly string[]): Metric[] {
    return [
      {
        name: 'outgoing_calls_total',
        help: 'Calls to other hosts, by host, method and class of the status.',
        type: 'counter',
        read: () => [...this.#counts.values()],
      },
      {
        name: 'outgoing_open_circuits',
        help: 'Hosts to which calls are refused, because they have failed.',
        type: 'gauge',
        read: () => openCircuits().length,
      },
    ]
  }
}

/** Dependencies of the headers of a call, besides the program. */
interface HeadersConfig {
  /** More headers with which a client proves to this application who it is, in lower case. */
  readonly credentials: readonly string[]
  /** Called with the name of each header that is left out. */
  readonly onLeftOut: (name: string) => void
}

/** Headers of credentials in any application. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie']

const KEY = 'idempotency-key'

/** Returns the headers that the program has given, without credentials of the request, with its trace and its id. */
function headersOf(asked: AskedCall, config: HeadersConfig): Headers {
  const { input, init, req } = asked
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}))
  if (req === undefined) return addWork(headers, asked)
  leaveOut(headers, req, config)
  if (init.public !== true) addContext(headers, req)
  return headers
}

/** A program that passes all headers of its request on would give the credentials of its client to the other host. */
function leaveOut(headers: Headers, req: ServerRequest, config: HeadersConfig): void {
  const { credentials, onLeftOut } = config
  for (const name of new Set([...CREDENTIALS, ...credentials])) {
    const own = req.headers[name]
    if (own === undefined || headers.get(name) !== String(own).trim()) continue
    headers.delete(name)
    onLeftOut(name)
  }
}

/** A job may run several times, so a call that changes something has the same key in each run. */
function addWork(headers: Headers, asked: AskedCall): Headers {
  const work = WorkContext.current()
  if (work === undefined) return headers
  const own = asked.init.public === true ? {} : work.headers
  for (const [name, value] of Object.entries(own)) if (!headers.has(name)) headers.set(name, value)
  const key = isSafe(methodOf(asked)) ? undefined : work.idempotencyKey
  if (key !== undefined && !headers.has(KEY)) headers.set(KEY, key())
  return headers
}

function addContext(headers: Headers, req: ServerRequest): void {
  const id = sendableRequestId(req)
  if (id !== undefined && !headers.has(REQUEST_ID_HEADER)) headers.set(REQUEST_ID_HEADER, id)
  if (headers.has('traceparent')) return
  for (const [name, value] of Object.entries(traceOf(req).headers)) headers.set(name, value)
}
