import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { App, type AppOptions } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
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

/** Serves the requests of an application by another server. Returns the URL of the server. */
async function host(handler: App['handler'], next?: () => void): Promise<string> {
  const server = createServer((req, res) => handler(req, res, next)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('closing an application whose requests another server receives', () => {
  it('waits for running requests, but not for requests that it has passed on', async () => {
    const app = new App(options)
    const passed = gate()
    const url = await host(app.handler, passed.open)
    const elsewhere = fetch(`${url}/elsewhere`).catch(() => {})
    await passed.opened
    const answer = fetch(`${url}/slow`)
    await entered.opened
    const closing = app.close()
    await turns()
    expect(log).toEqual([])
    released.open()
    expect(await (await answer).json()).toMatchObject({ data: 'done' })
    await closing
    expect(log).toEqual(['onClose'])
    void elsewhere
  })

  it('does not wait for a request whose client disconnects', async () => {
    const app = new App(options)
    const url = await host(app.handler)
    const client = new AbortController()
    const answer = fetch(`${url}/slow`, { signal: client.signal }).catch(() => {})
    await entered.opened
    const closing = app.close()
    client.abort()
    await answer
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('aborts the signal of a request two seconds before the end of timeouts.close', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const answer = fetch(`${await host(app.handler)}/warned`)
    await entered.opened
    const closing = app.close()
    await app.clock.advance('8s')
    expect(await (await answer).json()).toMatchObject({ data: 'saved' })
    await closing
    expect(log).toEqual(['warned: AppClosingError', 'onClose'])
  })

  it('cuts running requests after timeouts.close, and logs their routes', async () => {
    const app = await TestApp.create({ ...options, contract: 'off', timeouts: { close: '10s' } })
    await app.clock.advance(1)
    const cut = expect(fetch(`${await host(app.handler)}/slow`)).rejects.toThrow()
    await entered.opened
    const closing = app.close()
    await app.clock.advance('10s')
    await cut
    await closing
    expect(log).toEqual(['logged: GET /slow', 'onClose'])
  })
})

describe('closing the connections of an application', () => {
  /** Starts an application with a short time limit, and collects what it logs about aborted requests. */
  async function serveBriefly(more: AppOptions = {}) {
    const cuts: object[] = []
    const error = (facts: object) => void cuts.push(facts)
    const logger = { info() {}, warn() {}, error }
    const app = await serve({ logger, timeouts: { close: '20ms' }, ...more })
    return { app, cuts }
  }

  it('logs each pipelined request of a connection that it cuts', async () => {
    const { app, cuts } = await serveBriefly()
    const { ended } = await open(app, head('/slow') + head('/slow'))
    await entered.opened
    await app.close()
    await ended
    expect(cuts).toEqual([{ count: 2, cut: { 'GET /slow': 2 } }])
  })

  it('logs a request without a route that it cuts, but not its path', async () => {
    const { app, cuts } = await serveBriefly({ middlewares: [() => entered.open()] })
    const { ended } = await open(app, head('/secret'))
    await entered.opened
    await app.close()
    await ended
    expect(cuts).toEqual([{ count: 1, cut: { 'GET (no route)': 1 } }])
  })

  it('ends a connection that arrives while a hook onClose runs', async () => {
    const [running, left] = [gate(), gate()]
    const onClose = async () => {
      running.open()
      await left.opened
    }
    const app = await serve({ plugins: [{ name: 'slow', onClose }] })
    const closing = app.close()
    await running.opened
    // A connection that the system has accepted before the server stopped to listen.
    const front = createTcpServer((socket) => void app.server.emit('connection', socket))
    await once(front.listen(0, '127.0.0.1'), 'listening')
    cleanups.push(() => front.close())
    const late = connect((front.address() as AddressInfo).port, '127.0.0.1')
    await once(late.resume(), 'close')
    expect(log).toEqual([])
    left.open()
    await closing
    expect(log).toEqual(['onClose'])
  })

  it('calls the hooks onClosing while requests still run', async () => {
    const called = gate()
    const app = await serve({ plugins: [{ name: 'jobs', onClosing: called.open }] })
    const { ended } = await open(app, head('/slow'))
    await entered.opened
    const closing = app.close()
    await called.opened
    expect(log).toEqual([])
    released.open()
    expect(await ended).toContain('"done"')
    await closing
  })
})
