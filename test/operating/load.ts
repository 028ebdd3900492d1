import { Agent, request } from 'node:http'

/** Which requests a {@link Load} sends. */
export interface LoadConfig {
  readonly port: number
  /** How many are sent every 20 ms. */
  readonly requests: number
  /** Whether half of them have connections of their own. Default: all connections stay open. */
  readonly opensConnections?: boolean
}

/** What a {@link Load} has sent. */
export interface Sent {
  readonly sent: number
  /** Requests that were not responded with 200, as `POST 502: …`. */
  readonly failed: readonly string[]
  /** The orders that were posted. */
  readonly posted: readonly string[]
}

const INTERVAL_MS = 20

/** Sends requests to `/orders` at a fixed rate, whether or not they are responded; half of them are `POST`. */
export class Load {
  readonly #config: LoadConfig
  readonly #kept = new Agent({ keepAlive: true })
  readonly #fresh = new Agent({ keepAlive: false })
  readonly #pending = new Set<Promise<void>>()
  readonly #failed: string[] = []
  readonly #posted: string[] = []
  #sent = 0
  #timer: NodeJS.Timeout | undefined

  constructor(config: LoadConfig) {
    this.#config = config
  }

  get result(): Sent {
    return { sent: this.#sent, failed: this.#failed, posted: this.#posted }
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (let index = 0; index < this.#config.requests; index++) this.#add()
    }, INTERVAL_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#kept.destroy()
  }

  #add(): void {
    const order = String(this.#sent++)
    const method = this.#sent % 2 === 0 ? 'GET' : 'POST'
    const isFresh = this.#config.opensConnections === true && this.#sent % 4 >= 2
    if (method === 'POST') this.#posted.push(order)
    const agent = isFresh ? this.#fresh : this.#kept
    const sent = this.#send({ method, agent, order }).then((failure) => {
      this.#pending.delete(sent)
      if (failure !== null) this.#failed.push(`${method} ${failure}`)
    })
    this.#pending.add(sent)
  }

  #send({ method, agent, order }: { method: string; agent: Agent; order: string }) {
    const options = { port: this.#config.port, host: '127.0.0.1', path: '/orders', agent }
    return new Promise<string | null>((resolve) => {
      request({ ...options, method, headers: { 'x-order': order } }, (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        res.on('end', () => resolve(res.statusCode === 200 ? null : `${res.statusCode}: ${text}`))
        res.on('error', (error) => resolve(error.message))
      })
        .on('error', (error) => resolve(error.message))
        .end()
    })
  }
}
