import { createServer, request } from 'node:http'
import http2, { type ClientHttp2Session } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { App, Controller, Get, JsonLines, type Logger } from 'blazon'
import express from 'express'
import inject from 'light-my-request'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from '../express/support.js'
import { gate } from '../gate.js'
import { ADAPTERS, type Answered, EVENTS } from './events.js'

const Line = z.object({ line: z.number() })

@Controller('lines')
class LinesController {
  @Get()
  @JsonLines(Line)
  async *lines() {
    yield { line: 1 }
    yield { line: 2 }
  }

  @Get('broken')
  @JsonLines(Line)
  async *broken() {
    yield { line: 1 }
    throw new Error('The second line cannot be read')
  }
}

/** A logger that keeps its errors. */
function loggerOfTest() {
  const lines: { err?: unknown; message: string }[] = []
  const logger: Logger = {
    info() {},
    warn() {},
    error: (facts, message) => void lines.push({ ...facts, message }),
  }
  return { lines, logger }
}

const apps = appsOfTest()
const appOf = (logger: Logger | false = false) =>
  apps.track(new App({ controllers: [LinesController], logger, timeouts: { close: '10ms' } }))

const NAMES = Object.keys(ADAPTERS)
const call = (name: string, handler: App['handler'], path: string) =>
  ADAPTERS[name]?.(handler)(EVENTS['version 2.0']?.({ path }) ?? {}, {}) as Promise<Answered>

describe('a failed startup', () => {
  const failure = new Error('The database has no tables')
  const UNAVAILABLE = {
    statusCode: 'error',
    status: 503,
    message: 'Service Unavailable',
    code: 'SERVICE_UNAVAILABLE',
  }

  function failing(before: Promise<unknown> = Promise.resolve()) {
    const { lines, logger } = loggerOfTest()
    const useFactory = () =>
      before.then(() => {
        throw failure
      })
    return { lines, app: new App({ providers: [{ token: 'tables', useFactory }], logger }) }
  }

  it.each(NAMES)('results in a 503 response and a log line through %s', async (name) => {
    const { app, lines } = failing()
    const { statusCode, body } = await call(name, app.handler, '/lines')
    expect([statusCode, JSON.parse(body)]).toEqual([503, UNAVAILABLE])
    expect(lines).toMatchObject([
      { message: 'The application did not start', err: { cause: failure } },
    ])
  })

  it('results in a 503 response to each request on a server', async () => {
    const { app } = failing()
    const port = await apps.serving(createServer(app.handler))
    for (const path of ['/lines', '/other']) {
      const { status, headers, text } = await send(port, { path })
      expect([status, JSON.parse(text)]).toEqual([503, UNAVAILABLE])
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })

  it('is passed as an error to an Express host', async () => {
    const { app } = failing()
    const errors: unknown[] = []
    const host = express().use(app.handler)
    host.use(((error, _req, res, _next) => {
      errors.push(error)
      res.status(599).end()
    }) as express.ErrorRequestHandler)
    const { status } = await send(await apps.serving(createServer(host)), { path: '/lines' })
    expect([status, errors]).toMatchObject([599, [{ cause: failure }]])
  })

  it('causes no response to a client that has disconnected', async () => {
    const started = gate()
    const { app, lines } = failing(started.opened)
    const gone = gate()
    const server = createServer((req, res) => {
      res.once('close', gone.open)
      app.handler(req, res)
      client.destroy()
    })
    const client = request({ port: await apps.serving(server), host: '127.0.0.1' })
    client.on('error', () => {}).end()
    await gone.opened
    started.open()
    await expect(app.init()).rejects.toThrow()
    expect(lines).toHaveLength(1)
  })
})

describe('an HTTP/2 server', () => {
  async function sessionOf(handler: App['handler']): Promise<ClientHttp2Session> {
    // The types of both protocols have the same parts, but different classes.
    const server = http2.createServer(handler as never)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      session.destroy()
      server.close()
    })
    return session
  }

  async function get(session: ClientHttp2Session) {
    const stream = session.request({ ':path': '/lines' })
    const head = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) => {
      stream.on('response', resolve).on('error', reject)
    })
    return { status: head[':status'], body: JSON.parse(await text(stream)) }
  }

  it('responds with 505 to each request, and logs one line with the remedy', async () => {
    const { lines, logger } = loggerOfTest()
    const session = await sessionOf(appOf(logger).handler)
    for (let i = 0; i < 2; i++) {
      expect(await get(session)).toEqual({
        status: 505,
        body: {
          statusCode: 'error',
          status: 505,
          message: 'HTTP Version Not Supported',
          code: 'HTTP_VERSION_NOT_SUPPORTED',
        },
      })
    }
    expect(lines).toMatchObject([{ message: expect.stringContaining('a proxy') }])
  })

  it('responds with 503 if startup has failed', async () => {
    const providers = [{ token: 'missing', useExisting: 'nothing' }]
    const session = await sessionOf(new App({ providers, logger: false }).handler)
    expect(await get(session)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
  })

  it('is not confused with an HTTP/1 server that receives the version number 2.0', async () => {
    const port = await apps.serving(createServer(appOf().handler))
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /lines HTTP/2.0\r\nHost: a.example\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
})

describe('a stream that is cut off', () => {
  it.each(['serverless-http', 'light-my-request'])('causes an error in %s', async (name) => {
    const { handler } = appOf()
    const called =
      name === 'light-my-request'
        ? inject(handler, '/lines/broken')
        : call(name, handler, '/lines/broken')
    await expect(called).rejects.toThrow()
  })

  it.each(NAMES.slice(1))('results in a 500 response from %s', async (name) => {
    const log = console.error
    onTestFinished(() => {
      console.error = log
    })
    console.error = () => {}
    const { statusCode } = await call(name, appOf().handler, '/lines/broken')
    expect(statusCode).toBe(500)
  })

  it('does not delay close()', async () => {
    const app = new App({
      controllers: [LinesController],
      logger: false,
      timeouts: { close: '1h' },
    })
    await call('serverless-http', app.handler, '/lines/broken').catch(() => {})
    await app.close()
  })
})

describe('a stream through light-my-request', () => {
  it('starts with the head, before the end of the body', async () => {
    const { handler } = appOf()
    const response = await inject(handler, { url: '/lines', payloadAsStream: true })
    expect(response.headers).toMatchObject({
      'content-type': 'application/jsonl',
      'x-frame-options': 'SAMEORIGIN',
    })
    expect(await text(response.stream())).toBe('{"line":1}\n{"line":2}\n')
  })
})
