import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiResponseDoc, App, Controller, Get, inject, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'

async function dataOf(response: globalThis.Response): Promise<unknown> {
  return ((await response.json()) as { data: unknown }).data
}

let log: string[]
let entered: ReturnType<typeof gate>
let released: ReturnType<typeof gate>
beforeEach(() => {
  log = []
  entered = gate()
  released = gate()
})

class Database {
  isOpen = true
  onClose() {
    this.isOpen = false
    log.push('database closed')
  }
}

@Controller()
class WorkController {
  private readonly database = inject(Database)

  @Get('slow') async slow() {
    entered.open()
    await released.opened
    log.push(`answered, database ${this.database.isOpen ? 'open' : 'closed'}`)
    return 'done'
  }
  @ApiResponseDoc({ status: 200, description: 'Events', contentType: 'text/event-stream' })
  @Get('stream')
  stream(_req: Request, res: Response) {
    res.type('text/event-stream').write('data: 1\n\n')
    res.on('close', () => log.push('stream closed'))
    entered.open()
    released.opened.then(() => res.end('data: 2\n\n'))
  }
}

const options = { controllers: [WorkController], providers: [Database] }

describe('closing a TestApp', () => {
  it('waits for an active request before it closes the providers', async () => {
    const app = await TestApp.create(options)
    const answer = app
      .request()
      .get('/slow')
      .then(({ body }) => body.data)
    await entered.opened
    const closed = app.close().then(() => log.push('closed'))
    setTimeout(released.open, 5)
    await closed
    expect(await answer).toBe('done')
    expect(log).toEqual(['answered, database open', 'database closed', 'closed'])
  })

  it('waits for an open stream', async () => {
    const app = await TestApp.create(options)
    const answer = app
      .request()
      .get('/stream')
      .then(({ text }) => text)
    await entered.opened
    const closed = app.close()
    setTimeout(released.open, 5)
    await closed
    expect(await answer).toBe('data: 1\n\ndata: 2\n\n')
    expect(log).toEqual(['stream closed', 'database closed'])
  })

  it('cuts off an endless stream after timeouts.close, even if the clock is stopped', async () => {
    const app = await TestApp.create({ ...options, timeouts: { close: '20ms' } })
    const answer = app
      .request()
      .get('/stream')
      .then(
        () => 'whole',
        () => 'cut',
      )
    await entered.opened
    await app.clock.advance('1s')
    await app.close()
    expect(await answer).toBe('cut')
    expect(log).toEqual(['stream closed', 'database closed'])
  })

  it('happens only once even if close() is called several times', async () => {
    const app = await TestApp.create(options)
    expect(app.close()).toBe(app.close())
    await app.close()
    await app.close()
    expect(log).toEqual(['database closed'])
  })
})

describe('an application that is used only through its handler', () => {
  let server: Server
  let url: string
  async function serve(app: App) {
    server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  it('waits for an active request before it closes', async () => {
    const app = new App(options)
    await serve(app)
    const answer = fetch(`${url}/slow`).then(dataOf)
    await entered.opened
    const closed = app.close().then(() => log.push('closed'))
    setTimeout(released.open, 5)
    await closed
    expect(await answer).toBe('done')
    expect(log).toEqual(['answered, database open', 'database closed', 'closed'])
  })

  it('cuts off a request that does not end within timeouts.close', async () => {
    const app = new App({ ...options, timeouts: { close: '20ms' } })
    await serve(app)
    const answer = fetch(`${url}/slow`).then(
      () => 'whole',
      () => 'cut',
    )
    await entered.opened
    await app.close()
    expect(await answer).toBe('cut')
  })

  it('closes without waiting for requests that it has already answered or passed to next()', async () => {
    const app = new App({ ...options, timeouts: { close: '1d' } })
    const passed = gate()
    await serve(app)
    server.removeAllListeners('request')
    server.on('request', (req, res) => app.handler(req, res, () => passed.open()))
    const left = fetch(`${url}/elsewhere`).catch(() => 'left')
    await passed.opened
    released.open()
    await (await fetch(`${url}/slow`)).text()
    await app.close()
    server.closeAllConnections()
    expect(await left).toBe('left')
  })

  it('does not run onInit() in the async context of the first request', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    class Poller {
      onInit() {
        seen.push(context.getStore())
      }
    }
    @Controller()
    class ContextController {
      @Get('context') get() {
        return context.getStore() ?? 'none'
      }
    }
    const app = new App({ controllers: [ContextController], providers: [Poller] })
    await serve(app)
    server.removeAllListeners('request')
    server.on('request', (req, res) => context.run('request', () => app.handler(req, res)))
    for (let i = 0; i < 2; i++) {
      expect(await dataOf(await fetch(`${url}/context`))).toBe('request')
    }
    expect(seen).toEqual([undefined])
    await app.close()
  })
})
