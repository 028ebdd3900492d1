import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import {
  App,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  Controller,
  Get,
  type Plugin,
  Post,
  RateLimit,
  type Request,
  type Response,
  Use,
} from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { gate } from '../gate.js'
import { rawExchange } from '../wire/raw-exchange.js'

let ended: EndedRequest[]
let entered: ReturnType<typeof gate>
let released: ReturnType<typeof gate>
let cleanups: (() => unknown)[]

beforeEach(() => {
  ended = []
  cleanups = []
  entered = gate()
  released = gate()
})

afterEach(async () => {
  released.open()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

@Controller('work')
class WorkController {
  @Get('quick') quick() {
    return 'quick'
  }

  @Post('save') @Body(z.object({ name: z.string() })) save() {
    return 'saved'
  }

  @Auth() @Get('own') own() {
    return 'own'
  }

  @Auth() @Can('rule') @Get('rule') rule() {
    return 'rule'
  }

  @RateLimit({ limit: 1, window: '1m' }) @Get('rare') rare() {
    return 'rare'
  }

  @Cache({ ttl: '1m' }) @Get('kept') kept() {
    return 'kept'
  }

  @Use((_req: Request, res: Response) => res.status(418).end())
  @Get('used')
  used() {
    return 'used'
  }

  @Get('stream') stream() {
    return Readable.from(['a'.repeat(1000), 'b'.repeat(1000)])
  }

  @Get('slow') async slow() {
    entered.open()
    await released.opened
    return 'slow'
  }

  @Get('begun') begun(_req: Request, res: Response) {
    res.write('a')
    entered.open()
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }
}

const observer: Plugin = {
  name: 'observer',
  requests: () => ({ onEnd: (request) => void ended.push(request) }),
}

const guard = {
  canActivate: (req: Request) => {
    req.user = { id: 'u1' }
    return req.headers.authorization === 'Bearer good'
  },
}

async function serve(options: AppOptions = {}): Promise<{ app: App; port: number }> {
  const app = new App({
    controllers: [WorkController],
    plugins: [observer],
    auth: { guard, can: () => false },
    logger: false,
    etag: true,
    ...options,
  })
  const { port } = await app.listen(0, '127.0.0.1')
  cleanups.push(() => app.close())
  return { app, port }
}

/** The requests that are over, as soon as there are so many. No other one follows within some turns. */
async function over(count = 1): Promise<EndedRequest[]> {
  await until(() => ended.length >= count)
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  return ended
}

/** Sends one request on a connection of its own, and returns the bytes that arrive. */
function send(port: number, head: string, body = ''): Promise<string> {
  const [first, ...lines] = head.split('\n')
  const all = [`${first} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
  return rawExchange(port, `${all.join('\r\n')}\r\n\r\n${body}`)
}

const JSON_HEAD = 'Content-Type: application/json'

describe('an observer of all requests', () => {
  it.each([
    ['a handler that returns a value', 'GET /work/quick', 200, 'handler'],
    ['a HEAD request', 'HEAD /work/quick', 200, 'handler'],
    ['a handler that returns a stream', 'GET /work/stream', 200, 'handler'],
    ['a handler that throws', 'GET /work/bug', 500, 'handler'],
    ['a path without a route', 'GET /nowhere', 404, 'router'],
    ['a method that the path does not allow', 'PUT /work/quick', 405, 'router'],
    ['an OPTIONS request', 'OPTIONS /work/quick', 200, 'router'],
    ['a path that cannot be decoded', 'GET /work/%E0%A4%A', 400, 'router'],
    ['a caller that the guard refuses', 'GET /work/own', 401, 'guard'],
    [
      'a user without the required ability',
      'GET /work/rule\nAuthorization: Bearer good',
      403,
      'can',
    ],
    ['a route whose middleware responds', 'GET /work/used', 418, 'middleware'],
    [
      'a body of an unsupported media type',
      'POST /work/save\nContent-Type: text/x\nContent-Length: 1',
      415,
      'body',
    ],
    ['a documentation page', 'GET /api-docs', 200, 'framework'],
    ['a request with two Host headers', 'GET /work/quick\nHost: b', 400, 'head'],
    ['a request with an unknown Expect header', 'GET /work/quick\nExpect: magic', 417, 'head'],
  ])('is called once for %s', async (_, head, status, cause) => {
    const { port } = await serve()
    const bytes = await send(port, head, 'x')
    expect(bytes).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const [request, ...more] = await over()
    expect(request).toMatchObject({ status, cause, outcome: 'sent', isQuiet: false })
    expect(request?.bytes).toBe(Buffer.byteLength(bytes))
    expect(request?.durationMs).toBeGreaterThan(0)
    expect(more).toEqual([])
  })

  it('receives the route, the request, the response and the start time', async () => {
    const { app, port } = await serve()
    const before = Date.now()
    await send(port, 'GET /work/quick?a=1')
    const [request] = await over()
    expect(request?.route).toMatchObject({ method: 'GET', path: '/work/quick' })
    expect(request?.req?.url).toBe('/work/quick?a=1')
    expect(request?.res?.statusCode).toBe(200)
    expect(request?.startedAt).toBeGreaterThanOrEqual(before)
    expect(app.getRouteTable()).toHaveLength(11)
  })

  it('is called for requests that a schema, a rate limit or the body limit refuses', async () => {
    const { port } = await serve({ limits: { body: 10 } })
    await send(port, `POST /work/save\n${JSON_HEAD}\nContent-Length: 2`, '{}')
    await over(1)
    await send(port, `POST /work/save\n${JSON_HEAD}\nContent-Length: 11`, '{"name":""}')
    await over(2)
    await send(port, 'GET /work/rare')
    await over(3)
    await send(port, 'GET /work/rare')
    const facts = (await over(4)).map(({ status, cause }) => `${status} ${cause}`)
    expect(facts).toEqual(['400 validation', '413 body', '200 handler', '429 limit'])
  })

  it('is called for a 304 response and for a cached response', async () => {
    const { port } = await serve()
    const first = await send(port, 'GET /work/quick')
    const tag = /ETag: (\S+)/i.exec(first)?.[1]
    await send(port, `GET /work/quick\nIf-None-Match: ${tag}`)
    await send(port, 'GET /work/kept')
    await over(3)
    await send(port, 'GET /work/kept')
    const facts = (await over(4)).map(({ status, cause }) => `${status} ${cause}`)
    expect(facts).toEqual(['200 handler', '304 handler', '200 handler', '200 cache'])
  })

  it('is called for a handler that exceeds its time limit', async () => {
    const { port } = await serve({ timeouts: { handler: '10ms' } })
    await send(port, 'GET /work/slow')
    expect(await over()).toMatchObject([{ status: 503, outcome: 'timeout', cause: 'timeout' }])
  })

  it('receives the status null if the client disconnects before the response head is sent', async () => {
    const { port } = await serve()
    const client = request({ port, host: '127.0.0.1', path: '/work/slow' }).on('error', () => {})
    client.end()
    await entered.opened
    client.destroy()
    const [gone, ...more] = await over()
    released.open()
    expect(gone).toMatchObject({ status: null, outcome: 'aborted', bytes: 0, cause: 'handler' })
    expect(more).toEqual([])
    expect(await over()).toHaveLength(1)
  })

  it('receives the sent status if the client disconnects after the response head is sent', async () => {
    const { port } = await serve()
    const client = request({ port, host: '127.0.0.1', path: '/work/begun' }).on('error', () => {})
    client.end()
    const [res] = await once(client, 'response')
    res.on('error', () => {})
    client.destroy()
    expect(await over()).toMatchObject([{ status: 200, outcome: 'aborted' }])
  })

  it.each([
    ['data that is not HTTP', 'nonsense\r\n\r\n', 400],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    [
      'a body with an invalid chunk size',
      'POST /work/save HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
    ],
  ])('is called once for %s', async (_, bytes, status) => {
    const { port } = await serve()
    const response = await rawExchange(port, bytes)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const all = await over()
    expect(all).toMatchObject([{ status, outcome: 'sent', cause: 'parser' }])
    expect(all[0]?.bytes).toBe(Buffer.byteLength(response))
  })

  it('is called for a request with too many header lines', async () => {
    const { port } = await serve({ limits: { headers: 3 } })
    await send(port, 'GET /work/quick\nA: a\nB: b')
    expect(await over()).toMatchObject([{ status: 431, cause: 'head' }])
  })

  it('is called for a body that does not arrive in time', async () => {
    const { port } = await serve({ timeouts: { request: '50ms', headers: '50ms' } })
    const lines = ['POST /work/save HTTP/1.1', 'Host: a', JSON_HEAD, 'Content-Length: 9']
    const response = await rawExchange(port, `${lines.join('\r\n')}\r\n\r\n{`)
    expect(response).toMatch(/^HTTP\/1.1 408 /)
    expect(await over()).toMatchObject([{ status: 408, outcome: 'sent', cause: 'parser' }])
  })

  it('receives the byte count of each response, even if requests are pipelined', async () => {
    const { port } = await serve()
    const one = 'GET /work/quick HTTP/1.1\r\nHost: a\r\n'
    const two = 'GET /work/stream HTTP/1.1\r\nHost: a\r\n'
    const bytes = await rawExchange(port, `${one}\r\n${two}\r\n${one}Connection: close\r\n\r\n`)
    const all = await over(3)
    expect(all.map(({ req }) => req?.url)).toEqual(['/work/quick', '/work/stream', '/work/quick'])
    const sum = all.reduce((total, request) => total + request.bytes, 0)
    expect(sum).toBe(Buffer.byteLength(bytes))
    expect(all[1]?.bytes).toBeGreaterThan(2000)
    expect(all[0]?.bytes).toBeLessThan(1000)
  })

  it('receives 0 as the byte count if no observer needs the count', async () => {
    const frugal: Plugin = {
      name: 'frugal',
      requests: () => ({ onEnd: (request) => void ended.push(request), needsBytes: false }),
    }
    const { port } = await serve({ plugins: [frugal] })
    await send(port, 'GET /work/quick')
    const { port: other } = await serve({ plugins: [frugal, observer] })
    await over(1)
    const bytes = await send(other, 'GET /work/quick')
    const sizes = (await over(3)).map((request) => request.bytes)
    expect(sizes).toEqual([0, bytes.length, bytes.length])
  })

  it('receives the byte counts of an inner application even if the outer one counts no bytes', async () => {
    const inner = new App({ controllers: [WorkController], plugins: [observer], logger: false })
    cleanups.push(() => inner.close())
    const frugal: Plugin = { name: 'frugal', requests: () => ({ onEnd() {}, needsBytes: false }) }
    const { port } = await serve({
      plugins: [frugal],
      controllers: [],
      middlewares: [
        (req, res, next) => (req.url === '/near' ? res.end('near') : inner.handler(req, res, next)),
      ],
    })
    const paths = ['/near', '/work/quick', '/near', '/work/quick', '/near']
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    cleanups.push(() => agent.destroy())
    const sizes: number[] = []
    let sent = 0
    for (const path of paths) {
      const client = request({ port, host: '127.0.0.1', path, agent }).end()
      const [res] = await once(client, 'response')
      const { socket } = res
      res.resume()
      await once(res, 'end')
      sizes.push(socket.bytesRead - sent)
      sent = socket.bytesRead
    }
    expect((await over(2)).map(({ bytes }) => bytes)).toEqual([sizes[1], sizes[3]])
  })

  it('receives the correct start time even if `startedAt` is first read an hour later', async () => {
    const app = await TestApp.create({
      controllers: [WorkController],
      plugins: [observer],
      timeouts: { handler: false },
      logger: false,
      contract: 'off',
    })
    cleanups.push(() => app.close())
    // The time of the begin is computed from two clocks that round differently.
    const before = app.clock.now() - 1
    const sent = app.request().get('/work/slow').then()
    await entered.opened
    const after = app.clock.now() + 1
    await app.clock.advance('1h')
    released.open()
    await sent
    const [request] = await over()
    await app.clock.advance('1h')
    expect(request?.durationMs).toBeGreaterThanOrEqual(3_600_000)
    expect(request?.startedAt).toBeGreaterThanOrEqual(before)
    expect(request?.startedAt).toBeLessThanOrEqual(after)
  })

  it('is called when an upgraded connection ends', async () => {
    const { app, port } = await serve()
    const sockets = new WebSocketServer({ noServer: true })
    app.server.on('upgrade', (req, socket, rest) =>
      sockets.handleUpgrade(req, socket, rest, (client) => client.close()),
    )
    const lines = [
      'GET /chat HTTP/1.1',
      'Host: a',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ]
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const [bytes] = await once(socket, 'data')
    expect(String(bytes)).toMatch(/^HTTP\/1.1 101 /)
    expect(ended).toEqual([])
    socket.destroy()
    expect(await over()).toMatchObject([{ status: 101, cause: 'upgrade', outcome: 'sent' }])
    app.server.removeAllListeners('upgrade')
    await send(port, 'GET /work/quick\nUpgrade: x')
    expect(await over(2)).toMatchObject([{}, { status: 200, cause: 'handler' }])
  })

  it('is not called for a request that the application passes on to the outer Express application', async () => {
    const { app } = await serve()
    const host = express()
    host.use('/api', app.handler)
    host.use((_req, res) => res.status(204).end())
    const port = await listen(createServer(host))
    await send(port, 'GET /api/elsewhere')
    await send(port, 'GET /api/work/quick')
    expect(await over()).toMatchObject([{ status: 200, cause: 'handler' }])
  })

  it('is called by the outer and by the inner application if the HTTP parser refuses a body', async () => {
    const middlewares = [
      (_req: Request, _res: Response, next: () => void) => {
        entered.open()
        next()
      },
    ]
    const controllers = [WorkController]
    const inner = new App({ controllers, plugins: [observer], middlewares, logger: false })
    cleanups.push(() => inner.close())
    const { port } = await serve({ controllers: [], middlewares: [inner.handler] })
    const socket = connect(port, '127.0.0.1').resume()
    cleanups.push(() => socket.destroy())
    socket.write(
      `POST /work/save HTTP/1.1\r\nHost: a\r\n${JSON_HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    await entered.opened
    socket.write('no number\r\n')
    const facts = { status: 400, outcome: 'sent', cause: 'parser' }
    expect(await over(2)).toMatchObject([facts, facts])
  })

  it('is called once by each application that handles a request', async () => {
    const inner = new App({ controllers: [WorkController], plugins: [observer], logger: false })
    cleanups.push(() => inner.close())
    const { port } = await serve({ controllers: [], middlewares: [inner.handler] })
    await send(port, 'GET /work/quick')
    expect(await over(2)).toMatchObject([{ status: 200 }, { status: 200 }])
    ended.length = 0
    await send(port, 'GET /nowhere')
    expect(await over()).toMatchObject([{ status: 404, cause: 'router' }])
  })

  it('is called for a response of an Express application that is used as a middleware', async () => {
    const other = express()
    other.get('/other', (_req, res) => void res.send('other'))
    const { port } = await serve({ middlewares: [other] })
    await send(port, 'GET /other')
    expect(await over()).toMatchObject([{ status: 200, cause: 'middleware', route: null }])
  })

  it('receives the tenant, or undefined if the tenant header is invalid', async () => {
    const { port } = await serve({ tenant: {} })
    await send(port, 'GET /work/quick\nX-Tenant-Id: acme')
    await send(port, 'GET /work/quick\nX-Tenant-Id: a%b')
    expect(await over(2)).toMatchObject([
      { tenant: 'acme', cause: 'handler' },
      { tenant: undefined, cause: 'tenant', status: 400 },
    ])
  })

  it('does not affect the response if it throws or rejects, and its error is logged', async () => {
    const lines: object[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
    const failing: Plugin = {
      name: 'failing',
      requests: () => ({
        onEnd() {
          throw new Error('observer')
        },
      }),
    }
    const rejecting: Plugin = {
      name: 'rejecting',
      requests: () => ({ onEnd: () => Promise.reject(new Error('rejected')) as never }),
    }
    const { port } = await serve({ plugins: [failing, rejecting, observer], logger })
    expect(await send(port, 'GET /work/quick')).toMatch(/^HTTP\/1.1 200 /)
    await over()
    expect(lines.map((facts) => String((facts as { err: Error }).err.message))).toEqual([
      'observer',
      'rejected',
    ])
  })

  it('is refused at boot unless it is an object whose members are functions', async () => {
    for (const wrong of ['x', Promise.resolve({}), { onEnd: 1 }, { around: {} }, { onError: 1 }]) {
      const plugin = { name: 'wrong', requests: () => wrong } as unknown as Plugin
      await expect(App.create({ plugins: [plugin] })).rejects.toThrow(/plugin 'wrong', requests/)
    }
  })
})

describe('an application without an observer', () => {
  it('adds no hooks to responses or to its server', async () => {
    const silent: Plugin = { name: 'silent', requests: () => null }
    let keys: PropertyKey[] = []
    @Controller()
    class KeysController {
      @Get() keys(_req: Request, res: Response) {
        keys = [...Reflect.ownKeys(res)].map(String)
        return 'x'
      }
    }
    const { app, port } = await serve({ plugins: [silent], controllers: [KeysController] })
    await send(port, 'GET /')
    expect(keys).not.toContain('emit')
    expect(keys).not.toContain('Symbol(blazon.observed)')
    expect(app.server.listenerCount('newListener')).toBe(0)
  })
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}
