import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemorySocket } from '../../src/http/memory-socket.js'
import { MemoryAgent } from '../../src/testing/memory-agent.js'

let server: Server
let agent: MemoryAgent
beforeEach(() => {
  server = createServer()
  agent = new MemoryAgent(server)
})
afterEach(() => agent.destroy())

const call = (path = '/', options: object = {}) =>
  request({ host: 'memory', path, agent, ...options })

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('MemorySocket', () => {
  it('delivers written data in order, and then the end', async () => {
    const [client, peer] = MemorySocket.pair()
    for (let i = 0; i < 1000; i++) client.write(`${i},`)
    client.end('end')
    expect(await textOf(peer)).toBe(`${[...Array(1000).keys()].join(',')},end`)
    peer.destroy()
  })

  it('counts bytes as written even before the other side reads them', async () => {
    const [client, peer] = MemorySocket.pair()
    client.write('four')
    client.write('five5')
    expect([client.bytesWritten, peer.bytesRead]).toEqual([9, 0])
    client.end()
    await textOf(peer)
    expect([client.bytesWritten, peer.bytesRead, client.bytesRead]).toEqual([9, 9, 0])
    peer.destroy()
  })

  it('makes a writer wait while the other side does not read', async () => {
    const [client, peer] = MemorySocket.pair()
    peer.on('error', () => {})
    const block = Buffer.alloc(64 * 1024)
    let accepted = 0
    while (client.write(block) && accepted < 100) accepted++
    await new Promise((resolve) => setImmediate(resolve))
    expect(client.writableNeedDrain).toBe(true)
    peer.resume()
    await once(client, 'drain')
    client.destroy()
  })

  it('ends the other side when a side that has read everything is destroyed', async () => {
    const [client, peer] = MemorySocket.pair()
    client.destroy()
    expect(await textOf(peer)).toBe('')
    peer.destroy()
  })

  it('resets the other side when a side with unread data is destroyed', async () => {
    const [client, peer] = MemorySocket.pair()
    peer.write('never read')
    await new Promise((resolve) => setImmediate(resolve))
    const failed = new Promise((resolve) => peer.on('error', resolve))
    client.destroy()
    expect(await failed).toMatchObject({ code: 'ECONNRESET' })
    expect(peer.destroyed).toBe(true)
  })
})

describe('MemoryAgent', () => {
  it('keeps a connection alive and reuses it', async () => {
    let connections = 0
    server.on('connection', () => connections++)
    server.on('request', (_req, res) => res.end('hello'))
    for (let i = 0; i < 3; i++) {
      const [res] = await once(call().end(), 'response')
      expect(await textOf(res)).toBe('hello')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(connections).toBe(1)
  })

  it('delivers the events of an open response, and closes the response when the client disconnects', async () => {
    const left = new Promise((resolve) => {
      server.on('request', (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' })
        res.write('data: 1\n\n')
        res.on('close', () => resolve(res.writableFinished))
      })
    })
    const [res] = await once(call().end(), 'response')
    expect(String((await once(res, 'data'))[0])).toBe('data: 1\n\n')
    res.on('error', () => {})
    res.destroy()
    expect(await left).toBe(false)
  })

  it("makes the client's request fail with ECONNRESET when the server destroys the connection", async () => {
    server.on('request', (req) => req.socket.destroy())
    const [error] = await once(call().end(), 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('supports protocol upgrades', async () => {
    server.on('upgrade', (_req, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n',
      )
      socket.pipe(socket)
    })
    const upgrade = call('/', { headers: { connection: 'Upgrade', upgrade: 'echo' } }).end()
    const [, socket] = await once(upgrade, 'upgrade')
    socket.write('ping')
    expect(String((await once(socket, 'data'))[0])).toBe('ping')
    socket.destroy()
  })

  it('refuses an invalid header, like an agent for a network', () => {
    expect(() => call('/', { headers: { 'x-bad': 'a\r\nb: c' } })).toThrow(/Invalid character/)
  })
})
