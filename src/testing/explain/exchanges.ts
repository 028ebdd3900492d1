import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Request } from '../../contracts/handler.js'

/** Finds the application's request for a request and a response of a client. */
export class Exchanges {
  /** The server's end of each connection, by the client's end. */
  readonly #serverEnds = new WeakMap<object, object>()
  /** The newest request of each connection, by the server's end. The next one comes after the response. */
  readonly #newest = new WeakMap<object, Request>()
  /** The request of the server for each request of a client, and for each response of `fetch`. */
  readonly #found = new WeakMap<object, Request>()

  /** Notes the two ends of a connection. */
  readonly connect = (serverEnd: object, clientEnd: object): void => {
    this.#serverEnds.set(clientEnd, serverEnd)
  }

  /** Notes a request that the application gets. */
  enter(req: IncomingMessage): void {
    // The application turns it into an instance of its own class, or has done so.
    this.#newest.set(req.socket, req as Request)
  }

  /** Waits for the response to a request of a client. */
  readonly follow = (sent: ClientRequest): void => {
    sent.prependOnceListener('response', ({ socket }: IncomingMessage) => {
      const serverEnd = this.#serverEnds.get(socket)
      const req = serverEnd === undefined ? undefined : this.#newest.get(serverEnd)
      if (req !== undefined) this.#found.set(sent, req)
    })
  }

  /** Notes the response that `fetch` has made of the response to a request. */
  readonly noteResponse = (response: object, sent: ClientRequest): void => {
    const req = this.#found.get(sent)
    if (req !== undefined) this.#found.set(response, req)
  }

  /** Returns the request of the server; `undefined` if the application has not responded to it. */
  find(known: object): Request | undefined {
    return this.#found.get(known)
  }
}
