import { once } from 'node:events'
import { createServer, get as httpGet } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { App } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import {
  cleanups,
  entered,
  head,
  log,
  open,
  options,
  released,
  serve,
  useWork,
} from './closing-app.js'

useWork()

/** Waits for turns of the event loop in which sockets are read, and not for time. */
async function turns(count: number) {
  for (let index = 0; index < count; index++) await new Promise((resolve) => setImmediate(resolve))
}

describe('closing an application by a signal', () => {
  it('still serves requests on open connections after the server stops listening', async () => {
    const app = await serve()
    const idle = await open(app, head('/quick'))
    await idle.seen('quick')
    const silent = await open(app)
    const half = await open(app, 'GET /quick HTTP/1.1\r\nHo')
    const closing = app.close('SIGTERM')
    await expect.poll(() => app.server.listening).toBe(false)
    idle.socket.write(head('/quick'))
    silent.socket.write(head('/quick'))
    half.socket.write('st: a\r\n\r\n')
    for (const { ended } of [idle, silent, half]) {
      const responses = (await ended).split('HTTP/1.1 ').slice(1)
      expect(responses.at(-1)).toMatch(/^200 OK(?:\r\n.*)*\r\nconnection: close/i)
    }
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('responds to all pipelined requests during timeouts.preStop, and announces the end with the last', async () => {
    const app = await serve({ timeouts: { preStop: '50ms' } })
    const { ended } = await open(app, head('/slow') + head('/slow'))
    await entered.opened
    const closing = app.close('SIGTERM')
    released.open()
    const [, first, second] = (await ended).split('HTTP/1.1 ')
    expect([first, second]).toEqual([
      expect.stringMatching(/^200 OK(?!(?:\r\n.*)*\r\nconnection: close)/i),
      expect.stringMatching(/^200 OK(?:\r\n.*)*\r\nconnection: close/i),
    ])
    await closing
  })

  it('ends open connections whose clients send nothing more', async () => {
    const app = await serve()
    const idle = await open(app, head('/quick'))
    await idle.seen('quick')
    const silent = await open(app)
    const half = await open(app, 'GET /quick HTTP/1.1\r\nHo')
    await app.close('SIGTERM')
    await Promise.all([idle, silent, half].map(({ ended }) => ended))
    expect(log).toEqual(['onClose'])
  })

  it('loses no request of clients that send one request after another', async () => {
    const app = await serve()
    let lost = 0
    let served = 0
    /** Uses one connection until the server announces or makes its end while no request is under way. */
    async function use({ socket, ended }: Awaited<ReturnType<typeof open>>) {
      let received = ''
      let isOpen = true
      socket.on('data', (chunk: string) => {
        received += chunk
      })
      void ended.then(() => {
        isOpen = false
      })
      while (isOpen && !/connection: close/i.test(received)) {
        received = ''
        socket.write(head('/quick'))
        while (isOpen && !received.endsWith('}')) await turns(1)
        if (received.endsWith('}')) served++
        else lost++
      }
    }
    const opened = []
    for (let index = 0; index < 20; index++) opened.push(await open(app))
    const clients = opened.map(use)
    await expect.poll(() => served).toBeGreaterThan(200)
    await app.close('SIGTERM')
    await Promise.all(clients)
    expect(lost).toBe(0)
  })

  it('cuts a connection after timeouts.close if its request body is still incomplete', async () => {
    const app = await serve({ timeouts: { close: '50ms' } })
    const post = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc'
    const { ended } = await open(app, post)
    await entered.opened
    await app.close('SIGTERM')
    await ended
    expect(log.slice(0, 2)).toEqual(['logged: POST /body', 'onClose'])
  })

  it('waits for timeouts.preStop only after a signal, and only if the application listens', async () => {
    const listens = await serve({ timeouts: { preStop: '1h' } })
    await listens.close()
    const mounted = await App.create({ ...options, timeouts: { preStop: '1h' } })
    const server = createServer(mounted.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(() => server.close())
    await mounted.close('SIGTERM')
    expect(log).toEqual(['onClose', 'onClose'])
  })
})

describe('closing an application with a test clock', () => {
  it('responds with 503 to /readyz during timeouts.preStop, and then stops listening', async () => {
    const app = await TestApp.create({
      ...options,
      contract: 'off',
      health: true,
      timeouts: { preStop: '5s', close: '10s' },
    })
    await app.clock.advance(1)
    await app.listen(0, '127.0.0.1')
    const { port } = app.server.address() as AddressInfo
    const status = (path: string) =>
      new Promise((resolve, reject) => {
        httpGet({ port, host: '127.0.0.1', path, agent: false }, (res) => {
          resolve(res.resume().statusCode)
        }).on('error', reject)
      })
    expect(await status('/readyz')).toBe(200)
    const closing = app.close('SIGTERM')
    expect([await status('/readyz'), await status('/livez')]).toEqual([503, 200])
    expect(await status('/quick')).toBe(200)
    await app.clock.advance('4s')
    expect(app.server.listening).toBe(true)
    await app.clock.advance('1s')
    await closing
    await expect(status('/quick')).rejects.toThrow('ECONNREFUSED')
  })

  it('aborts the signal of a request two seconds before the end of timeouts.close', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const answer = app.fetch('/warned')
    await entered.opened
    const closing = app.close()
    await app.clock.advance('7s')
    expect(log).toEqual([])
    await app.clock.advance('1s')
    expect(await (await answer).json()).toMatchObject({ data: 'saved' })
    await closing
    expect(log).toEqual(['warned: AppClosingError', 'onClose'])
  })

  it('aborts the signals of all pipelined requests of a connection', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const socket = app.connect()
    const answers = text(socket)
    socket.write(head('/warned') + head('/warned'))
    await entered.opened
    await turns(5)
    const closing = app.close()
    await app.clock.advance('8s')
    expect((await answers).match(/"saved"/g)).toHaveLength(2)
    await closing
    expect(log.slice(0, 2)).toEqual(Array(2).fill('warned: AppClosingError'))
  })

  it('responds with 503 and logs no failure if a handler throws the abort reason of req.signal', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const answer = app.fetch('/gives-up')
    await entered.opened
    const closing = app.close()
    await app.clock.advance('8s')
    const { status, headers } = await answer
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('cuts active requests after timeouts.close, and logs their routes', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const cut = expect(app.fetch('/slow')).rejects.toThrow()
    await entered.opened
    const closing = app.close()
    await app.clock.advance('10s')
    await cut
    await closing
    expect(log).toEqual(['logged: GET /slow', 'onClose'])
    released.open()
  })

  it('continues with the next onClose hook if one hook exceeds timeouts.onClose', async () => {
    const stuck = { name: 'stuck', onClose: () => new Promise(() => {}) }
    const app = await TestApp.create({
      ...options,
      plugins: [stuck],
      timeouts: { onClose: '30s' },
    })
    await app.clock.advance(1)
    const closing = expect(app.close()).rejects.toThrow('Closing the application failed')
    await app.clock.advance('30s')
    await closing
    expect(log).toEqual(['onClose'])
  })
})

describe('the timeouts for closing', () => {
  it.each([
    [{ preStop: '5 bananas' }, 'timeouts.preStop'],
    [{ preStop: -1 }, 'timeouts.preStop'],
    [{ onClose: 0 }, 'timeouts.onClose'],
  ])('are refused at boot if they are invalid: %j', async (timeouts, subject) => {
    const start = App.create({ timeouts } as object)
    await expect(start).rejects.toMatchObject({ problems: [{ code: 'E_OPTION_INVALID', subject }] })
  })
})
