import { once } from 'node:events'
import { request as send } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiResponseDoc, Controller, Get, Post, type Req, type Response as Res } from 'blazon'
import { ContractError, TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let closed: Promise<unknown> | undefined

@Controller('wire')
class WireController {
  @Get('events')
  @ApiResponseDoc({ status: 200, description: 'Events', contentType: 'text/event-stream' })
  async events(req: Req, res: Res) {
    closed = once(res, 'close')
    res.type('text/event-stream')
    for (let n = 1; !req.signal.aborted; n++) {
      res.write(`id: ${n}\ndata: {"n":${n}}\n\n`)
      await delay(1)
    }
  }

  @Post('echo')
  @ApiResponseDoc({ status: 200, description: 'The same', contentType: 'application/octet-stream' })
  echo(req: Req, res: Res) {
    res.type('application/octet-stream')
    req.pipe(res)
    return res
  }

  @Get('cut')
  @ApiResponseDoc({ status: 200, description: 'Half of it' })
  async cut(_: Req, res: Res) {
    res.type('json').write('{"statusCode":')
    await delay(5)
    res.destroy()
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [WireController], contract: 'throw', logger: false })
})
afterEach(() => app.close())

describe('server-sent events', () => {
  it('arrive one by one until the reader stops', async () => {
    const response = await app.fetch('/wire/events')
    expect(response.headers.get('content-type')).toMatch('text/event-stream')
    let text = ''
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk)
      if (text.includes('id: 3')) break
    }
    expect(text).toMatch(/^id: 1\ndata: \{"n":1\}\n\nid: 2/)
    await closed
  })

  it('also arrive in supertest, and end when abort() is called', async () => {
    const test = app.request().get('/wire/events').buffer(false)
    const seen = new Promise<string>((resolve) => {
      test.parse((res, done) => {
        res.on('data', (chunk: Buffer) => resolve(String(chunk)))
        res.on('end', () => done(null, ''))
      })
    })
    // Without this listener, superagent throws the error of the abort.
    test.on('response', (res) => res.on('error', () => {}))
    test.end(() => {})
    expect(await seen).toContain('id: 1')
    test.abort()
    await closed
  })
})

describe('streamed bodies', () => {
  it('are sent in both directions at the same time', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const init = { method: 'POST', body: readable, duplex: 'half' } as RequestInit
    const answer = app.fetch('/wire/echo', init)
    await writer.write(Buffer.from('one'))
    const reader = ((await answer).body as ReadableStream<Uint8Array>).getReader()
    expect(String(Buffer.from((await reader.read()).value ?? []))).toBe('one')
    await writer.write(Buffer.from('two'))
    expect(String(Buffer.from((await reader.read()).value ?? []))).toBe('two')
    await writer.close()
    expect((await reader.read()).done).toBe(true)
  })

  it('cause no ContractError if the application closes the connection', async () => {
    const failure = await app.fetch('/wire/cut').then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(TypeError)
    const test = Promise.resolve(app.request().get('/wire/cut'))
    await expect(test).rejects.not.toBeInstanceOf(ContractError)
  })
})

describe('the connect() method', () => {
  it('supports protocol upgrades such as WebSockets', async () => {
    app.server.on('upgrade', (req, socket: Duplex, head: Buffer) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${req.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`,
      )
      socket.write(head)
      socket.pipe(socket)
    })
    const req = send({
      path: '/socket',
      headers: { connection: 'Upgrade', upgrade: 'echo' },
      createConnection: app.connect,
    }).end()
    const [res, socket] = (await once(req, 'upgrade')) as [{ statusCode: number }, Duplex]
    expect(res.statusCode).toBe(101)
    socket.write('over memory')
    expect(String((await once(socket, 'data'))[0])).toBe('over memory')
    const ended = once(socket, 'close')
    socket.destroy()
    await ended
  })

  it('returns a connection on which a test can send any bytes to the HTTP parser', async () => {
    const socket = app.connect()
    socket.write('GET /wire/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
    const other = app.connect()
    other.write('not HTTP\r\n\r\n')
    expect(String((await once(other, 'data'))[0])).toMatch(/^HTTP\/1\.1 400/)
    other.destroy()
  })

  it('returns a connection that is closed when the application closes', async () => {
    app.server.on('upgrade', (_req, socket: Duplex) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
      socket.on('error', () => {})
    })
    const headers = { connection: 'Upgrade', upgrade: 'x' }
    const req = send({ path: '/', headers, createConnection: app.connect }).end()
    const [, socket] = (await once(req, 'upgrade')) as [unknown, Duplex]
    socket.on('error', () => {})
    const ended = once(socket, 'close')
    await app.close()
    await ended
  })
})
