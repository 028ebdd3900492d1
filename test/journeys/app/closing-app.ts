import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  App,
  AppClosingError,
  type AppOptions,
  Controller,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { afterEach, beforeEach, expect } from 'vitest'
import { gate } from '../gate.js'

export let log: string[]
/** Opened by a handler when it runs. */
export let entered: ReturnType<typeof gate>
/** Opened by a test to let the handlers continue. */
export let released: ReturnType<typeof gate>
/** Functions that close what a test has opened. */
export let cleanups: (() => unknown)[]

/** Resets this state before each test of the file that calls it, and cleans up after the test. */
export function useWork(): void {
  beforeEach(() => {
    log = []
    cleanups = []
    entered = gate()
    released = gate()
  })
  afterEach(async () => {
    released.open()
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })
}

class Database {
  onClose() {
    log.push('onClose')
  }
}

/** More than the buffers of two sockets hold. */
export const LARGE = 'x'.repeat(16 * 1024 * 1024)

@Controller()
class WorkController {
  @Get('quick') quick() {
    return 'quick'
  }

  @Get('slow') async slow(req: Request) {
    entered.open()
    await released.opened
    return req.signal.aborted ? 'aborted' : 'done'
  }

  @Get('large') large(_req: Request, res: Response) {
    res.once('prefinish', entered.open)
    res.end(LARGE)
  }

  @Post('body') async body(req: Request) {
    entered.open()
    return text(req)
  }

  /** Ends when the signal of its request is aborted, and logs the reason. */
  @Get('events') async events(req: Request, res: Response) {
    res.type('text/event-stream').write('data: 1\n\n')
    entered.open()
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    const { reason } = req.signal
    log.push(`aborted: ${reason.name}, ${reason instanceof AppClosingError}`)
    res.end('data: bye\n\n')
  }

  @Get('deaf') deaf(_req: Request, res: Response) {
    res.write('1')
    entered.open()
  }

  @Get('throws') async throws(req: Request, res: Response) {
    res.write('1')
    entered.open()
    await once(res, 'never', { signal: req.signal })
  }

  @Get('gives-up') async givesUp(req: Request) {
    entered.open()
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    throw req.signal.reason
  }

  /** Has sent nothing when its signal is aborted. */
  @Get('warned') async warned(req: Request) {
    entered.open()
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    log.push(`warned: ${req.signal.reason.name}`)
    return 'saved'
  }

  /** Has sent nothing when the application begins to close. */
  @Get('late') async late(req: Request, res: Response) {
    entered.open()
    await released.opened
    res.write('1')
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    res.end(req.signal.reason.name)
  }
}

export const options: AppOptions = {
  controllers: [WorkController],
  providers: [Database],
  logger: {
    info() {},
    warn() {},
    error(facts) {
      const { err, cut } = facts as { err?: unknown; cut?: object }
      log.push(`logged: ${cut === undefined ? String(err) : Object.keys(cut).join()}`)
    },
  },
  // If close() waited until this time is over, the test would fail.
  timeouts: { close: '1h' },
}

/** A client connection that the server has accepted, and everything that it receives until it ends. */
export async function open(app: App, sent = '') {
  const { port } = app.server.address() as AddressInfo
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect(port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  socket.on('error', () => {})
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  const ended = once(socket, 'close').then(() => received)
  const [server] = await accepted
  if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve))
  return {
    socket,
    server,
    ended,
    seen: (part: string) => expect.poll(() => received).toContain(part),
  }
}

export const head = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`

export async function serve(more: AppOptions = {}): Promise<App> {
  const app = new App({ ...options, ...more })
  await app.listen(0, '127.0.0.1')
  return app
}
