import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { All, App, Controller, defineControllers, Get, Options, Post, type Request } from 'blazon'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { exchange, RawConnection, request } from './raw-connection.js'

const closing: (() => Promise<unknown>)[] = []
const ran: string[] = []

@Controller()
class RootController {
  @Get()
  root({ url, originalUrl, path, query }: Request) {
    ran.push('root')
    return { url, originalUrl, path, query }
  }

  @Get('ver')
  version() {
    ran.push('version')
    return 'version'
  }

  @Get('things/:id')
  thing({ url, originalUrl, path, params }: Request) {
    ran.push('thing')
    return { url, originalUrl, path, id: params.id }
  }

  @Post('things')
  create() {
    ran.push('create')
    return 'made'
  }
}

@Controller()
class OptionsController {
  @Options()
  options() {
    ran.push('options')
    return 'mine'
  }

  @All('all')
  all() {}
}

afterEach(async () => {
  ran.length = 0
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

function makeApp(options: ConstructorParameters<typeof App>[0] = {}): App {
  const controllers = defineControllers(RootController)
  const app = new App({ controllers, logger: false, timeouts: { close: '10ms' }, ...options })
  closing.push(() => app.close())
  return app
}

const ways: Record<string, (app: App) => Promise<number>> = {
  'with app.listen': async (app) => (await app.listen(0, '127.0.0.1')).port,
  handler: (app) => serve(app.handler),
  mounted: (app) => serve(express().use(app.handler)),
}

async function ask(port: number, target: string, host = 'localhost', method = 'GET') {
  const [answer] = await exchange(port, request(target, [`Host: ${host}`], { method }))
  if (answer === undefined) throw new Error('No response')
  return answer
}

describe.each(Object.entries(ways))('an absolute request target (App: %s)', (way, start) => {
  it.each([
    '/ver',
    '/a/../ver',
    '/./ver',
    '/%2e%2e/ver',
    '/%2E/ver',
    '/a/%2e%2e/ver',
    '/\\..\\ver',
    '/a\\..\\ver',
    '//ver',
    '/a//../ver',
    '/ver/..',
    '/ver/.',
    '/v%65r',
    '/ver%2f',
    '/ver?a=/../b',
    '/?/ver',
    '/things/a%2Fb',
    '/things/%2e%2e',
    '/things/..',
    '/things/%ff',
    '/../../ver',
  ])('matches the same route as its path alone: %s', async (path) => {
    const port = await start(makeApp())
    const byPath = await ask(port, path)
    const ranByPath = ran.splice(0)
    for (const [origin, host] of [
      ['http://localhost', 'localhost'],
      ['HTTP://LOCALHOST:80', 'localhost'],
      ['https://[::1]', '[::1]:443'],
    ] as const) {
      const absolute = await ask(port, origin + path, host)
      expect({ status: absolute.status, ran: ran.splice(0) }).toEqual({
        status: byPath.status,
        ran: ranByPath,
      })
    }
  })

  it('matches the root route with its query if it has no path', async () => {
    const port = await start(makeApp())
    for (const [target, query] of [
      ['http://localhost', {}],
      ['http://localhost?', {}],
      ['http://localhost?a=/ver', { a: '/ver' }],
    ] as const) {
      const answer = await ask(port, target)
      expect({ target, ran: ran.splice(0) }).toEqual({ target, ran: ['root'] })
      expect(JSON.parse(answer.text).data).toMatchObject({ query })
    }
  })

  it('keeps its path for the handler, and its origin only if the App is mounted', async () => {
    const port = await start(makeApp())
    const origin = way === 'mounted' ? 'http://localhost' : ''
    const { text } = await ask(port, 'http://localhost/things/%2E%2E?b=/../c')
    expect(JSON.parse(text).data).toEqual({
      id: '..',
      path: '/things/%2E%2E',
      url: `${origin}/things/%2E%2E?b=/../c`,
      originalUrl: `${origin}/things/%2E%2E?b=/../c`,
    })
  })

  it.each([
    'http://localhost/ver#x',
    'http://localhost#/ver',
    '/ver#x',
    'http://a@localhost/ver',
    'http://localhost%2fx/ver',
    'http:///ver',
    'http://evil.example?@localhost/ver',
  ])('is refused, and no handler runs: %s', async (target) => {
    const port = await start(makeApp())
    const { status, headers } = await ask(port, target)
    expect({ status, connection: headers['connection'], ran }).toEqual({
      status: 400,
      connection: 'close',
      ran: [],
    })
  })
})

describe('a request with the target *', () => {
  const ALLOWED = 'GET, HEAD, POST, OPTIONS'

  it.each(['with app.listen', 'handler'])(
    'results in the allowed methods of the App if its method is OPTIONS (App: %s)',
    async (way) => {
      const port = (await ways[way]?.(makeApp())) ?? 0
      // A proxy must send `OPTIONS *` for an absolute target without a path.
      for (const target of ['*', 'http://localhost']) {
        const { status, headers, text } = await ask(port, target, 'localhost', 'OPTIONS')
        expect({ status, allow: headers['allow'] }).toEqual({ status: 200, allow: ALLOWED })
        expect(JSON.parse(text)).toEqual({
          statusCode: 'success',
          status: 200,
          message: 'Allowed methods',
          data: { allow: ALLOWED.split(', ') },
        })
      }
      expect(ran).toEqual([])
    },
  )

  it('keeps the connection open, and runs middlewares but no handler', async () => {
    const urls: string[] = []
    const app = makeApp({
      controllers: defineControllers(OptionsController),
      middlewares: [(req, _res, next) => next(void urls.push(req.url))],
    })
    const { port } = await app.listen(0, '127.0.0.1')
    const connection = await RawConnection.open(port)
    const keep = ['Connection: keep-alive']
    connection.write(request('*', keep, { method: 'OPTIONS' }))
    connection.write(request('/', keep, { method: 'OPTIONS' }) + request('*', keep))
    await connection.ended()
    const answers = await connection.answers(3)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    const every = 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS'
    expect({ allow: answers[0]?.headers['allow'], urls, ran }).toEqual({
      allow: every,
      urls: ['*', '/'],
      ran: ['options'],
    })
  })

  it('is not treated as a CORS preflight request', async () => {
    const app = makeApp({ security: { cors: { origin: 'https://a.example' } } })
    const { port } = await app.listen(0, '127.0.0.1')
    const lines = ['Origin: https://a.example', 'Access-Control-Request-Method: GET']
    const [answer] = await exchange(port, request('*', lines, { method: 'OPTIONS' }))
    expect({ status: answer?.status, allow: answer?.headers['allow'] }).toEqual({
      status: 200,
      allow: ALLOWED,
    })
  })

  it('receives a response from an application without routes', async () => {
    const { port } = await makeApp({ controllers: [], swagger: false }).listen(0, '127.0.0.1')
    expect((await ask(port, '*', 'localhost', 'OPTIONS')).headers['allow']).toBe('OPTIONS')
  })

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])(
    'is passed on to the outer Express application: %s *',
    async (method) => {
      const host = express().use(makeApp().handler)
      const port = await serve(host.use((_req, res) => void res.status(299).end()))
      const [answer] = await exchange(port, request('*', [], { method }), { isHead: true })
      expect({ status: answer?.status, ran }).toEqual({ status: 299, ran: [] })
    },
  )
})
