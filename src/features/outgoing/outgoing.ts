import type { Request as ServerRequest } from '../../contracts/handler.js'
import { inject } from '../../di/inject.js'
import { InjectionToken } from '../../di/token.js'
import { callerStack } from '../../errors/caller-stack.js'
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
  /** Makes routes carry the request. */
  need(): void
  get(): ServerRequest | undefined
}

/** Makes the {@link Outgoing} of an application. Code that sends calls is loaded when something injects it. */
export class OutgoingCalls {
  readonly #currentRequest: Current
  #parts: OutgoingParts | undefined
  #links: OutgoingLinks | undefined
  /** `undefined` if nothing injects the function. */
  #loading: Promise<Caller> | undefined
  #caller: Caller | undefined

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
    const caller = await this.#loading
    this.#links = links
    caller?.addMetrics(links)
  }

  /** Returns the function. */
  open(): Outgoing {
    this.#currentRequest.need()
    this.#loading ??= this.#load()
    const loading = this.#loading
    const outgoing: Outgoing = (input, init = {}) => {
      const stack = this.#links?.needs.stacks ? callerStack(outgoing) : undefined
      const asked = { input, init, stack, req: this.#currentRequest.get() }
      // The call of a constructor comes before the code is loaded.
      return this.#caller?.call(asked) ?? loading.then((caller) => caller.call(asked))
    }
    return outgoing
  }

  async #load(): Promise<Caller> {
    const { Caller } = await import('./caller.js')
    this.#caller = new Caller(this.#parts as OutgoingParts, () => this.#links)
    // Something has injected the function late.
    if (this.#links !== undefined) this.#caller.addMetrics(this.#links)
    return this.#caller
  }

  /** @throws Error that names the hosts whose circuits are open. */
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
