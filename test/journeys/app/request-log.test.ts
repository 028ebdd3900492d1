import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  Body,
  Controller,
  Get,
  type Logger,
  type Plugin,
  Post,
  type Request,
  runWithTenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rawExchange } from '../wire/raw-exchange.js'
import { captureStdout } from './captured-stdout.js'

@Controller('orders')
class OrdersController {
  @Get(':id') one(req: Request) {
    return req.params.id
  }

  @Auth() @Get('of/me') mine() {
    return 'mine'
  }

  @Get('fail/now') fail() {
    throw new Error('a bug')
  }
}

const guard = {
  canActivate(req: Request) {
    req.user = { id: String(req.headers['x-user']) }
    return true
  },
}

/** Requests of a port, one after the other, each on a connection of its own. */
async function serve(options: AppOptions) {
  const app = new App({
    controllers: [OrdersController],
    swagger: false,
    auth: { guard },
    ...options,
  })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const send = (target: string, headers = '') =>
    rawExchange(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`)
  return { app, send, port }
}

describe('the request log', () => {
  it('writes one JSON line per request to stdout, and is flushed when the application closes', async () => {
    const { lines } = captureStdout()
    const { app, send, port } = await serve({ logs: true, tenant: {} })
    await send('/orders/7?token=abc', 'X-Tenant-Id: acme\r\n')
    await send('/orders/of/me', 'X-User: u1\r\n')
    await send('/nowhere?token=abc')
    await send('/orders/fail/now')
    await rawExchange(port, 'nonsense\r\n\r\n')
    await app.close()
    const [one, mine, nowhere, failure, failed, nothing, ...more] = lines()
    expect(one).toEqual({
      level: 'info',
      time: expect.any(Number),
      message: 'GET /orders/:id',
      method: 'GET',
      route: '/orders/:id',
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      cause: 'handler',
      requestId: expect.any(String),
      tenant: 'acme',
    })
    expect(mine).toMatchObject({ route: '/orders/of/me', user: 'u1', status: 200 })
    expect(nowhere).toMatchObject({
      message: 'GET (no route)',
      path: '/nowhere',
      status: 404,
      cause: 'router',
    })
    expect(failure).toMatchObject({ level: 'error', message: 'The request failed' })
    expect(failed).toMatchObject({ level: 'error', status: 500, route: '/orders/fail/now' })
    expect(nothing).toMatchObject({ message: 'No request', status: 400, cause: 'parser' })
    expect(more).toEqual([])
  })

  it('contains the method HEAD if a GET route handles a HEAD request', async () => {
    const { lines } = captureStdout()
    const { app, send, port } = await serve({ logs: true })
    for (const method of ['HEAD', 'GET', 'HEAD']) {
      if (method === 'GET') await send('/orders/7')
      else
        await rawExchange(port, 'HEAD /orders/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    }
    await app.close()
    expect(lines().map(({ method, message }) => [method, message])).toEqual([
      ['HEAD', 'HEAD /orders/:id'],
      ['GET', 'GET /orders/:id'],
      ['HEAD', 'HEAD /orders/:id'],
    ])
  })

  it('writes valid lines even if values contain line breaks, terminal codes or lone surrogates', async () => {
    const { text, lines } = captureStdout()
    const evil = '\u001b[2J\u2028\ud800\u009b31m\r\n{"level":"fatal"}\r\n'
    const evilIn: Plugin = {
      name: 'evil',
      middlewares: [
        (req: Request, _res: unknown, next: () => void) => {
          Object.assign(req, { id: evil, originalUrl: `/${evil.repeat(100)}` })
          req.headers['user-agent'] = evil.repeat(100)
          req.user = { id: evil.repeat(10) }
          runWithTenant('acme', next)
        },
      ],
    }
    const fields = ({ req }: { req: Request | null }) => ({ agent: req?.headers['user-agent'] })
    const { app, send } = await serve({ logs: { fields }, tenant: {}, plugins: [evilIn] })
    const count = 300
    for (let i = 0; i < count; i++) await send(i % 2 === 0 ? `/no/${i}` : `/orders/${i}`)
    await app.close()
    expect(text().length).toBeGreaterThan(1024 * 1024)
    expect(lines()).toHaveLength(count)
    for (const character of ['\r', '\u001b', '\u2028', '\u009b', '\ufffd']) {
      expect(text()).not.toContain(character)
    }
    expect(lines()[0]).toMatchObject({ level: 'info', requestId: evil })
  })

  it('escapes line breaks and terminal codes in the format `pretty`', async () => {
    const { text } = captureStdout()
    const { app, send } = await serve({
      logger: { pretty: true },
      logs: { fields: () => ({ agent: 'a\r\n12:00 ERROR forged\u001b[31m' }) },
    })
    await send('/orders/7')
    await send('/orders/fail/now')
    await app.close()
    const all = text().split('\n')
    expect(all[0]).toMatch(/^[\d:.]{12} INFO {2}GET \/orders\/:id method=GET route=.* status=200 /)
    expect(all[0]).toContain('agent=a\\r\\n12:00 ERROR forged\\u001b[31m')
    expect(all.filter((line) => line.startsWith('12:00'))).toEqual([])
    expect(text()).not.toContain('\u001b')
    expect(text()).toMatch(/\n {4}Error: a bug\n {6}at /)
  })

  it('writes to a pino-compatible logger, and skips levels that the logger lacks', async () => {
    const entries: unknown[] = []
    const write = (level: string) => (facts: object, message: string) =>
      void entries.push({ level, message, ...facts })
    const logger: Logger = { info: write('info'), warn: write('warn'), error: write('error') }
    const level = ({ status }: { status: number | null }) => (status === 404 ? 'debug' : 'warn')
    const { app, send } = await serve({ logger, logs: { level } })
    await send('/orders/7')
    await send('/nowhere')
    await app.close()
    expect(entries).toMatchObject([{ level: 'warn', message: 'GET /orders/:id', status: 200 }])
  })

  it('contains status 400 for a malformed body in the inner and in the outer application', async () => {
    const entries: object[] = []
    const write = (facts: object) => void entries.push(facts)
    const shared = { logs: true, logger: { info: write, warn: write, error: write } }
    @Controller('echo')
    class EchoController {
      @Post() echo(req: Request) {
        return req.body
      }
    }
    const inner = await App.create({ ...shared, controllers: [EchoController] })
    onTestFinished(() => inner.close())
    const { app, port } = await serve({ ...shared, middlewares: [inner.handler] })
    const head = 'Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const response = await rawExchange(port, `POST /echo HTTP/1.1\r\n${head}no size\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    await app.close()
    const refused = { status: 400, cause: 'parser' }
    expect(entries).toMatchObject([refused, refused])
    expect(entries.filter((facts) => 'aborted' in facts)).toEqual([])
  })

  it('contains the status null for pipelined responses that were never sent', async () => {
    const entries: object[] = []
    const write = (facts: object) => void entries.push(facts)
    let begin: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    @Controller('wait')
    class WaitController {
      @Get('for/ever') wait() {
        return new Promise(() => {})
      }
      @Get('next') next() {
        setImmediate(begin)
        return 'next'
      }
    }
    const logger = { info: write, warn: write, error: write }
    const { app, port } = await serve({ logs: true, logger, controllers: [WaitController] })
    const socket = connect(port, '127.0.0.1')
    socket.write(
      ['for/ever', 'next'].map((p) => `GET /wait/${p} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    )
    await begun
    socket.destroy()
    while (entries.length < 2) await new Promise((resolve) => setImmediate(resolve))
    await app.close()
    const left = { status: null, aborted: true, bytes: 0 }
    expect(entries).toMatchObject([left, left])
  })

  it('still calls a custom `res.emit` of the outer Express application', async () => {
    const events: string[] = []
    const inner = await App.create({
      controllers: [OrdersController],
      auth: { guard },
      logs: true,
      logger: false,
    })
    onTestFinished(() => inner.close())
    const host = express()
    host.use((_req, res, next) => {
      const { emit } = res
      res.emit = (event: string, ...args: unknown[]) => {
        events.push(event)
        return emit.call(res, event, ...args)
      }
      next()
    })
    host.use(inner.handler)
    host.use((_req, res) => void res.end('host'))
    const server = host.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (const path of ['/orders/7', '/elsewhere']) {
      events.length = 0
      await fetch(`http://127.0.0.1:${port}${path}`).then((response) => response.text())
      expect(events).toContain('finish')
    }
  })

  it('is off in a TestApp by default, and fills `app.logs` if it is enabled', async () => {
    const silent = await TestApp.create({ controllers: [OrdersController], auth: { guard } })
    await silent.request().get('/orders/7')
    await silent.close()
    expect(silent.logs).toEqual([])
    const app = await TestApp.create({
      controllers: [OrdersController],
      auth: { guard },
      logs: true,
    })
    await app.request().get('/orders/7')
    await app.close()
    expect(app.logs).toMatchObject([
      { level: 'info', message: 'GET /orders/:id', facts: { status: 200, route: '/orders/:id' } },
    ])
  })

  it('causes a boot error if its options are invalid', async () => {
    const wrong = {
      logs: { levels: 1, fields: 'x' } as never,
      logger: { level: 'loud', redact: [1], pretty: 1 } as never,
    }
    await expect(App.create(wrong)).rejects.toThrow(
      /logs\.levels[\s\S]*logger\.level[\s\S]*logger\.redact[\s\S]*logger\.pretty[\s\S]*logs\.fields/,
    )
    await expect(App.create({ logs: 'yes' as never })).rejects.toThrow(/Pass true, false, or/)
    await expect(App.create({ logger: { infos() {} } as never })).rejects.toThrow(/logger\.infos/)
  })
})

