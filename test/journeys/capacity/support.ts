import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  Get,
  getTenantId,
  Limits,
  type Logger,
  Post,
  type Request,
  type Response,
  Sse,
} from 'blazon'
import { gate } from '../gate.js'

/** Requests that a test lets go on. */
export class Held {
  readonly waiting: ReturnType<typeof gate>[] = []
  /** The tenants and numbers of the requests that have begun. */
  readonly begun: string[] = []

  hold(name: string): Promise<void> {
    const each = gate()
    this.begun.push(name)
    this.waiting.push(each)
    return each.opened
  }

  /** Lets the request that has begun first go on. */
  next(): void {
    this.waiting.shift()?.open()
  }

  /** Lets all requests go on, also those that begin later. */
  all(): void {
    for (const each of this.waiting.splice(0)) each.open()
  }
}

/** A logger that keeps its warnings and errors. */
export function keptLog() {
  const lines: unknown[][] = []
  const keep = (level: string) => (facts: object, message?: string) => {
    lines.push([level, message ?? facts, facts])
  }
  const logger = { debug() {}, info() {}, warn: keep('warn'), error: keep('error') } as Logger
  return { lines, logger }
}

/** A controller whose handlers wait for the test. */
export function workController(held: Held) {
  @Controller('work')
  class WorkController {
    @Get(':name')
    async one(req: Request) {
      await held.hold(`${getTenantId() ?? ''}${req.params.name}`)
      if (req.params.name === 'broken') throw new TypeError('broken')
      return { name: req.params.name }
    }

    @Limits({ timeout: '1s' })
    @Get('short/:name')
    async short(req: Request) {
      await held.hold(`${req.params.name}`)
      return {}
    }

    @Body({ type: 'object' }, { limit: '100mb' })
    @Post()
    write() {
      held.begun.push('written')
      return {}
    }

    @Sse({ type: 'object' })
    @Get('stream/all')
    async *stream() {
      yield { at: 1 }
      await held.hold('stream')
    }

    @Get('sent/raw')
    raw(_req: Request, res: Response) {
      res.end('raw')
    }
  }
  return WorkController
}

/** Applications on real sockets that a test closes. */
export class Servers {
  readonly #apps: App[] = []

  async start(options: AppOptions): Promise<{ app: App; port: number; url: string }> {
    const app = await App.create({ logger: false, ...options })
    this.#apps.push(app)
    const server = await app.listen(0, { host: '127.0.0.1', announce: false })
    const { port } = server as AddressInfo
    return { app, port, url: `http://127.0.0.1:${port}` }
  }

  async close(): Promise<void> {
    await Promise.all(this.#apps.splice(0).map((app) => app.close()))
  }
}

/** Opens a connection that collects all that it receives. */
export async function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isEnded = false
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isEnded = true
  })
  await once(socket, 'connect')
  return {
    socket,
    text: () => text,
    isEnded: () => isEnded,
  }
}

/** Opens a connection that never reads, and sends a text. */
export async function openUnread(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}
