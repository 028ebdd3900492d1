import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import {
  cleanups,
  entered,
  head,
  LARGE,
  log,
  open,
  options,
  released,
  serve,
  useWork,
} from './closing-app.js'

useWork()

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

  it('ends idle connections first, and sends Connection: close on active connections', async () => {
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

  it('still lets the rest of a request body arrive', async () => {
    const app = await serve()
    const post = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc'
    const { socket, ended } = await open(app, post)
    await entered.opened
    const closing = app.close()
    socket.write('def')
    expect(await ended).toContain('"abcdef"')
    await closing
  })

  it('sends the whole response to a client that reads slowly', async () => {
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

  it('responds to pipelined requests, but runs no request that arrives after close()', async () => {
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

  it('aborts a stream although a pipelined request after it is still running', async () => {
    const app = await serve()
    const { ended } = await open(app, head('/events') + head('/slow'))
    await entered.opened
    const closing = app.close()
    await expect.poll(() => log).toEqual(['aborted: AppClosingError, true'])
    released.open()
    expect(await ended).toContain('"done"')
    await closing
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

  it('logs no failure if a handler rethrows the AppClosingError', async () => {
    const app = await serve()
    await open(app, head('/throws'))
    await entered.opened
    await app.close()
    expect(log).toEqual(['onClose'])
  })

  it('cuts a stream after timeouts.close if its handler ignores the abort signal', async () => {
    const app = await serve({ timeouts: { close: '20ms' } })
    const { ended } = await open(app, head('/deaf'))
    await entered.opened
    await app.close()
    expect(await ended).not.toContain('\r\n0\r\n')
    expect(log).toEqual(['logged: GET /deaf', 'onClose'])
  })

  it('runs the onClose hooks once even if close() is called twice', async () => {
    const app = await serve()
    await open(app, 'GET')
    expect(app.close()).toBe(app.close())
    await app.close()
    expect(log).toEqual(['onClose'])
  })

  it('cancels a listen() that is still pending', async () => {
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

describe('closing a TestApp', () => {
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
