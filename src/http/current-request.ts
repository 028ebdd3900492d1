import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../contracts/handler.js'
import type { Plugin } from '../contracts/plugin.js'

/**
 * The request of one application in whose route the current code runs. The routes enter an async context only if some
 * code needs it, because the context costs time in every request.
 */
export class CurrentRequest {
  #requests: AsyncLocalStorage<Request> | null = null
  #underTest: (() => Request | undefined) | null = null

  /** Requires the request. Only routes that are compiled later carry it. */
  need(): void {
    this.#requests ??= new AsyncLocalStorage()
  }

  /** Sets where a test has the request, if no code needs it: routes have the same steps under test as elsewhere. */
  setUnderTest(requestOf: () => Request | undefined): void {
    this.#underTest = requestOf
  }

  /** Returns the request; `undefined` outside of routes, and if no code needs it. */
  get(): Request | undefined {
    return this.#requests === null ? this.#underTest?.() : this.#requests.getStore()
  }

  /** The plugin that carries the request into its route; `null` if no code needs it. */
  get plugin(): Plugin | null {
    const requests = this.#requests
    if (requests === null) return null
    return {
      name: 'current-request',
      steps: () => ({ enter: (next) => (req, res) => requests.run(req, next, req, res) }),
    }
  }
}
