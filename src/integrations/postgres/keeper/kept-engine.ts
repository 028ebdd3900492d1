import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { EmbeddedEngine, PgliteResult } from '../drivers/pglite-package.js'
import type { Written } from '../values/write-values.js'
import { type Call, frame, type Reply, unframe } from './protocol.js'

type Waiter = (reply: Pick<Reply, 'result' | 'error'>) => void

/** The embedded database that a keeper runs. */
export class KeptEngine implements EmbeddedEngine {
  crash: Error | undefined
  isInTransaction = false
  readonly #socket: Socket
  readonly #waiting: Waiter[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    const receive = unframe<Reply>((reply) => this.#receive(reply))
    socket.on('data', receive).on('error', () => {})
    socket.once('close', () => this.#end('The process of the embedded database has ended.'))
  }

  static async connect(path: string): Promise<KeptEngine> {
    const socket = connect(path)
    await once(socket, 'connect')
    return new KeptEngine(socket)
  }

  async query(text: string, values: readonly Written[] = []): Promise<PgliteResult> {
    return (await this.#call('query', text, values)) as PgliteResult
  }

  async script(text: string): Promise<void> {
    await this.#call('script', text)
  }

  async reset(): Promise<void> {
    await this.#call('reset')
  }

  async take(): Promise<void> {
    await this.#call('take')
  }

  giveBack(): void {
    // If this call fails, the keeper and its session have ended.
    this.#call('giveBack').catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#end('The database is closed.')
    if (this.#socket.closed) return
    this.#socket.destroySoon()
    await once(this.#socket, 'close')
  }

  #call(method: Call['method'], ...args: readonly unknown[]): Promise<unknown> {
    if (this.crash !== undefined) return Promise.reject(this.crash)
    this.#socket.write(frame({ method, args }))
    return new Promise((resolve, reject) => {
      this.#waiting.push(({ result, error }) => {
        if (error === undefined) resolve(result)
        else reject(Object.assign(new Error(error.message), error))
      })
    })
  }

  #receive(reply: Reply): void {
    this.isInTransaction = reply.isInTransaction
    if (reply.crash !== undefined) this.crash = new Error(reply.crash)
    this.#waiting.shift()?.(reply)
  }

  #end(why: string): void {
    this.crash ??= new Error(why)
    for (const answer of this.#waiting.splice(0)) answer({ error: this.crash })
  }
}
