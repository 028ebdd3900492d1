import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../contracts/handler.js'
import type { Plugin } from '../contracts/plugin.js'

/**
 * The request of one application in whose route the current code runs. The routes enter an async context only if something
 * has asked for it, because the context costs time in every request.
 */
export class CurrentRequest {
  #requests: AsyncLocalStorage<Request> | null = null

  /** Asks for the request. Only routes that are compiled later carry it. */
  need(): void {
    this.#requests ??= new AsyncLocalStorage()
  }

  /** Returns the request; `undefined` outside of routes, and if nothing has asked for it. */
  get(): Request | undefined {
    return this.#requests?.getStore()
  }

  /** The plugin that carries the request into its route; `null` if nothing has asked for it. */
  get plugin(): Plugin | null {
    const requests = this.#requests
    if (requests === null) return null
    return {
      name: 'current-request',
      steps: () => ({ enter: (next) => (req, res) => requests.run(req, next, req, res) }),
    }
  }
}
