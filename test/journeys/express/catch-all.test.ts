import { createServer } from 'node:http'
import {
  App,
  type AppOptions,
  ConfigError,
  Controller,
  createTenantMiddleware,
  defineControllers,
  ForbiddenError,
  Get,
  type Middleware,
  NotFoundError,
  Options,
  type RequestHandler,
} from 'blazon'
import express from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bootWarnings } from '../../support.js'
import { appsOfTest, send } from './support.js'

@Controller('orders')
class OrdersController {
  @Get(':id')
  get() {
    return 'ours'
  }
}

const controllers = defineControllers(OrdersController)
const pass: RequestHandler = (_req, _res, next) => next()
const end = (_req: unknown, res: express.Response) => void res.status(404).json({ legacy: true })

/** A catch-all as in most applications: it has a `next` parameter, but does not call it. */
const notFound: RequestHandler = (_req, res, _next) => res.status(404).json({ legacy: true })

describe('the warning W_MIDDLEWARE_DEAD_END', () => {
  const nested = express.Router().use(pass, express.Router().use(end))
  const ends: Record<string, Middleware> = {
    'a middleware with two parameters': end as Middleware,
    'a middleware with one parameter': (req: { res: express.Response }) => void req.res.end(),
    'a router that ends with a middleware with two parameters': express
      .Router()
      .get('/a', pass)
      .use(end),
    'a router whose nested router never calls next()': nested,
    'an Express application that never calls next()': express()
      .use(express.json())
      .use(end) as never,
  }

  it.each(Object.entries(ends))('is logged for %s', async (name, middleware) => {
    const found = await bootWarnings({ controllers, middlewares: [pass, middleware] })
    expect(found).toMatchObject([{ code: 'W_MIDDLEWARE_DEAD_END' }])
    expect(found[0]?.text).toContain('middlewares[1]')
    expect(found[0]?.text).toContain('the routes (1)')
    const own = name.startsWith('a middleware') ? 'It has' : 'One of its handlers has'
    expect(found[0]?.text).toContain(`${own} no parameter \`next\``)
  })

  it('is logged for a middleware of a plugin, and is a boot error with `strict: true`', async () => {
    const plugins = [{ name: 'legacy', middlewares: [end as Middleware] }]
    const found = await bootWarnings({ controllers, plugins })
    expect(found[0]?.text).toContain("plugin 'legacy', middlewares[0]")
    const strict = { controllers, plugins, strict: true, logger: false } as const
    await expect(App.create(strict)).rejects.toThrow(ConfigError)
  })

  const goOn: Record<string, Middleware> = {
    'a middleware with a `next` parameter': pass,
    'a middleware with only a rest parameter': (...all: Parameters<RequestHandler>) => pass(...all),
    'a middleware with a rest parameter for `next`': (
      req: unknown,
      ...rest: [unknown, () => void]
    ) => pass(req, ...rest),
    'a middleware whose `next` has a default value': (
      req: unknown,
      res: unknown,
      done = () => {},
    ) => pass(req, res, done),
    'a middleware that calls req.next()': (req: { next(): void }) => req.next(),
    'a middleware that uses `arguments`': function (_req: unknown) {
      // biome-ignore lint/complexity/noArguments: older middlewares use it
      pass(...(arguments as unknown as Parameters<RequestHandler>))
    },
    'an error middleware': (_error: unknown, _req: unknown, _res: unknown, next: () => void) =>
      next(),
    'a bound middleware': pass.bind(null) as Middleware,
    'a router that ends requests only below a path': express.Router().use('/legacy', end),
    'a router with routes': express.Router().get('/legacy', end).all('/', end),
    'another App': (req, res, next) => new App({ logger: false }).handler(req, res, next),
  }

  it.each(Object.entries(goOn))('is not logged for %s', async (_, middleware) => {
    expect(await bootWarnings({ controllers, middlewares: [middleware] })).toEqual([])
  })

  it('is not logged if the application has no routes', async () => {
    expect(await bootWarnings({ middlewares: [end as Middleware] })).toEqual([])
  })
})

