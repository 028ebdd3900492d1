import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
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
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

let log: string[]
let entered: ReturnType<typeof gate>
let released: ReturnType<typeof gate>
let cleanups: (() => unknown)[]
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

class Database {
  onClose() {
    log.push('onClose')
  }
}

/** More than the buffers of two sockets hold. */
const LARGE = 'x'.repeat(16 * 1024 * 1024)

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

  /** Has sent nothing when the application begins to close. */
  @Get('late') async late(req: Request, res: Response) {
    entered.open()
    await released.opened
    res.write('1')
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    res.end(req.signal.reason.name)
  }
}

const options: AppOptions = {
  controllers: [WorkController],
  providers: [Database],
  logger: {
    info() {},
    warn() {},
    error: (facts) => log.push(`logged: ${String((facts as { err: unknown }).err)}`),
  },
  // If close() waited until this time is over, the test would fail.
  timeouts: { close: '1h' },
}

/** A client connection that the server has accepted, and everything that it receives until it ends. */
async function open(app: App, sent = '') {
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

const head = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`

async function serve(more: AppOptions = {}): Promise<App> {
  const app = new App({ ...options, ...more })
  await app.listen(0, '127.0.0.1')
  return app
}

function closeClients(sockets: WebSocketServer) {
  return {
    onClose() {
      log.push('goodbye')
      for (const client of sockets.clients) client.close(1001, 'restart')
    },
  }
}

/** Accepts upgrades, as an application with `ws` does. */
function upgradeBy(app: App, sockets: WebSocketServer) {
  app.server.on('upgrade', (req: IncomingMessage, socket: Duplex, rest: Buffer) =>
    sockets.handleUpgrade(req, socket, rest, (client) => client.on('error', () => {})),
  )
}

async function openWebSocket(app: App, createConnection?: () => Duplex) {
  const address = createConnection ?? (app.server.address() as AddressInfo)
  const port = 'port' in address ? address.port : 1
  const client = new WebSocket(`ws://127.0.0.1:${port}`, {
    ...(createConnection && { createConnection: createConnection as () => Socket }),
  })
  cleanups.push(() => client.terminate())
  const closed = new Promise((resolve) =>
    client.on('close', (code, reason) => resolve([code, String(reason)])),
  )
  client.on('error', () => {})
  await once(client, 'open')
  return { client, closed }
}

