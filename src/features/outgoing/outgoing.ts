import type { Request as ServerRequest } from '../../contracts/handler.js'
import { inject } from '../../di/inject.js'
import { InjectionToken } from '../../di/token.js'
import { callerStack } from '../../errors/caller-stack.js'
import type { Caller, OutgoingLinks, OutgoingParts } from './caller.js'
import type { OutgoingInit } from './outgoing-options.js'

/**
 * Calls another host, like `fetch`.
 *
 * @throws the errors of `fetch`; the reason of `req.signal` if the request has ended; a `DOMException` with the name
 * `TimeoutError` if the call takes too long; an HttpError with the code `URL_NOT_PUBLIC` (400) or `CIRCUIT_OPEN` (503).
 */
export type Outgoing = (input: string | URL | Request, init?: OutgoingInit) => Promise<Response>

/** Access to the request that the current code runs for. */
interface Current {
  /** Makes routes record the current request. */
  need(): void
  get(): ServerRequest | undefined
}

/**
 * Creates the {@link Outgoing} function of an application. The code that sends calls is loaded when a class injects the
 * function.
 */
export class OutgoingCalls {
  readonly #currentRequest: Current
  #parts: OutgoingParts | undefined
  #links: OutgoingLinks | undefined
  /** `undefined` until a class injects the function. */
  #loading: Promise<Caller> | undefined
  #caller: Caller | undefined

  /** @param currentRequest Provides the request that a call belongs to. */
  constructor(currentRequest: Current) {
    this.#currentRequest = currentRequest
  }

  /** Receives the parts. The application calls this before it creates the first instance. */
  configure(parts: OutgoingParts): void {
    this.#parts = parts
  }

  /** Receives the links. The application calls this before the first request. Resolves when calls can be sent. */
  async connect(links: OutgoingLinks): Promise<void> {
    const caller = await this.#loading
    this.#links = links
    caller?.addMetrics(links)
  }

  /** Returns the {@link Outgoing} function. */
  open(): Outgoing {
    this.#currentRequest.need()
    this.#loading ??= this.#load()
    const loading = this.#loading
    const outgoing: Outgoing = (input, init = {}) => {
      const stack = this.#links?.needs.stacks ? callerStack(outgoing) : undefined
      const asked = { input, init, stack, req: this.#currentRequest.get() }
      // A constructor may make a call before the code is loaded.
      return this.#caller?.call(asked) ?? loading.then((caller) => caller.call(asked))
    }
    return outgoing
  }

  async #load(): Promise<Caller> {
    const { Caller } = await import('./caller.js')
    this.#caller = new Caller(this.#parts as OutgoingParts, () => this.#links)
    // The first class that injects the function may do so after `connect`.
    if (this.#links !== undefined) this.#caller.addMetrics(this.#links)
    return this.#caller
  }

  /** @throws Error with a list of the hosts to which calls are refused, if there are any. */
  readonly checkCircuits = (): void => {
    const hosts = this.#caller?.openCircuits() ?? []
    if (hosts.length > 0)
      throw new Error(
        `Calls to these hosts are refused because they have failed: ${hosts.join(', ')}`,
      )
  }
}

/** The token under which an application provides its {@link OutgoingCalls}. */
export const OutgoingSource: InjectionToken<OutgoingCalls> = new InjectionToken('OutgoingSource')

/**
 * The token for a function with the type of `fetch`, for calls to other hosts. A call ends with its request, continues
 * the request's trace, and appears in the request's record. Tests can provide the responses. The request's credentials
 * are never forwarded.
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
