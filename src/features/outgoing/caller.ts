import type { CallResult } from '../../contracts/outgoing-call.js'
import { type AskedCall, type Call, isRepeatable, limitOf, methodOf, urlOf } from './call.js'
import { headersOf } from './call-headers.js'
import { keepCall } from './kept-call.js'
import type { OutgoingLinks, OutgoingParts } from './outgoing-parts.js'
import { type Transport, transportOf } from './transport.js'

/** Sends the calls of an application. */
export class Caller {
  readonly #parts: OutgoingParts
  /** They come when the requests of the application can be handled. */
  readonly #links: () => OutgoingLinks
  readonly #leftOut = new Set<string>()
  readonly #send: Transport

  /**
   * @param parts The parts of the application that calls depend on.
   * @param links Returns the parts that come later.
   */
  constructor(parts: OutgoingParts, links: () => OutgoingLinks) {
    this.#parts = parts
    this.#links = links
    this.#send = transportOf(parts)
  }

  /** Sends a call. The response is that of `fetch`. */
  async call(asked: AskedCall): Promise<Response> {
    const { call, onHead } = this.#open(asked)
    const end = this.#links().onCall?.(call)
    try {
      const response = await this.#send(call)
      end?.({ ...this.#resultOf(call, response), status: response.status, error: undefined })
      return response
    } catch (error) {
      end?.({ ...this.#resultOf(call, null), status: null, error })
      throw error
    } finally {
      onHead()
    }
  }

  /** Lists the hosts to which no call is sent for a while. */
  openCircuits(): readonly string[] {
    return []
  }

  #open(asked: AskedCall): { readonly call: Call; readonly onHead: () => void } {
    const { clock, settings, tenantHeader } = this.#parts
    const { init, req, stack } = asked
    const [url, method] = [urlOf(asked), methodOf(asked)]
    const headers = headersOf(asked, { tenantHeader, onLeftOut: this.#noteLeftOut })
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

  #resultOf(call: Call, response: Response | null): Omit<CallResult, 'status' | 'error'> {
    const { bodies } = this.#links().needs
    return {
      attempts: 1,
      durationMs: this.#parts.clock.monotonic() - call.startedAt,
      kept: bodies ? keepCall(call.asked, response) : null,
    }
  }

  readonly #noteLeftOut = (header: string): void => {
    if (this.#leftOut.has(header)) return
    this.#leftOut.add(header)
    this.#parts.logger.warn({ header }, 'A call does not forward this header of its request')
  }
}
