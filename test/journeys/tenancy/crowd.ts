import { Agent, request } from 'node:http'

/** One of many concurrent requests. */
export interface Member {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The response. */
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the envelope of any route
  readonly body: any
  /** The client's end of the connection. */
  readonly port: number | undefined
}

/** Connections that are kept alive and reused, with a maximum number. */
export function keepAlive(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' })
}

/** Sends one request. */
export function send(port: number, agent: Agent, member: Member): Promise<Reply> {
  const { method = 'GET', path, headers, body } = member
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { host: '127.0.0.1', port, agent, method, path }
    const req = request({ ...options, headers: { ...length, ...headers } }, (res) => {
      const localPort = res.socket.localPort
      let text = ''
      res.setEncoding('utf8')
      res.on('data', (chunk) => {
        text += chunk
      })
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, body: JSON.parse(text || 'null'), port: localPort })
      })
      res.on('error', reject)
    })
    req.on('error', reject)
    // The body is sent in two parts, so that its end does not arrive with the head.
    if (body !== undefined) {
      req.write(body.slice(0, 1))
      setImmediate(() => req.end(body.slice(1)))
    } else req.end()
  })
}

/** A pool with one resource. It calls the next callback in the async context of the code that released the resource. */
export class Pool {
  readonly #waiting: ((release: () => void) => void)[] = []
  #isBusy = false

  acquire(use: (release: () => void) => void): void {
    if (this.#isBusy) return void this.#waiting.push(use)
    this.#isBusy = true
    use(() => this.#release())
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isBusy = false
    else next(() => this.#release())
  }
}