describe('the warning W_MIDDLEWARE_HIDES_ROUTE', () => {
  const apps = appsOfTest('off')
  afterEach(() => vi.unstubAllEnvs())

  async function start(options: AppOptions) {
    const lines: { code?: string; text: string }[] = []
    const warn = (facts: object, text: string) => void lines.push({ ...facts, text })
    const logger = { info() {}, warn, error() {} }
    const { port } = await apps.listening({ controllers, ...options, logger })
    const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) =>
      (await send(port, { path, method, headers })).status
    return { ask, lines }
  }

  const later: RequestHandler = (req, res, next) => setTimeout(() => notFound(req, res, next), 1)
  const hiding: Record<string, Middleware> = {
    'an Express application that responds to all paths': express()
      .get('/legacy', pass)
      .use(notFound) as never,
    'a router that responds later': express.Router().use(later),
    'a route for all paths': express.Router().all('/*path', notFound),
    'a route with a regular expression': express.Router().get(/.*/, notFound),
  }

  it.each(Object.entries(hiding))(
    'is logged once with the middleware and the route: %s',
    async (_, entry) => {
      const { ask, lines } = await start({ middlewares: [pass, entry] })
      expect([await ask('/none'), lines]).toEqual([404, []])
      expect([await ask('/orders/secret'), await ask('/orders/2'), await ask('/api-docs')]).toEqual(
        [404, 404, 404],
      )
      expect(lines).toMatchObject([{ code: 'W_MIDDLEWARE_HIDES_ROUTE' }])
      expect(lines[0]?.text).toContain('middlewares[1]')
      expect(lines[0]?.text).toContain('GET /orders/:id')
      expect(lines[0]?.text).toContain('host.use(app.handler)')
      expect(lines[0]?.text).not.toContain('secret')
    },
  )

  const serveFiles = express.static('/none', { fallthrough: false }) as RequestHandler
  const spa: RequestHandler = (_req, res, _next) => void res.send('<app>')
  const answering: Record<string, [Middleware, string]> = {
    'a middleware that sends 200': [
      spa,
      'The middleware spa responded to GET /orders/:id with 200',
    ],
    'a middleware that sends 404': [notFound, 'notFound responded to GET /orders/:id with 404'],
    'express.static without fallthrough': [
      serveFiles,
      'serveStatic responded to GET /orders/:id with 404',
    ],
    'a middleware that responds later': [
      (req, res, next) => setImmediate(() => spa(req, res, next)),
      'It responded to GET /orders/:id with 200',
    ],
    'a middleware that throws a 404 error': [
      async function guarding() {
        throw new NotFoundError()
      },
      'guarding responded to GET /orders/:id with 404',
    ],
    'a router that calls next() with a 404 error': [
      express.Router().use((_req, _res, next) => next(new NotFoundError())),
      'It responded to GET /orders/:id with 404',
    ],
    'an application that sends 200': [
      express().use((_req, res) => void res.send('<app>')) as never,
      'It responded to GET /orders/:id with 200',
    ],
  }

  it.each(Object.entries(answering))('is logged for %s', async (_, [entry, text]) => {
    const { ask, lines } = await start({ middlewares: [pass, entry] })
    await ask('/none')
    expect(lines.filter(({ code }) => code === 'W_MIDDLEWARE_HIDES_ROUTE')).toEqual([])
    for (const id of [1, 2]) await ask(`/orders/${id}`)
    const found = lines.filter(({ code }) => code === 'W_MIDDLEWARE_HIDES_ROUTE')
    expect(found).toHaveLength(1)
    expect(found[0]?.text).toContain('middlewares[1]')
    expect(found[0]?.text).toContain(text)
  })

  it('is logged in production only for routers that send 404', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    for (const entry of [spa, notFound, express.Router().use(spa)]) {
      const { ask, lines } = await start({ middlewares: [entry], swagger: false })
      await ask('/orders/1')
      expect(lines).toEqual([])
    }
    const { ask, lines } = await start({
      middlewares: [pass, express.Router().use(notFound)],
      swagger: false,
    })
    await ask('/orders/1')
    expect(lines).toMatchObject([{ code: 'W_MIDDLEWARE_HIDES_ROUTE' }])
  })

  const refusing: Record<string, RequestHandler> = {
    '401': (_req, res, _next) => res.status(401).end(),
    'a 403 error': (_req, _res, next) => next(new ForbiddenError()),
    'a redirect': (_req, res, _next) => res.redirect('/login'),
    '304': (_req, res, _next) => res.status(304).end(),
    '500': () => {
      throw new Error('x')
    },
    '503': (_req, res, _next) => res.status(503).end(),
  }
  it.each(Object.entries(refusing))(
    'is not logged if a middleware responds with %s',
    async (_, entry) => {
      const { ask, lines } = await start({ middlewares: [entry] })
      await ask('/orders/1')
      expect(lines).toEqual([])
    },
  )

  it('is not logged for OPTIONS requests, or if no route has the method of the request', async () => {
    @Controller('orders')
    class WithOptions {
      @Options()
      options() {}
    }
    const { ask, lines } = await start({
      controllers: [OrdersController, WithOptions],
      middlewares: [spa],
    })
    await ask('/orders', 'OPTIONS')
    await ask('/orders/1', 'POST')
    expect(lines).toEqual([])
  })

  it('is not logged for a route that an earlier request has reached', async () => {
    let stored = false
    const storing: RequestHandler = (_req, res, next) => {
      if (stored) return res.send('stored')
      stored = true
      next()
    }
    const { ask, lines } = await start({ middlewares: [storing] })
    expect([await ask('/orders/1'), await ask('/orders/1'), lines]).toEqual([200, 200, []])
  })

  it('is not logged for a route that matches all paths', async () => {
    @Controller()
    class Fallbacks {
      @Get('*path')
      page() {
        return 'page'
      }

      @Get(':name')
      named() {
        return 'named'
      }
    }
    const files: RequestHandler = (req, res, next) => {
      if (req.path.endsWith('.js')) res.send('file')
      else next()
    }
    const controllers = defineControllers(Fallbacks)
    const { ask, lines } = await start({ controllers, middlewares: [files] })
    for (const path of ['/app.js', '/assets/app.js', '/page']) expect(await ask(path)).toBe(200)
    expect(lines.map(({ code }) => code)).toEqual(['W_PATH_INDISTINCT'])
  })

  it('is not logged if an error middleware continues to the route', async () => {
    const failing: RequestHandler = (_req, _res, next) => next(new NotFoundError())
    const goOn: Middleware = (_error: unknown, _req: unknown, _res: unknown, next: () => void) =>
      next()
    const { ask, lines } = await start({ middlewares: [failing, goOn] })
    expect([await ask('/orders/1'), lines]).toEqual([200, []])
  })

  it('is not logged if an unknown tenant results in a 404 response', async () => {
    const store = { find: () => null }
    const inRouter = express.Router().use(createTenantMiddleware({ store }))
    for (const entry of [createTenantMiddleware({ store }), inRouter]) {
      const { ask, lines } = await start({ middlewares: [entry] })
      const headers = { 'x-tenant-id': 'nobody' }
      expect([await ask('/orders/1', 'GET', headers), lines]).toEqual([404, []])
    }
  })

  it('is logged for a HEAD request to the documentation', async () => {
    const { ask, lines } = await start({ middlewares: [express().use(notFound) as never] })
    expect([await ask('/api-docs', 'HEAD'), lines.length]).toEqual([404, 1])
  })

  it('contains the index of the middleware in the whole list, including error middlewares', async () => {
    const onError: Middleware = (_error: unknown, _req: unknown, _res: unknown, next: () => void) =>
      next()
    const middlewares = [onError, pass, express.Router().use(notFound)]
    const { ask, lines } = await start({ middlewares })
    expect([await ask('/orders/1'), lines[0]?.text]).toEqual([
      404,
      expect.stringContaining('middlewares[2]'),
    ])
  })

  it('is not logged if a router at a path, or a route of a router, sends the 404 response', async () => {
    const files = express.Router().use('/files', express.static('/none'))
    const own = express.Router().get('/orders/:id', notFound)
    const passing = express.Router().use((_req, res, next) => {
      res.status(404)
      setImmediate(next)
    })
    const { ask, lines } = await start({ middlewares: [files, passing, own] })
    expect([await ask('/files/none'), await ask('/orders/1'), await ask('/none')]).toEqual([
      404, 404, 404,
    ])
    expect(lines).toEqual([])
  })

  it('is not logged if a controller responds with 404', async () => {
    @Controller('found')
    class FoundController {
      @Get()
      get(_req: unknown, res: express.Response) {
        res.status(404).end()
      }
    }
    const options = { controllers: defineControllers(FoundController) }
    const { ask, lines } = await start({ ...options, middlewares: [express.Router().use(pass)] })
    expect([await ask('/found'), lines]).toEqual([404, []])
  })

  it('is not logged if the App is mounted before the catch-all middleware', async () => {
    const lines: unknown[] = []
    const logger = { info() {}, warn: (...all: unknown[]) => void lines.push(all), error() {} }
    const app = apps.track(new App({ controllers, logger }))
    const legacy = express().get('/legacy', (_req, res) => void res.json('still here'))
    const host = express().use(app.handler).use(legacy).use(notFound)
    const port = await apps.serving(createServer(host))
    const ask = async (path: string) => (await send(port, { path })).status
    expect([await ask('/orders/1'), await ask('/api-docs/'), await ask('/legacy')]).toEqual([
      200, 200, 200,
    ])
    expect([await ask('/none'), lines]).toEqual([404, []])
  })
})