describe('the built-in logger', () => {
  it('redacts the request fields that are listed in `redact`', async () => {
    const { lines } = captureStdout()
    const { app, send } = await serve({ logs: true, logger: { redact: ['user', 'path'] } })
    await send('/orders/of/me', 'X-User: u1\r\n')
    await send('/nowhere')
    await app.close()
    expect(lines()).toMatchObject([
      { route: '/orders/of/me', user: '[redacted]', status: 200 },
      { path: '[redacted]', status: 404 },
    ])
  })

  it('writes lines even if reading req.user throws, and shortens a long req.id', async () => {
    const { lines } = captureStdout()
    const odd: Plugin = {
      name: 'odd',
      middlewares: [
        (req: Request, _res: unknown, next: () => void) => {
          const get = () => {
            throw new Error('no user')
          }
          Object.defineProperty(req, 'user', { get })
          Object.assign(req, { id: 'r'.repeat(200) })
          next()
        },
      ],
    }
    const { app, send } = await serve({ logs: true, plugins: [odd] })
    const { body } = await send('/orders/fail/now').then((text) => ({ body: String(text) }))
    await app.close()
    const ids = new Set(lines().map(({ requestId }) => requestId))
    expect([...ids]).toEqual(['r'.repeat(128)])
    expect(body).toContain(`"${'r'.repeat(128)}"`)
  })

  it('logs all messages of an AggregateError, even if the body schema has a secret field', async () => {
    const { lines } = captureStdout()
    const Secret = { type: 'object', properties: { message: { type: 'string', secret: true } } }
    @Controller('aggregate')
    class AggregateController {
      @Post() @Body(Secret) post() {
        throw new AggregateError([new Error('ECONNREFUSED ::1')], 'all')
      }
    }
    const { app, port } = await serve({ logger: {}, controllers: [AggregateController] })
    await fetch(`http://127.0.0.1:${port}/aggregate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"hunter22"}',
    })
    await app.close()
    const err = { message: 'all', errors: [{ message: 'ECONNREFUSED ::1' }] }
    expect(lines()).toMatchObject([{ level: 'error', err }])
  })

  it('writes lines of the level info and above, and redacts the fields in `redact`', async () => {
    const { lines } = captureStdout()
    const secrets = { password: 'p', list: [{ card: { number: 1, name: 'n' } }], number: 2 }
    const headers = { Authorization: 'a', cookie: 'c', 'Set-Cookie': ['s'], host: 'h' }
    const writer: Plugin = {
      name: 'writer',
      setup({ logger }) {
        logger.debug?.({}, 'not written')
        logger.info({ ...secrets, headers, level: 'fatal', at: new Date(0) }, 'facts')
        const loop: { self?: unknown } = {}
        loop.self = loop
        const odd = { big: 1n, loop, bytes: Buffer.alloc(9), none: undefined, run() {} }
        logger.warn(
          {
            ...odd,
            get boom() {
              throw new Error('x')
            },
          },
          'odd',
        )
        logger.error({ err: new Error('e', { cause: { password: 'p' } }) }, 'failed')
        logger.fatal?.({}, 'over')
      },
    }
    const { app, send } = await serve({
      logger: { redact: ['password', 'card.number'] },
      plugins: [writer],
    })
    await send('/orders/7')
    await app.close()
    const [facts, odd, failed, over, ...more] = lines()
    expect(facts).toMatchObject({
      level: 'info',
      level_: 'fatal',
      at: '1970-01-01T00:00:00.000Z',
      password: '[redacted]',
      list: [{ card: { number: '[redacted]', name: 'n' } }],
      number: 2,
      headers: {
        Authorization: '[redacted]',
        cookie: '[redacted]',
        'Set-Cookie': '[redacted]',
        host: 'h',
      },
    })
    expect(odd).toMatchObject({
      big: '1',
      loop: { self: '[circular]' },
      bytes: '[9 bytes]',
      boom: '[unreadable]',
    })
    expect(failed).toMatchObject({ err: { message: 'e', cause: { password: '[redacted]' } } })
    expect(over).toMatchObject({ level: 'fatal', message: 'over' })
    expect(more).toEqual([])
  })
})
