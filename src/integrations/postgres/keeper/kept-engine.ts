import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { EmbeddedEngine } from '../drivers/embedded-engine.js'
import type { PgliteResult } from '../drivers/pglite-package.js'
import type { Written } from '../values/write-value.js'
import { type Call, frame, type Reply, toError, unframe } from './protocol.js'

interface Waiter {
  readonly resolve: (result: PgliteResult | undefined) => void
  readonly reject: (error: Error) => void
}

/** The embedded database of a keeper. */
export class KeptEngine implements EmbeddedEngine {
  readonly #socket: Socket
  readonly #waiting: Waiter[] = []
  #crash: Error | undefined
  #isInTransaction = false
  #isClosed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on(
      'data',
      unframe<Reply>((reply) => this.#receive(reply)),
    )
    socket.on('error', () => {})
    socket.once('close', () => this.#lose())
  }

  /** @param path The path of the keeper's socket. */
  static async connect(path: string): Promise<KeptEngine> {
    const socket = connect(path)
    await once(socket, 'connect')
    return new KeptEngine(socket)
  }

  get crash(): Error | undefined {
    return this.#crash
  }

  get isInTransaction(): boolean {
    return this.#isInTransaction
  }

  async query(text: string, values: readonly Written[] = []): Promise<PgliteResult> {
    const result = await this.#call({ kind: 'query', text, values })
    // A query always has a result.
    return result as PgliteResult
  }

  async script(text: string): Promise<void> {
    await this.#call({ kind: 'script', text })
  }

  async reset(): Promise<void> {
    await this.#call({ kind: 'reset' })
  }

  async take(): Promise<void> {
    await this.#call({ kind: 'take' })
  }

  giveBack(): void {
    // If it fails, the keeper has ended, and the session with it.
    this.#call({ kind: 'give-back' }).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#socket.closed) return
    const closed = once(this.#socket, 'close')
    this.#socket.end()
    this.#socket.destroySoon()
    await closed
  }

  #call(call: Call): Promise<PgliteResult | undefined> {
    if (this.#crash !== undefined) return Promise.reject(this.#crash)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(frame(call))
    })
  }

  #receive(reply: Reply): void {
    this.#isInTransaction = reply.isInTransaction
    if (reply.crash !== undefined) this.#crash = new Error(reply.crash)
    const waiter = this.#waiting.shift()
    if ('error' in reply) waiter?.reject(toError(reply.error))
    else waiter?.resolve(reply.result)
  }

  #lose(): void {
    if (!this.#isClosed)
      this.#crash ??= new Error('The process of the embedded database has ended.')
    const error = this.#crash ?? new Error('The database is closed.')
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
