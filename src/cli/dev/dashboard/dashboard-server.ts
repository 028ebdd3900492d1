import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { refusalOf } from './check-caller.js'
import { sendEvents } from './event-stream.js'
import type { Journal } from './journal.js'
import { PAGE_HEADERS, type PageFiles } from './page-files.js'
import type { ReplayOrder, ReplayResult } from './views.js'

/** The only address: other machines cannot connect. */
const LOOPBACK = '127.0.0.1'
const MOST_BODY_BYTES = 1_000_000

/** The input of {@link DashboardServer}. */
export interface DashboardServerConfig {
  readonly files: PageFiles
  readonly journal: Journal
  readonly token: string
  /** Where the application listens: `http://127.0.0.1:3000`. */
  readonly origin: () => string
  /** Sends a request again; `undefined` if it is not kept any more. */
  readonly replay: (number: number, order: ReplayOrder) => Promise<ReplayResult> | undefined
}

/** An answer of the server: its status and its JSON. */
interface Answer {
  readonly status: number
  readonly data: unknown
}

/** Serves the dashboard to this machine. */
export class DashboardServer {
  readonly #config: DashboardServerConfig
  readonly #server: Server
  readonly #streams = new Set<() => void>()

  constructor(config: DashboardServerConfig) {
    this.#config = config
    this.#server = createServer((req, res) => {
      this.#handle(req, res).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        if (!res.headersSent) sendJson(res, { status: 502, data: { message } })
      })
    })
  }

  /**
   * @param port 0 is any free port.
   * @returns the port.
   * @throws Error of Node if another program has the port.
   */
  async listen(port: number): Promise<number> {
    this.#server.listen({ port, host: LOOPBACK })
    await once(this.#server, 'listening')
    return (this.#server.address() as { readonly port: number }).port
  }

  close(): void {
    for (const end of this.#streams) end()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) res.setHeader(name, value)
    const [path = ''] = (req.url ?? '').split(/[?#]/, 1)
    const file = this.#config.files.get(path)
    const refusal = refusalOf(req, file === undefined ? 'data' : 'page', this.#config.token)
    if (refusal !== null) return sendJson(res, { status: 403, data: { message: refusal } })
    if (file !== undefined) {
      if (req.method !== 'GET') return sendJson(res, WRONG_METHOD)
      res.writeHead(200, { 'content-type': file.type })
      return void res.end(file.body)
    }
    if (req.method === 'GET' && path === '/data/events') return this.#openStream(res)
    sendJson(res, await this.#answer(req, path))
  }

  #openStream(res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const end = sendEvents(this.#config.journal, res)
    this.#streams.add(end)
    res.once('close', () => this.#streams.delete(end))
  }

  async #answer(req: IncomingMessage, path: string): Promise<Answer> {
    const { journal, origin } = this.#config
    if (path === '/data/routes') {
      return req.method === 'GET' ? { status: 200, data: journal.routes } : WRONG_METHOD
    }
    const [, number, action] = /^\/data\/requests\/(\d{1,9})(\/replay)?$/.exec(path) ?? []
    if (number === undefined) return { status: 404, data: { message: 'There is nothing here.' } }
    if (action !== undefined) return await this.#replay(req, Number(number))
    if (req.method !== 'GET') return WRONG_METHOD
    const view = journal.view(Number(number), origin())
    return view === undefined ? FORGOTTEN : { status: 200, data: view }
  }

  async #replay(req: IncomingMessage, number: number): Promise<Answer> {
    if (req.method !== 'POST') return WRONG_METHOD
    // No form can send this type.
    if (!/^application\/json\b/i.test(req.headers['content-type'] ?? '')) {
      return { status: 415, data: { message: 'Send application/json.' } }
    }
    const order = readOrder(await readText(req))
    if (order === undefined) return { status: 400, data: { message: 'Send { "values": {} }.' } }
    const why = this.#config.journal.view(number, this.#config.origin())?.cannotReplay ?? null
    if (why !== null) return { status: 409, data: { message: `Cannot be sent again. ${why}` } }
    const result = this.#config.replay(number, order)
    return result === undefined ? FORGOTTEN : { status: 200, data: await result }
  }
}

const WRONG_METHOD: Answer = { status: 405, data: { message: 'This method is not allowed.' } }
const FORGOTTEN: Answer = {
  status: 404,
  data: { message: 'This request is not kept any more: the last 200 are.' },
}

function sendJson(res: ServerResponse, { status, data }: Answer): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(data))
}

/** @throws Error if the body is too long. */
async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BODY_BYTES) throw new Error('The body is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function readOrder(text: string): ReplayOrder | undefined {
  try {
    const { values } = JSON.parse(text) as Partial<ReplayOrder>
    const isRight = Object.values(values ?? 0).every((value) => typeof value === 'string')
    return typeof values === 'object' && values !== null && isRight ? { values } : undefined
  } catch {
    return undefined
  }
}