describe('closing an application that listens', () => {
  it('ends connections without an active request at once', async () => {
    const app = await serve()
    const silent = await open(app)
    const half = await open(app, 'GET /quick HTTP/1.1\r\nHo')
    const idle = await open(app, head('/quick'))
    const again = await open(app, `${head('/quick')}GET /qu`)
    await idle.seen('quick')
    await again.seen('quick')
    await app.close()
    await Promise.all([silent, half, idle, again].map(({ ended }) => ended))
    expect(log).toEqual(['onClose'])
  })

  it('ends idle connections first, and sends Connection: close on active ones', async () => {
    const app = await serve()
    const busy = await open(app, head('/slow'))
    await entered.opened
    const idle = await open(app, 'GET ')
    const closing = app.close()
    await idle.ended
    expect(log).toEqual([])
    released.open()
    const answer = await busy.ended
    expect(answer).toMatch(/^connection: close/im)
    expect(answer).toContain('"done"')
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('receives the rest of a request body when the head has arrived', async () => {
    const app = await serve()
    const post = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc'
    const { socket, ended } = await open(app, post)
    await entered.opened
    const closing = app.close()
    socket.write('def')
    expect(await ended).toContain('"abcdef"')
    await closing
  })

  it('sends a whole response to a client that reads slowly', async () => {
    const app = await serve()
    const { socket, ended } = await open(app)
    socket.pause()
    socket.write(head('/large'))
    await entered.opened
    const closing = app.close()
    socket.resume()
    expect((await ended).length).toBeGreaterThan(LARGE.length)
    await closing
  })

  it('responds to pipelined requests, and runs no request that arrives after close()', async () => {
    const app = await serve()
    const { socket, server, ended } = await open(app, head('/slow') + head('/slow'))
    await entered.opened
    const idle = await open(app)
    const closing = app.close()
    await idle.ended
    socket.write(head('/events'))
    await expect.poll(() => server.bytesRead).toBe(socket.bytesWritten)
    released.open()
    const answer = await ended
    expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2)
    expect(answer.match(/^connection: close/gim)).toHaveLength(1)
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('aborts streams with AppClosingError, and closes their connections', async () => {
    const app = await serve()
    const { ended } = await open(app, head('/events'))
    await entered.opened
    await app.close()
    expect(await ended).toContain('data: bye')
    expect(log).toEqual(['aborted: AppClosingError, true', 'onClose'])
  })

  it('aborts a stream that begins after close()', async () => {
    const app = await serve()
    const { ended } = await open(app, head('/late'))
    await entered.opened
    const closing = app.close()
    released.open()
    await closing
    expect(await ended).toContain('AppClosingError')
  })

  it('logs no failure when a handler rethrows the AppClosingError', async () => {
    const app = await serve()
    await open(app, head('/throws'))
    await entered.opened
    await app.close()
    expect(log).toEqual(['onClose'])
  })

  it('cuts a stream that ignores the signal when timeouts.close is over', async () => {
    const app = await serve({ timeouts: { close: '20ms' } })
    const { ended } = await open(app, head('/deaf'))
    await entered.opened
    await app.close()
    expect(await ended).not.toContain('\r\n0\r\n')
    expect(log).toEqual(['onClose'])
  })

  it('closes once when close() is called twice', async () => {
    const app = await serve()
    await open(app, 'GET')
    expect(app.close()).toBe(app.close())
    await app.close()
    expect(log).toEqual(['onClose'])
  })

  it('does not listen when close() is called while listen() is pending', async () => {
    const app = new App(options)
    const listening = app.listen(0, 'localhost')
    const [listened] = await Promise.allSettled([listening, app.close()])
    expect(listened).toMatchObject({ reason: { message: 'The application is closed.' } })
    expect(log).toEqual(['onClose'])
    const other = await App.create(options)
    await Promise.allSettled([
      other.listen(0, 'localhost'),
      Promise.resolve().then(() => other.close()),
    ])
    expect(other.server.listening).toBe(false)
  })
})

describe('closing an application with upgraded connections', () => {
  it('lets onClose hooks close them, and ends those that remain open', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const app = await serve({ plugins: [{ name: 'chat', ...closeClients(sockets) }] })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await app.close()
    expect(await closed).toEqual([1001, 'restart'])
    expect(log).toEqual(['goodbye', 'onClose'])
  })

  it('ends them when no hook closes them', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const app = await serve()
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await app.close()
    expect(await closed).toEqual([1006, ''])
  })

  it('ends them when timeouts.close is over and a hook still waits', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const waits = {
      name: 'chat',
      onClose: () => new Promise<void>((resolve) => sockets.close(() => resolve())),
    }
    const app = await serve({ plugins: [waits], timeouts: { close: '20ms' } })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await app.close()
    expect(await closed).toEqual([1006, ''])
    expect(log).toEqual(['onClose'])
  })

  it('ends CONNECT tunnels', async () => {
    const app = await serve()
    app.server.on('connect', (_req, socket: Duplex) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
    })
    const tunnel = await open(app, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')
    await tunnel.seen('200 OK')
    await app.close()
    await tunnel.ended
  })

  it('rejects with the error of a hook after the connections are ended', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const fails = {
      name: 'chat',
      onClose() {
        throw new Error('no goodbye')
      },
    }
    const app = await serve({ plugins: [fails] })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await expect(app.close()).rejects.toThrow('Closing the application failed')
    expect(await closed).toEqual([1006, ''])
  })
})

describe('closing an application under test', () => {
  it('lets onClose hooks close WebSockets', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const plugins = [{ name: 'chat', ...closeClients(sockets) }]
    const app = await TestApp.create({ ...options, plugins })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app, app.connect)
    await app.close()
    expect(await closed).toEqual([1001, 'restart'])
  })

  it('aborts streams with AppClosingError, and accepts no more connections', async () => {
    const app = await TestApp.create({ ...options, contract: 'off' })
    const silent = app.connect()
    const answer = await app.fetch('/events')
    await entered.opened
    const closing = app.close()
    await expect(app.fetch('/quick')).rejects.toThrow()
    await once(silent.resume(), 'close')
    await closing
    expect(await answer.text()).toContain('data: bye')
    expect(log).toEqual(['aborted: AppClosingError, true', 'onClose'])
  })
})

describe('closing an application whose handler runs on another server', () => {
  async function foreign(app: App) {
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(
      () => server.close(),
      () => server.closeAllConnections(),
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('aborts streams with AppClosingError', async () => {
    const app = new App(options)
    const url = await foreign(app)
    const answer = await fetch(`${url}/events`)
    await app.close()
    expect(await answer.text()).toContain('data: bye')
    expect(log).toEqual(['aborted: AppClosingError, true', 'onClose'])
  })

  it('aborts a stream that begins after close()', async () => {
    const app = new App(options)
    const url = await foreign(app)
    const answer = fetch(`${url}/late`)
    await entered.opened
    const closing = app.close()
    released.open()
    expect(await (await answer).text()).toContain('AppClosingError')
    await closing
  })

  it('sends Connection: close with the last response', async () => {
    const app = new App(options)
    const url = await foreign(app)
    const answer = fetch(`${url}/slow`)
    await entered.opened
    const closing = app.close()
    await new Promise(setImmediate)
    released.open()
    const { headers } = await answer
    expect(headers.get('connection')).toBe('close')
    await closing
  })
})
