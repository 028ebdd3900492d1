import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { App, type AppOptions, Controller, Get, getTenantId } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../gate.js'

let make: () => unknown = () => undefined

@Controller()
class StreamController {
  @Get('stream') stream() {
    return make()
  }
}

interface Served {
  readonly port: number
  readonly errors: { readonly err: Error }[]
}

async function serve(options: AppOptions = {}): Promise<Served> {
  const errors: { err: Error }[] = []
  const error = (facts: object) => void errors.push(facts as { err: Error })
  const logger = { info() {}, warn() {}, error }
  const controllers = [StreamController]
  const app = await App.create({ controllers, logger, swagger: false, ...options })
  const { port } = await app.listen(0, '127.0.0.1')
  onTestFinished(() => app.close())
  return { port, errors }
}

/** Requests the stream, and reads nothing yet. */
async function get({ port }: Served): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return socket
}

async function firstData(socket: Socket): Promise<void> {
  const received = once(socket, 'data')
  socket.resume()
  await received
}

describe('a returned stream', () => {
  it('closes the connection if it fails after its first byte', async () => {
    const served = await serve()
    const stream = new PassThrough()
    stream.write('begun')
    make = () => stream
    const socket = await get(served)
    await firstData(socket)
    const closed = once(socket, 'close')
    stream.destroy(new Error('too late'))
    await closed
    expect(served.errors).toMatchObject([{ err: { message: 'too late' } }])
  })

  it('is sent without the end of the body if it fails directly after its last bytes', async () => {
    const served = await serve()
    make = () => {
      const stream = new Readable({ objectMode: true, read() {} })
      for (const chunk of ['one,', 'two,', { no: 'bytes' }]) stream.push(chunk)
      return stream
    }
    const socket = await get(served)
    const received: Buffer[] = []
    socket.on('data', (data: Buffer) => void received.push(data)).resume()
    await once(socket, 'close')
    const text = Buffer.concat(received).toString('latin1')
    expect(text).toMatch(/one,.*two,/s)
    expect(text).not.toMatch(/\r\n0\r\n/)
    expect(served.errors).toMatchObject([
      { err: { message: expect.stringContaining('nor bytes, but object') } },
    ])
  })

  it('closes the connection at once if it fails while the client does not read', async () => {
    const sockets: Socket[] = []
    const served = await serve({
      middlewares: [
        (req, _res, next) => {
          sockets.push(req.socket)
          next()
        },
      ],
    })
    const stream = new Readable({ read() {} })
    make = () => stream
    const paused = once(stream, 'pause')
    await get(served)
    const chunk = Buffer.alloc(64 * 1024)
    const push = setInterval(() => stream.push(chunk), 1)
    await paused
    clearInterval(push)
    const closed = once(sockets[0] as Socket, 'close')
    stream.destroy(new Error('too late'))
    await closed
    expect(served.errors).toMatchObject([{ err: { message: 'too late' } }])
  })

  it('is destroyed when the client disconnects, and nothing is logged', async () => {
    const served = await serve()
    const stream = new PassThrough()
    stream.write('begun')
    make = () => stream
    const socket = await get(served)
    await firstData(socket)
    const closed = once(stream, 'close')
    socket.destroy()
    await closed
    expect(served.errors).toEqual([])
  })

  it('is cancelled if it is a web stream and the client disconnects', async () => {
    const cancelled = gate()
    make = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('begun')),
        cancel: () => cancelled.open(),
      })
    const socket = await get(await serve())
    await firstData(socket)
    socket.destroy()
    await cancelled.opened
  })

  it('waits while the client does not read, and then arrives completely', async () => {
    const served = await serve()
    const chunk = Buffer.alloc(64 * 1024)
    const total = 400
    let made = 0
    const stream = new Readable({
      read() {
        made++
        this.push(made > total ? null : chunk)
      },
    })
    make = () => stream
    const paused = once(stream, 'pause')
    const socket = await get(served)
    await paused
    expect(made).toBeLessThan(total)
    let received = 0
    const whole = gate()
    socket.on('data', (data) => {
      received += data.length
      if (received > total * chunk.length) whole.open()
    })
    socket.resume()
    await whole.opened
  })

  it('runs its generator in the tenant context of the request', async () => {
    const tenants: unknown[] = []
    const served = await serve({ tenant: {} })
    make = () =>
      Readable.from(
        (async function* () {
          for (let i = 0; i < 3; i++) {
            await new Promise(setImmediate)
            tenants.push(getTenantId())
            yield 'x'.repeat(100_000)
          }
        })(),
      )
    const url = `http://127.0.0.1:${served.port}/stream`
    await (await fetch(url, { headers: { 'x-tenant-id': 'acme' } })).text()
    expect(tenants).toEqual(['acme', 'acme', 'acme'])
  })
})

describe('a returned Response from another server', () => {
  it('is sent without the Content-Encoding that fetch has already decoded', async () => {
    const upstream = createServer((_req, res) => {
      const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain', 'X-Own': 'yes' }
      res.writeHead(203, headers).end(gzipSync('unpacked'))
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void upstream.close())
    const { port } = upstream.address() as AddressInfo
    make = () => fetch(`http://127.0.0.1:${port}/`)
    const response = await fetch(`http://127.0.0.1:${(await serve()).port}/stream`)
    expect([response.status, await response.text()]).toEqual([203, 'unpacked'])
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('x-own')).toBe('yes')
  })
})
