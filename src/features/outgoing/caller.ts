import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../contracts/clock.js'
import type { Request as ServerRequest } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { EndCall, KeptCall, NewCall } from '../../contracts/outgoing-call.js'
import type { Metric } from '../../contracts/reports.js'
import { refuse } from '../../errors/refuse.js'
import { type AskedCall, Call } from './call.js'
import { CallCounts, type Host, Hosts } from './hosts.js'
import type { OutgoingSettings } from './outgoing-options.js'
import { type Attempt, hasFailed, waitBefore } from './retries.js'
import { type Transport, type TransportConfig, transportOf } from './transport.js'

/** The parts of an application that exist before its classes are instantiated. */
export interface OutgoingParts extends TransportConfig {
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  readonly settings: OutgoingSettings
  /** The headers of this application that contain credentials or the tenant, in lower case. */
  readonly credentials: readonly string[]
}

/** The parts of an application that exist once it can handle requests. */
export interface OutgoingLinks {
  /** Notifies the observers that a call begins; `null` without observers. Never throws. */
  readonly onCall: ((call: NewCall) => EndCall | null) | null
  readonly needs: { readonly stacks: boolean; readonly bodies: boolean }
  /** Returns the milliseconds until a request's handler timeout; `null` for no limit. */
  readonly restOf: (req: ServerRequest) => number | null
  readonly addMetric: (metric: Metric) => void
}

/** Headers that contain credentials in every application. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie']

/** Sends an application's calls to other hosts. */
export class Caller {
  readonly #parts: OutgoingParts
  /** The links, which are available once the application can handle requests. */
  readonly #links: () => OutgoingLinks | undefined
  readonly #credentials: ReadonlySet<string>
  readonly #leftOut = new Set<string>()
  readonly #transport: Transport
  readonly #hosts = new Hosts()
  /** Untrusted parties choose these hosts, so the state of these hosts must not displace the state of other hosts. */
  readonly #publicHosts = new Hosts()
  readonly #counts = new CallCounts()

  /**
   * @param parts The parts of the application that calls depend on.
   * @param links Returns the parts that become available later.
   */
  constructor(parts: OutgoingParts, links: () => OutgoingLinks | undefined) {
    this.#parts = parts
    this.#links = links
    this.#credentials = new Set([...CREDENTIALS, ...parts.credentials])
    this.#transport = transportOf(parts)
  }

  /** Sends a call, and returns the response as `fetch` does. */
  async call(asked: AskedCall): Promise<Response> {
    const { clock, settings } = this.#parts
    const { retries, circuit, timeoutMs } = settings
    const links = this.#links()
    const { input, init, req } = asked
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}))
    if (req !== undefined) this.#leaveOut(headers, req.headers)
    const rest = () => (req === undefined || links === undefined ? timeoutMs : links.restOf(req))
    const call = new Call(asked, headers, { clock, rest })
    const end = links?.onCall?.(call)
    // The state of hosts is needed only for these two options.
    const { response, error } = await (retries || circuit ? this.#repeat(call) : this.#send(call))
    const status = response?.status ?? null
    call.noteHead(response)
    this.#counts.add(call, status)
    if (end) {
      const durationMs = clock.monotonic() - call.startedAt
      const kept = links?.needs.bodies ? keepCall(init, response) : null
      end({ status, error, attempts: call.attempts, durationMs, kept })
    }
    if (response === undefined) throw error
    return response
  }

  /**
   * Removes credentials that were received with the request. If an application forwards all headers of its request, it
   * would otherwise reveal the client's credentials to the other host.
   */
  #leaveOut(headers: Headers, received: IncomingHttpHeaders): void {
    for (const header of this.#credentials) {
      const own = received[header]
      if (own === undefined || headers.get(header) !== String(own).trim()) continue
      headers.delete(header)
      if (this.#leftOut.has(header)) continue
      this.#leftOut.add(header)
      this.#parts.logger.warn(
        { header },
        'A header of the request was removed from a call to another host',
      )
    }
  }

  /** Sends a call, and retries it as long as retries are allowed. */
  async #repeat(call: Call): Promise<Attempt> {
    const { clock, settings, answer } = this.#parts
    const host = (call.isPublic ? this.#publicHosts : this.#hosts).of(call.url.host)
    host.count(clock.monotonic())
    for (;;) {
      const attempt = await this.#send(call, settings.circuit ? host : undefined)
      if (settings.circuit) host.note(hasFailed(call, attempt), clock.monotonic())
      const wait = settings.retries ? waitBefore(call, attempt, clock) : null
      if (wait === null || !host.takeRepetition()) return attempt
      // The response body of this attempt is not used.
      void attempt.response?.body?.cancel().catch(() => {})
      // In a test that provides the responses, do not wait: the test's clock does not advance for each call.
      if (answer !== null) continue
      await new Promise<void>((resolve) => {
        clock.setTimeout(resolve, wait)
        call.signal.addEventListener('abort', () => resolve())
      })
    }
  }

  /** Sends a call once, unless calls to the host are currently refused. */
  async #send(call: Call, host?: Host): Promise<Attempt> {
    try {
      call.signal.throwIfAborted()
      const ms = host?.enter(this.#parts.clock.monotonic()) ?? 0
      if (ms > 0) throw circuitOpen(call, ms)
      call.attempts += 1
      return { response: await this.#transport(call) }
    } catch (error) {
      return { error }
    }
  }

  addMetrics({ addMetric }: OutgoingLinks): void {
    addMetric(this.#counts.metric)
    addMetric({
      name: 'outgoing_open_circuits',
      help: 'Hosts to which calls are refused, because they have failed.',
      type: 'gauge',
      read: () => this.openCircuits().length,
    })
  }

  /** Lists the hosts to which calls are refused, without hosts of URLs from untrusted parties. */
  openCircuits(): readonly string[] {
    return this.#hosts.open(this.#parts.clock.monotonic())
  }
}

function circuitOpen({ url }: Call, ms: number): Error {
  // Clients do not receive this error's message.
  return refuse('CIRCUIT_OPEN', `${url.host} has failed, so calls to it are refused for a while`, {
    headers: { 'Retry-After': String(Math.ceil(ms / 1000)) },
    stack: true,
  })
}

/** The maximum size of a response body that is stored, in bytes. */
const MOST = 1_000_000

/** Stores the bodies of a call. The application can still read its response. */
function keepCall({ body }: RequestInit, response: Response | undefined): KeptCall {
  const isText = typeof body === 'string' || body instanceof URLSearchParams
  const bytes = body instanceof Uint8Array ? Buffer.from(body).toString() : null
  const chunks: Uint8Array[] = []
  let isWhole = false
  const copy = async () => {
    let length = 0
    for await (const chunk of response?.clone().body ?? []) {
      length += chunk.length
      // The application can still read its own branch of the body.
      if (length > MOST) return
      chunks.push(chunk)
    }
    isWhole = true
  }
  copy().catch(() => {})
  return {
    sent: isText ? String(body) : bytes,
    headers: [...(response?.headers ?? [])],
    received: () => ({ bytes: Buffer.concat(chunks), isWhole }),
  }
}
