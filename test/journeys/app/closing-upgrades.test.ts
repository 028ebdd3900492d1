import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { turns } from '../turns.js'
import { cleanups, head, LARGE, log, open, options, serve, useWork } from './closing-app.js'

useWork()

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

describe('closing an application with upgraded connections', () => {
  it('lets onClose hooks close the connections', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const app = await serve({ plugins: [{ name: 'chat', ...closeClients(sockets) }] })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await app.close()
    expect(await closed).toEqual([1001, 'restart'])
    expect(log).toEqual(['goodbye', 'onClose'])
  })

  it('does not wait for a connection that is upgraded after a signal', async () => {
    const app = await serve()
    const upgraded = new Promise<Duplex>((resolve) => {
      app.server.on('upgrade', (_req, socket: Duplex) => resolve(socket))
    })
    const { socket, ended } = await open(app)
    const closing = app.close('SIGTERM')
    while (app.server.listening) await turns(1)
    socket.write(head('/', 'Connection: Upgrade\r\nUpgrade: own\r\n'))
    await upgraded
    await closing
    await ended
    expect(log).toEqual(['onClose'])
  })

  it('ends the connections if no hook closes them', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const app = await serve()
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app)
    await app.close()
    expect(await closed).toEqual([1006, ''])
  })

  it('ends the connections after timeouts.close if a hook is still running', async () => {
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

  it('cuts a tunnel whose client neither reads nor disconnects', async () => {
    const app = await serve()
    const opened = new Promise<void>((resolve) => {
      app.server.on('connect', (_req, socket: Duplex) => {
        socket.on('error', () => {})
        socket.write(LARGE)
        resolve()
      })
    })
    const { socket } = await open(app)
    socket.allowHalfOpen = true
    socket.pause()
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')
    await opened
    await app.close()
    expect(log).toEqual(['onClose'])
  })

  it('ends the connections and rejects close() if a hook throws', async () => {
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

describe('closing a TestApp with upgraded connections', () => {
  it('lets onClose hooks close WebSockets', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const plugins = [{ name: 'chat', ...closeClients(sockets) }]
    const app = await TestApp.create({ ...options, plugins })
    upgradeBy(app, sockets)
    const { closed } = await openWebSocket(app, app.connect)
    await app.close()
    expect(await closed).toEqual([1001, 'restart'])
  })
})
