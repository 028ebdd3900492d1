import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { Connections } from '../../src/app/connections.js'

/** A server whose responses the test ends itself, and one connection to it. */
async function open(notify: (res: ServerResponse) => void = () => {}) {
  const connections = new Connections(notify)
  const responses: ServerResponse[] = []
  const server = createServer((_req, res) => {
    responses.push(res)
    res.writeHead(200, { 'Content-Length': 0 }).flushHeaders()
  })
  const accepted = new Promise<void>((resolve) => {
    server.once('connection', (socket: Socket) => {
      connections.add(socket)
      resolve()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  onTestFinished(() => void server.close())
  await accepted
  const closed = once(client, 'close').then(() => Promise.reject(new Error('The server has left')))
  closed.catch(() => {})
  /** Sends a request, and waits for the head of its response. */
  const ask = async () => {
    const head = once(client, 'data')
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await Promise.race([head, closed])
    return responses.at(-1) as ServerResponse
  }
  const end = async (res: ServerResponse) => {
    const closed = once(res, 'close')
    res.end()
    await closed
  }
  return { connections, client, ask, end }
}

it('the sweep count of a connection starts again after each request', async () => {
  const { connections, client, ask, end } = await open()
  for (let i = 0; i < 3; i++) connections.announce()
  const res = await ask()
  connections.announce()
  await end(res)
  // A proxy may have sent another request on this connection already.
  connections.sweep(3)
  await end(await ask())
  const closed = once(client, 'close')
  for (let i = 0; i < 4; i++) connections.sweep(3)
  await closed
  expect(client.destroyed).toBe(true)
})

it('an idle connection is closed after the given number of sweeps', async () => {
  const { connections, client, ask, end } = await open()
  for (let i = 0; i < 3; i++) connections.sweep(3)
  await end(await ask())
  const closed = once(client, 'close')
  connections.sweep(0)
  await closed
  expect(client.destroyed).toBe(true)
})

it('a stream that is not a connection of the network is ended, and then destroyed', async () => {
  const connections = new Connections(() => {})
  const written: string[] = []
  const stream = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      setImmediate(done)
    },
  })
  connections.add(stream as Socket)
  stream.write('the last bytes')
  await connections.end()
  expect([written, stream.writableFinished, stream.destroyed]).toEqual([
    ['the last bytes'],
    true,
    true,
  ])
})

it('connections are notified once per request, and each stream that has begun', async () => {
  const notified: ServerResponse[] = []
  const { connections, ask, end, client } = await open((res) => void notified.push(res))
  const first = await ask()
  connections.abort()
  expect(notified).toEqual([first])
  connections.sweep(0)
  expect(notified).toEqual([first, first])
  const closed = once(client, 'close')
  await end(first)
  await closed
  connections.sweep(0)
  expect(notified).toHaveLength(2)
})
