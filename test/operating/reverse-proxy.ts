import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** A process behind the proxy, and the connections to it. */
interface Upstream {
  readonly port: number
  readonly agent: Agent
  isReady: boolean
}

/** How often the proxy asks whether an upstream is ready, in milliseconds. */
const POLL_MS = 50
const IDEMPOTENT: readonly unknown[] = ['GET', 'HEAD']

/**
 * A reverse proxy that does what nginx does: it keeps connections to upstreams open, sends requests only to those that are
 * ready, and sends a request to another upstream only if it cannot have run: the connection was refused, or the method is
 * idempotent and the connection was closed without a byte of a response.
 */
export class ReverseProxy {
  readonly #server: Server
  #upstreams: readonly Upstream[] = []
  #turn = 0
  readonly #polling: NodeJS.Timeout

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => this.#forward(req, res))
    this.#polling = setInterval(() => {
      for (const upstream of this.#upstreams) void this.#poll(upstream)
    }, POLL_MS)
  }

  static async start(): Promise<ReverseProxy> {
    const proxy = new ReverseProxy()
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Adds an upstream, and waits until it is ready. */
  async add(port: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
    const upstream: Upstream = { port, agent, isReady: false }
    while (!upstream.isReady) await this.#poll(upstream)
    this.#upstreams = [...this.#upstreams, upstream]
  }

  remove(port: number): void {
    this.#upstreams = this.#upstreams.filter((upstream) => upstream.port !== port)
  }

  async close(): Promise<void> {
    clearInterval(this.#polling)
    for (const { agent } of this.#upstreams) agent.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #poll(upstream: Upstream): Promise<void> {
    upstream.isReady = await new Promise<boolean>((resolve) => {
      const options = { port: upstream.port, host: '127.0.0.1', path: '/readyz', agent: false }
      request(options, (res) => resolve(res.resume().statusCode === 200))
        .on('error', () => resolve(false))
        .end()
    })
  }

  #choose(not?: Upstream): Upstream | undefined {
    const ready = this.#upstreams.filter((each) => each.isReady && each !== not)
    return ready[this.#turn++ % ready.length]
  }

  #forward(req: IncomingMessage, res: ServerResponse): void {
    const chunks: Buffer[] = []
    req.on('data', (chunk) => chunks.push(chunk))
    req.on('end', () => this.#send(req, res, { body: Buffer.concat(chunks), to: this.#choose() }))
  }

  #send(
    req: IncomingMessage,
    res: ServerResponse,
    given: { body: Buffer; to: Upstream | undefined },
  ): void {
    const { body, to } = given
    if (to === undefined) return void res.writeHead(503).end('no upstream is ready')
    const { connection: _, ...headers } = req.headers
    const { method, url: path } = req
    const sent = request({
      host: '127.0.0.1',
      port: to.port,
      agent: to.agent,
      method,
      path,
      headers,
    })
    sent.on('response', (answer) => {
      const { connection: __, 'keep-alive': ___, ...rest } = answer.headers
      res.writeHead(answer.statusCode as number, rest)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (res.headersSent) return res.destroy()
      const mayRepeat = error.code === 'ECONNREFUSED' || IDEMPOTENT.includes(method)
      if (mayRepeat && !('blazonTried' in res)) {
        const next = this.#choose(to)
        return this.#send(req, Object.assign(res, { blazonTried: true }), {
          body,
          to: next,
        })
      }
      res.writeHead(502).end(`${error.code}: ${error.message}`)
    })
    sent.end(body)
  }
}
