import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { App, Controller, defineControllers, Get, Post, type Request } from 'blazon'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, exchange, request } from './raw-connection.js'

let ran = 0
const seen: string[] = []
const closing: (() => Promise<unknown>)[] = []

@Controller('things')
class ThingsController {
  @Get() list({ url, originalUrl, query }: Request) {
    ran++
    return { url, originalUrl, query }
  }

  @Post() create() {
    ran++
    return 'made'
  }
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

function makeApp(): App {
  ran = 0
  seen.length = 0
  const app = new App({
    controllers: defineControllers(ThingsController),
    logger: false,
    timeouts: { close: '10ms' },
    middlewares: [(req, _res, next) => next(void seen.push(req.url))],
  })
  closing.push(() => app.close())
  return app
}

/** The ways in which an application can receive requests, each with the base path of its routes. */
const ways: Record<string, (app: App) => Promise<{ port: number; base: string }>> = {
  'with app.listen()': async (app) => ({ port: (await app.listen(0, '127.0.0.1')).port, base: '' }),
  'with app.handler': async (app) => ({ port: await serve(app.handler), base: '' }),
  'mounted in Express': async (app) => ({
    port: await serve(express().use(app.handler)),
    base: '',
  }),
  'mounted at a path': async (app) => ({
    port: await serve(express().use('/api', app.handler)),
    base: '/api',
  }),
  'mounted in a router, after an asynchronous middleware': async (app) => {
    const router = express.Router().use('/v1', app.handler)
    const outer = express().use((_req, _res, next) => setImmediate(next))
    return { port: await serve(outer.use('/api', router)), base: '/api/v1' }
  },
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function expectRefusal(answer: Answer | undefined, code: string): void {
  expect({ status: answer?.status, connection: answer?.headers['connection'] }).toEqual({
    status: 400,
    connection: 'close',
  })
  expect(JSON.parse(answer?.text ?? '')).toMatchObject({ statusCode: 'error', code })
}

const invalid = [
  'Host:',
  'Host: evil:x@localhost',
  'Host: localhost/x',
  'Host: localhost, evil.example',
  'Host: localhost\\evil.example',
  'Host: localhost:http',
  'Host: <script>',
  'Host: [::1',
]

describe.each(Object.entries(ways))('the Host header of a request to an App %s', (_, start) => {
  it('is refused each time if it is invalid, before any middleware runs', async () => {
    const { port, base } = await start(makeApp())
    for (const line of invalid) {
      for (const time of ['first', 'second', 'third']) {
        const [answer, ...rest] = await exchange(port, request(`${base}/things`, [line]))
        expect({ line, time, status: answer?.status, rest }).toEqual({
          line,
          time,
          status: 400,
          rest: [],
        })
        expectRefusal(answer, 'BAD_REQUEST')
      }
    }
    expect({ ran, seen }).toEqual({ ran: 0, seen: [] })
  })

  it.each([
    [['Host: localhost', 'Host: localhost']],
    [['Host: localhost', 'HOST: evil.example']],
    [['hOST: evil.example', 'X-A: 1', 'Host: localhost']],
  ])('is refused if it occurs twice: %j', async (lines) => {
    const { port, base } = await start(makeApp())
    for (const path of ['/things', '/none']) {
      expectRefusal((await exchange(port, request(base + path, lines)))[0], 'BAD_REQUEST')
    }
    expect({ ran, seen }).toEqual({ ran: 0, seen: [] })
  })

  it.each([
    'http://evil.example',
    'https://evil.example',
    'http://a@localhost',
    'http://@localhost',
    'http://localhost:81',
    'ftp://localhost',
  ])('is refused if the request target has another host: %s', async (origin) => {
    const { port, base } = await start(makeApp())
    const target = `${origin}${base}/things`
    const [answer] = await exchange(port, request(target))
    expectRefusal(answer, 'MALFORMED_URL')
    expect(ran).toBe(0)
  })

  it('is accepted if the request target has the same host', async () => {
    const { port, base } = await start(makeApp())
    const [answer] = await exchange(port, request(`http://LOCALHOST${base}/things?a=1`))
    expect(answer?.status, answer?.text).toBe(200)
    expect(JSON.parse(answer?.text ?? '').data.query).toEqual({ a: '1' })
  })

  it('can be missing only in HTTP/1.0', async () => {
    const { port, base } = await start(makeApp())
    const [old] = await exchange(port, `GET ${base}/things HTTP/1.0\r\n\r\n`)
    const [missing] = await exchange(port, `GET ${base}/things HTTP/1.1\r\n\r\n`)
    expect([old?.status, missing?.status, ran]).toEqual([200, 400, 1])
  })
})

describe('a request from a platform without connections', () => {
  /** Makes a request as serverless adapters do: without a socket, or with an object like a socket. */
  async function invoke(app: App, headers: Record<string, string>, socket?: object) {
    const req = new IncomingMessage(socket as Socket)
    Object.assign(req, {
      method: 'GET',
      url: '/things',
      headers,
      httpVersion: '1.1',
      complete: true,
    })
    const res = new ServerResponse(req)
    const ended = new Promise<unknown>((resolve) => {
      res.end = ((chunk: unknown) => {
        resolve(chunk)
        return res
      }) as ServerResponse['end']
    })
    app.handler(req, res)
    return { text: String(await ended), status: res.statusCode }
  }

  it.each([
    ['undefined', undefined],
    [
      'a plain object',
      { readable: false, encrypted: true, remoteAddress: '10.0.0.1', end() {}, destroy() {} },
    ],
  ])(
    'receives a response after a check of its Host header, with %s as its socket',
    async (_, socket) => {
      const app = makeApp()
      await app.init()
      expect((await invoke(app, { host: 'a.example' }, socket)).status).toBe(200)
      for (let i = 0; i < 2; i++) {
        expect((await invoke(app, { host: 'a@b' }, socket)).status).toBe(400)
        expect((await invoke(app, {}, socket)).status).toBe(400)
      }
      expect(ran).toBe(1)
    },
  )
})
