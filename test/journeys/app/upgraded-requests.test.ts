import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { App, type Plugin } from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../integrations/until.js'
import { turns } from '../turns.js'

let app: App
let ended: EndedRequest[]

beforeEach(async () => {
  ended = []
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({ onEnd: (request) => void ended.push(request) }),
  }
  app = new App({ plugins: [observer], logger: false })
  await app.listen(0, { host: '127.0.0.1', announce: false })
})
afterEach(() => app.close())

const UPGRADE = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n'
const CONNECT = 'CONNECT b:1 HTTP/1.1\r\nHost: b:1\r\n\r\n'

/** Sends a request, and returns everything that arrives until the server ends the connection. */
async function send(head: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(head)
  await once(socket, 'close')
  return received
}

/** The requests that are over, as soon as there is one. No other one follows within some turns. */
async function over(): Promise<EndedRequest[]> {
  await until(() => ended.length > 0)
  await turns()
  return ended
}

type Accept = (req: IncomingMessage, socket: Duplex) => void

describe('an upgraded request', () => {
  it.each<[string, 'upgrade' | 'connect', string, number]>([
    ['an accepted upgrade', 'upgrade', UPGRADE, 101],
    ['a refused upgrade', 'upgrade', UPGRADE, 426],
    ['a tunnel', 'connect', CONNECT, 200],
  ])('is observed with its status and its bytes: %s', async (_, event, head, status) => {
    const accept: Accept = (_req, socket) => {
      const first = `HTTP/1.1 ${status} Any\r\n\r\n`
      if (status === 426) socket.end(first)
      else {
        socket.write(first)
        socket.end('HTTP/1.1 500 is the content of the connection')
      }
    }
    app.server.on(event, accept)
    const received = await send(head)
    const method = head.split(' ', 1)[0]
    expect(await over()).toMatchObject([
      { status, cause: 'upgrade', outcome: 'sent', bytes: received.length, req: { method } },
    ])
    expect(ended[0]?.durationMs).toBeGreaterThan(0)
  })

  it('has the status of a response in bytes, and of HTTP/1.0', async () => {
    const text = 'HTTP/1.0 403 Forbidden\r\n\r\n'
    app.server.on('upgrade', (_req, socket) => void socket.end(Buffer.from(text)))
    expect(await send(UPGRADE)).toBe(text)
    expect(await over()).toMatchObject([{ status: 403, outcome: 'sent' }])
  })

  it.each<[string, Accept]>([
    ['closed without a response', (_req, socket) => void socket.destroy()],
    ['answered with text that is not HTTP', (_req, socket) => void socket.end('hello')],
  ])('has the status null if its connection is %s', async (_, accept) => {
    app.server.on('upgrade', accept)
    await send(UPGRADE)
    expect(await over()).toMatchObject([{ status: null, outcome: 'aborted', cause: 'upgrade' }])
  })

  it('is observed once if the program has several listeners, or replaces its listener', async () => {
    const first: Accept = (_req, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const second: Accept = () => {}
    app.server.on('upgrade', first).on('upgrade', second)
    await send(UPGRADE)
    expect(await over()).toHaveLength(1)
    app.server.off('upgrade', second)
    await send(UPGRADE)
    await until(() => ended.length > 1)
    app.server.off('upgrade', first).on('upgrade', first)
    await send(UPGRADE)
    await until(() => ended.length > 2)
    await turns()
    expect(ended.map(({ status }) => status)).toEqual([400, 400, 400])
    app.server.off('upgrade', first)
    // With a listener, Node would not treat such a request as an ordinary one.
    expect(app.server.listenerCount('upgrade')).toBe(0)
  })

  it.each([
    ['its connection has its own methods', true],
    ['its connection has the methods of its class', false],
  ])('leaves no trace on its connection after the status: %s', async (_, hasOwn) => {
    const sockets: Socket[] = []
    let count = 0
    app.server.on('connection', (socket) => {
      sockets.push(socket)
      if (!hasOwn) return
      const { write } = socket
      socket.write = function counting(this: Socket, ...args: never) {
        count += 1
        return Reflect.apply(write, this, args)
      } as Socket['write']
    })
    const found: boolean[] = []
    app.server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Any\r\n\r\n')
      found.push(Object.hasOwn(socket, 'write'), Object.hasOwn(socket, 'end'))
      socket.write('more')
      socket.end()
    })
    await send(UPGRADE)
    expect([found, count]).toEqual(hasOwn ? [[true, false], 2] : [[false, false], 0])
  })
})
