import type { Request as ServerRequest } from '../../contracts/handler.js'
import { inject } from '../../di/inject.js'
import { InjectionToken } from '../../di/token.js'
import type { Caller, OutgoingLinks, OutgoingParts } from './caller.js'
import type { OutgoingInit } from './outgoing-options.js'

/**
 * Calls another host, as `fetch` does.
 *
 * @throws the errors of `fetch`; the reason of `req.signal` when the request has ended; a `DOMException` with the name
 * `TimeoutError`; an HttpError with the code `URL_NOT_PUBLIC` (400) or `CIRCUIT_OPEN` (503).
 */
export type Outgoing = (input: string | URL | Request, init?: OutgoingInit) => Promise<Response>

/** The request in whose route the current code runs. */
interface Current {
  /** Makes routes carry it. */
  need(): void
  get(): ServerRequest | undefined
}

const NO_LINKS: OutgoingLinks = {
  onCall: null,
  needs: { stacks: false, bodies: false },
  restOf: () => null,
  addMetric() {},
}

/** Makes the {@link Outgoing} of an application. Code that sends calls is loaded if something injects it. */
export class OutgoingCalls {
  readonly #currentRequest: Current
  /** Whether something injects the function. */
  isUsed = false
  #parts: OutgoingParts | undefined
  #links = NO_LINKS
  #loading: Promise<Caller> | undefined
  #caller: Caller | undefined
  #hasMetrics = false

  /** @param currentRequest The request that a call belongs to. */
  constructor(currentRequest: Current) {
    this.#currentRequest = currentRequest
  }

  /** Called before the first instance is made. */
  start(parts: OutgoingParts): void {
    this.#parts = parts
  }

  /** Called before the first request. Resolves when calls can be sent. */
  async connect(links: OutgoingLinks): Promise<void> {
    this.#links = links
    if (this.isUsed) await this.#load()
    this.#addMetrics()
  }

  /** Returns the function. */
  open(): Outgoing {
    this.isUsed = true
    this.#currentRequest.need()
    return async function outgoing(
      this: OutgoingCalls,
      input: string | URL | Request,
      init: OutgoingInit = {},
    ) {
      const { stacks } = this.#links.needs
      const stack = stacks ? callerStack(outgoing) : undefined
      const caller = this.#caller ?? (await this.#load())
      return await caller.call({ input, init, stack, req: this.#currentRequest.get() })
    }.bind(this)
  }

  /** @throws Error that names the hosts whose circuits are open. */
  readonly checkCircuits = (): void => {
    const hosts = this.#caller?.openCircuits() ?? []
    if (hosts.length > 0)
      throw new Error(`Calls are refused, because these hosts fail: ${hosts.join(', ')}`)
  }

  async #load(): Promise<Caller> {
    this.#loading ??= import('./caller.js').then(({ Caller }) => {
      this.#caller = new Caller(this.#parts as OutgoingParts, () => this.#links)
      this.#addMetrics()
      return this.#caller
    })
    return await this.#loading
  }

  /** Adds the metrics once. A call of `onInit` comes before the application can take metrics. */
  #addMetrics(): void {
    if (this.#hasMetrics || this.#caller === undefined || this.#links === NO_LINKS) return
    this.#hasMetrics = true
    for (const metric of this.#caller.metrics()) this.#links.addMetric(metric)
  }
}

/** A call may be many functions away from the code that wants it. */
const DEPTH = 60

/** Node makes the text when it is first read. */
function callerStack(called: (...args: never) => unknown): { readonly stack?: string } {
  const { stackTraceLimit: before } = Error
  const caller = {}
  Error.stackTraceLimit = DEPTH
  Error.captureStackTrace(caller, called)
  Error.stackTraceLimit = before
  return caller
}

/** The token under which an application provides its {@link OutgoingCalls}. */
export const OutgoingSource: InjectionToken<OutgoingCalls> = new InjectionToken('OutgoingSource')

/**
 * The token of a function with the type of `fetch`, for calls to other hosts. A call ends with its request, continues its trace, has a
 * place in its record, and is answered by tests. It forwards no credential of the request.
 *
 * @see docs/outgoing.md
 * @example
 * class Payments {
 *   private readonly outgoing = inject(Outgoing)
 *   async charge(cents: number) {
 *     const response = await this.outgoing('https://bank.example/charges', {
 *       method: 'POST',
 *       headers: { 'content-type': 'application/json' },
 *       body: JSON.stringify({ cents }),
 *     })
 *     if (!response.ok) throw new HttpError(502, `The bank has answered ${response.status}`)
 *   }
 * }
 */
export const Outgoing: InjectionToken<Outgoing> = new InjectionToken<Outgoing>('Outgoing', {
  useFactory: () => inject(OutgoingSource).open(),
})
