import { type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import {
  App,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach } from 'vitest'

/** Routes for tests whose subject is a middleware. */
@Controller('items')
export class ItemsController {
  @Get()
  list() {
    return Array.from({ length: 100 }, (_, id) => ({ id, name: `item number ${id}` }))
  }

  @Get(':id')
  get(req: Request) {
    return { id: req.params.id }
  }

  @Post()
  create(req: Request) {
    return { body: req.body }
  }
}

/**
 * Starts applications and closes them after the test.
 *
 * @param contract `'off'` if the responses come from Express and are not in the document.
 */
export function appsOfTest(contract: 'throw' | 'off' = 'throw') {
  const running: { close(): unknown }[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()))
  })
  const defaults = { controllers: defineControllers(ItemsController), logger: false } as const
  return {
    /** In process. */
    async inProcess(options: TestOptions = {}): Promise<TestApp> {
      const app = await TestApp.create({ ...defaults, contract, ...options })
      running.push(app)
      return app
    },
    /** Listens on a port, without the headers of helmet. */
    async listening(options: AppOptions = {}): Promise<{ app: App; port: number }> {
      const app = new App({ ...defaults, security: { helmet: false }, ...options })
      running.push(app)
      const { port } = await app.listen(0, '127.0.0.1')
      return { app, port }
    },
    /** Listens with a server of the test: of an Express application, or `http.createServer(app.handler)`. */
    async serving(server: Server): Promise<number> {
      running.push({ close: () => closed(server) })
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
      return (server.address() as AddressInfo).port
    },
    /** Closes the object together with the others. */
    track<T extends { close(): unknown }>(closable: T): T {
      running.push(closable)
      return closable
    },
  }
}

function closed(server: Server & { closeAllConnections?(): void }): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections?.()
  })
}

/** A response as received: redirects are not followed, and encodings are not decoded. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

/** The request to send. */
export interface Message {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

/** Sends a request over a new connection. */
export function send(port: number, message: Message): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body } = message
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false }
    const req = request(options, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const whole = Buffer.concat(chunks)
        const { statusCode = 0, statusMessage = '', headers } = res
        const text = whole.toString()
        resolve({ status: statusCode, statusText: statusMessage, headers, body: whole, text })
      })
    })
    req.on('error', reject)
    req.end(body)
  })
}
