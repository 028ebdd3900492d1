import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { App, Controller, Get, type Plugin } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { rawExchange } from '../wire/raw-exchange.js'

/** An application whose requests wait for the test, and the number of its running requests. */
function start() {
  const [entered, released] = [gate(), gate()]
  @Controller('work')
  class WorkController {
    @Get() async list() {
      entered.open()
      await released.opened
      return []
    }
  }
  let count = () => -1
  const counting: Plugin = {
    name: 'counting',
    requests({ activeRequests }) {
      count = activeRequests
      return { onEnd() {} }
    },
  }
  const app = new App({ controllers: [WorkController], plugins: [counting], logger: false })
  onTestFinished(() => app.close())
  return { app, entered, released, count: () => count() }
}

/** Serves an application in a host, which handles the requests that the application passes on. */
async function host(
  app: App,
  next: (res: ServerResponse) => void,
  prepare = next,
): Promise<number> {
  const server = createServer((req, res) => {
    if (prepare !== next) prepare(res)
    app.handler(req, res, () => next(res))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

describe('the number of running requests', () => {
  it('contains a request until its response has ended', async () => {
    const { app, entered, released, count } = start()
    const { port } = await app.listen(0, '127.0.0.1')
    expect(count()).toBe(0)
    const answer = rawExchange(port, get('/work'))
    await entered.opened
    expect(count()).toBe(1)
    released.open()
    await answer
    expect(count()).toBe(0)
  })

  it('does not contain a request whose client has disconnected, or that the parser refuses', async () => {
    const { app, entered, count } = start()
    const { port } = await app.listen(0, '127.0.0.1')
    const client = connect(port, '127.0.0.1')
    client.write(get('/work'))
    await entered.opened
    client.destroy()
    await expect.poll(count).toBe(0)
    await rawExchange(port, 'nonsense\r\n\r\n')
    await turns()
    expect(count()).toBe(0)
  })

  it('does not contain a request that the application passes on to its host', async () => {
    const { app, count } = start()
    await app.init()
    const counts: number[] = []
    const port = await host(app, (res) => {
      counts.push(count())
      res.end('host')
    })
    expect(await rawExchange(port, get('/none'))).toContain('host')
    expect([...counts, count()]).toEqual([0, 0])
  })
})

describe('a response that an observed application passes on', () => {
  it('has the methods of its class again', async () => {
    const { app } = start()
    await app.init()
    const found: boolean[] = []
    const port = await host(app, (res) => {
      found.push(Object.hasOwn(res, 'emit'))
      res.end('host')
    })
    await rawExchange(port, get('/none'))
    expect(found).toEqual([false])
  })

  it('has the methods that its host has replaced', async () => {
    const { app } = start()
    await app.init()
    const events: unknown[] = []
    const emit = function (this: ServerResponse, ...args: Parameters<ServerResponse['emit']>) {
      events.push(args[0])
      return Reflect.apply(Object.getPrototypeOf(this).emit, this, args)
    }
    const found: boolean[] = []
    const prepare = (res: ServerResponse) => {
      res.emit = emit as ServerResponse['emit']
    }
    const next = (res: ServerResponse) => {
      found.push(res.emit === emit)
      res.end('host')
    }
    await rawExchange(await host(app, next, prepare), get('/none'))
    expect(found).toEqual([true])
    expect(events).toContain('finish')
  })
})
