import { createServer, get as httpGet } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, BaseController, Controller, Get, inject, type Response } from 'blazon'
import { describe, expect, it } from 'vitest'

class Counter {
  value = 0
}

@Controller('counter')
class CounterController extends BaseController {
  readonly counter = inject(Counter)

  @Get()
  next(_req: unknown, res: Response) {
    this.counter.value++
    return this.ok(res, 'Next', this.counter.value)
  }
}

/** Tells a test that a request has arrived, and lets the test decide when the response is sent. */
class Gate {
  #enter: () => void = () => {}
  open: () => void = () => {}
  readonly entered = new Promise<void>((resolve) => {
    this.#enter = resolve
  })
  pass() {
    this.#enter()
    return new Promise<void>((resolve) => {
      this.open = resolve
    })
  }
}

@Controller('slow')
class SlowController {
  readonly gate = inject(Gate)

  @Get()
  async wait() {
    await this.gate.pass()
    return 'done'
  }
}

const options = { controllers: [CounterController, SlowController], providers: [Counter, Gate] }
const json = async (url: string) => (await fetch(url)).json()

describe('an App', () => {
  it('listens, returns its address, responds, and refuses connections after close()', async () => {
    const app = new App(options)
    const address = await app.listen(0, '127.0.0.1')
    expect(address).toMatchObject({ address: '127.0.0.1', port: expect.any(Number) })
    const url = `http://127.0.0.1:${address.port}/counter`
    expect(await json(url)).toMatchObject({ data: 1 })
    await app.close()
    await expect(fetch(url)).rejects.toThrow()
  })

  it('rejects listen() if the port is in use, and can then listen on another port', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const app = new App(options)
    const { port } = taken.address() as AddressInfo
    await expect(app.listen(port, '127.0.0.1')).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: expect.stringContaining(`Port ${port} is already in use`),
    })
    await expect(app.listen(0, '127.0.0.1')).resolves.toHaveProperty('port')
    await app.close()
    taken.close()
  })

  it('starts once even if init() is called several times', async () => {
    let starts = 0
    class Started {
      onInit() {
        starts++
      }
    }
    const app = new App({ providers: [Started] })
    await Promise.all([app.init(), app.init()])
    await app.init()
    expect(starts).toBe(1)
    await app.close()
  })

  it('returns the instance for a token from get(), and throws for an unknown token', async () => {
    const app = await App.create(options)
    app.get(Counter).value = 41
    expect(app.get(CounterController).counter.value).toBe(41)
    expect(() => app.get('missing')).toThrow(/Nothing provides 'missing'/)
    await app.close()
  })

  it('throws "await app.init() first" if it is used before init()', () => {
    const app = new App(options)
    expect(() => app.get(Counter)).toThrow('await app.init() first')
    expect(() => app.server).toThrow('await app.init() first')
  })

  it('lists its routes before it starts', () => {
    expect(new App(options).getRouteTable()).toEqual([
      {
        method: 'GET',
        path: '/counter',
        controller: 'CounterController',
        handler: 'next',
        isProtected: false,
        isAuthOptional: false,
      },
      {
        method: 'GET',
        path: '/slow',
        controller: 'SlowController',
        handler: 'wait',
        isProtected: false,
        isAuthOptional: false,
      },
    ])
  })

  it('responds through app.handler on a server that other code creates', async () => {
    const app = new App(options)
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    expect(await json(`http://127.0.0.1:${port}/counter`)).toMatchObject({ data: 1 })
    expect(await json(`http://127.0.0.1:${port}/nowhere`)).toMatchObject({ status: 404 })
    server.close()
    await app.close()
  })

  it('shares no state with another application in the same process', async () => {
    const [one, two] = await Promise.all([App.create(options), App.create(options)])
    const [first, second] = await Promise.all([one.listen(0), two.listen(0)])
    await json(`http://127.0.0.1:${first.port}/counter`)
    await json(`http://127.0.0.1:${first.port}/counter`)
    expect(await json(`http://127.0.0.1:${second.port}/counter`)).toMatchObject({ data: 1 })
    one.express.set('only', 'one')
    expect(two.express.get('only')).toBeUndefined()
    await Promise.all([one.close(), two.close()])
  })

  it('finishes active requests before it closes', async () => {
    const app = new App(options)
    const { port } = await app.listen(0, '127.0.0.1')
    const answer = fetch(`http://127.0.0.1:${port}/slow`)
    const gate = app.get(Gate)
    await gate.entered
    const closing = app.close()
    gate.open()
    expect(await (await answer).json()).toMatchObject({ data: 'done' })
    await closing
  })

  it('cuts connections with active requests after timeouts.close', async () => {
    const app = new App({ ...options, timeouts: { close: '50ms' } })
    const { port } = await app.listen(0, '127.0.0.1')
    const cut = new Promise((resolve) => {
      httpGet(`http://127.0.0.1:${port}/slow`).on('error', resolve)
    })
    await app.get(Gate).entered
    await app.close()
    expect(await cut).toMatchObject({ code: 'ECONNRESET' })
  })
})
