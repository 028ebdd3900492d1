import { Agent, request } from 'node:http'

/** A request of a crowd. */
export interface Member {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What came back. */
export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the envelope of any route
  readonly body: any
  /** The client's end of the connection. */
  readonly port: number | undefined
}

/** Connections that are kept alive and used again, no more than so many. */
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
    // Two pieces, so that the end does not come with the head.
    if (body !== undefined) {
      req.write(body.slice(0, 1))
      setImmediate(() => req.end(body.slice(1)))
    } else req.end()
  })
}

/** Something that serves one at a time, and calls the next one back from where the last one let go of it. */
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
