// sockets.ts
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type App, HttpError, type Request as RouteRequest } from 'blazon'
import { type WebSocket, WebSocketServer } from 'ws'

type Duplex = import('node:stream').Duplex
type Run = (client: WebSocket) => void

/** Names an upgrade to the handler. The value of a client is replaced. */
const UPGRADE = 'x-upgrade'

/** WebSockets of routes: an upgrade is a `GET` request first, and becomes a WebSocket if its handler calls `open`. */
export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  readonly #asked = new Map<string, Run | undefined>()

  /**
   * Makes the request a WebSocket when its response is a success.
   *
   * @throws HttpError 426 if the request is not an upgrade.
   */
  open(req: RouteRequest, run: Run): void {
    const id = req.get(UPGRADE) ?? ''
    const headers = { Upgrade: 'websocket' }
    if (!this.#asked.has(id)) throw new HttpError(426, 'Open a WebSocket here', { headers })
    this.#asked.set(id, run)
  }

  /** Accepts upgrades from now on. `origins`: the pages of other hosts that may open WebSockets. */
  serve(app: App, { origins = [] }: { origins?: readonly string[] } = {}): void {
    app.server.on('upgrade', async (req, socket: Duplex, head) => {
      const id = randomUUID()
      this.#asked.set(id, undefined)
      socket.on('error', () => socket.destroy())
      try {
        if (!isAllowed(req, origins)) return socket.end(headOf(403))
        const asked = requestOf(req, id)
        if (asked === null) return socket.end(headOf(400))
        const response = await app.fetch(asked, { remoteAddress: req.socket.remoteAddress })
        const run = this.#asked.get(id)
        if (run !== undefined && response.ok) this.#server.handleUpgrade(req, socket, head, run)
        else await send(response, socket)
      } catch {
        // The application closes, or the client has left.
        socket.end(headOf(503))
      } finally {
        this.#asked.delete(id)
      }
    })
  }

  onClose(): void {
    for (const client of this.#server.clients) client.close(1001)
  }
}

/** A browser sends cookies to a WebSocket whatever page opens it, and names the page in `Origin`. */
function isAllowed({ headers: { origin, host } }: IncomingMessage, origins: readonly string[]) {
  if (origin === undefined || origins.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

/** The request as `app.fetch` takes it; `null` for one with a body, or with a URL or headers that are not valid. */
function requestOf(req: IncomingMessage, id: string): Request | null {
  if (req.method !== 'GET' || !req.url?.startsWith('/')) return null
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https' : 'http'
  try {
    const headers = new Headers()
    for (let i = 0; i < req.rawHeaders.length; i += 2)
      headers.append(req.rawHeaders[i] as string, req.rawHeaders[i + 1] as string)
    // Without these two, it is an ordinary request.
    for (const name of ['connection', 'upgrade']) headers.delete(name)
    headers.set(UPGRADE, id)
    return new Request(`${scheme}://localhost${req.url}`, { headers })
  } catch {
    return null
  }
}

/** Sends the response of a route that has opened no WebSocket: a refusal, or an ordinary response. */
async function send(response: Response, socket: Duplex): Promise<void> {
  const own = [...response.headers].filter(
    ([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name),
  )
  const headers = own.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(headOf(response.status, headers.join('')))
  if (response.body === null) socket.end()
  else await pipeline(Readable.fromWeb(response.body as never), socket)
}

function headOf(status: number, headers = ''): string {
  return `HTTP/1.1 ${status} \r\nConnection: close\r\n${headers}\r\n`
}
