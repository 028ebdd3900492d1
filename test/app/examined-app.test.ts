import {
  App,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type Plugin,
  Post,
  RateLimit,
  type RequestHandler,
  Tenant,
} from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { turns } from '../journeys/turns.js'
import { readApp } from './read-app.js'

@Controller('orders')
class OrdersController {
  @Get(':id') get() {
    return {}
  }

  @Post() create() {
    return {}
  }
}

@RateLimit({ limit: 5, window: '1m' })
@Controller('limited')
class LimitedController {
  @Get() list() {
    return []
  }
}

@Tenant()
@Controller('owned')
class OwnedController {
  @Get() list() {
    return []
  }
}

const controllers = defineControllers(OrdersController)
const examine = async (options: AppOptions) =>
  await (await readApp({ controllers, ...options })).description.examine()
const problemsOf = async (options: AppOptions) => (await examine(options)).problems
const codesOf = async (options: AppOptions) =>
  (await problemsOf(options)).map(({ code, subject }) => `${code} ${subject}`)

const limit = { limit: 5, window: '1m' } as const
const onError = () => {}

describe('an application that is only read', () => {
  it('is described without being started, even if the program calls listen()', async () => {
    let isSetUp = false
    const setup = () => {
      isSetUp = true
    }
    const options: AppOptions = {
      controllers,
      plugins: [{ name: 'p', setup }],
      unknown: 1,
    } as never
    const { app, description, starting } = await readApp(options)
    const before = process.listenerCount('SIGTERM')
    let isSettled = false
    for (const started of [app.listen(0, { signals: true }), app.init()])
      void started.finally(() => {
        isSettled = true
      })
    await turns()
    expect([starting, isSettled, isSetUp]).toEqual([[app, app], false, false])
    expect(process.listenerCount('SIGTERM')).toBe(before)
    expect(description.options()).toBe(options)
    expect(description.routes()).toEqual(app.getRouteTable())
    expect(description.documents()[0]?.document).toBe(app.document)
    expect(description.warnings()).toMatchObject([{ code: 'W_OPTION_UNKNOWN' }])
  })

  it('does not affect applications that are constructed afterwards', async () => {
    await readApp({})
    const app = await App.create({ logger: false })
    await app.close()
  })
})

describe('the examination of the options for production', () => {
  it.each<[string, AppOptions]>([
    ['W_LOGGER_OFF logger', { logger: false }],
    ['W_LOGGER_OFF logger', { logger: { level: 'silent' } }],
    ['W_PROXY_UNSET rateLimit', { rateLimit: limit }],
    ['W_PROXY_UNSET rateLimit', { controllers: [LimitedController] }],
    ['W_PROXY_UNSET rateLimit', { rateLimit: { policies: [{ ...limit, by: 'user' }, limit] } }],
    ['W_REQUEST_ID_TRUSTED trustRequestId', { trustRequestId: true }],
    ['W_REQUEST_ID_TRUSTED trustRequestId', { trustRequestId: true, trustProxy: false }],
    ['W_HELMET_OFF helmet', { security: { helmet: false } }],
    ['W_HANDLER_UNLIMITED handler', { timeouts: { handler: false } }],
  ])('finds %s: %j', async (found, options) => {
    expect(await codesOf(options)).toEqual([found])
  })

  it.each<[string, AppOptions]>([
    ['the defaults', {}],
    ['a silent logger with onError', { logger: false, onError }],
    ['a logger for errors', { logger: { level: 'error' } }],
    ['a limit for each user', { rateLimit: { ...limit, by: 'user' } }],
    ['a limit behind a declared proxy', { rateLimit: limit, trustProxy: 1 }],
    ['a limit for direct clients', { rateLimit: limit, trustProxy: false }],
    ['a limit that is off', { controllers: [LimitedController], rateLimit: false }],
    ['request IDs of a declared proxy', { trustRequestId: true, trustProxy: 'loopback' }],
  ])('finds nothing for %s', async (_, options) => {
    expect(await codesOf(options)).toEqual([])
  })

  it('names the limit that applies to each address', async () => {
    const [problem] = await problemsOf({ rateLimit: { ...limit, name: 'guests' } })
    expect(problem?.cause).toContain("The limit 'guests' applies to each client address")
  })
})

describe('the examination of an application', () => {
  it('finds the problems that boot would report, with the routes of plugins', async () => {
    const routes = () => [{ path: '/api-docs', handle() {} }]
    const found = await codesOf({
      ...({ unknown: 1 } as object),
      plugins: [{ name: 'p', routes } as unknown as Plugin],
      testOverrides: [{ token: 'a', useValue: 1 }],
    })
    expect(found).toEqual([
      'W_OPTION_UNKNOWN unknown',
      "E_ROUTE_DUPLICATE plugin 'p'",
      'W_OVERRIDE_IGNORED testOverrides',
    ])
  })

  it('shows whether requests have tenants, by the option or by a route', async () => {
    expect((await examine({})).usesTenants).toBe(false)
    expect((await examine({ tenant: {} })).usesTenants).toBe(true)
    expect((await examine({ controllers: [OwnedController] })).usesTenants).toBe(true)
  })
})

const end: RequestHandler = (_req, res) => void res.end()
const pass: RequestHandler = (_req, _res, next) => next()
const router = () => express.Router()

describe('the examination of routers in `middlewares`', () => {
  it.each<[string, Middleware]>([
    ['a route for all paths', router().get('/*rest', end)],
    ['a route for all methods', router().all('/{*rest}', end)],
    ['a route with a regular expression', router().get(/.*/, end)],
    ['a router at the path of the route', router().use('/orders', end)],
    ['a nested router', router().use(router().get('/*rest', pass, end))],
    ['an Express application', express().get('/*rest', end) as never],
  ])('finds a handler that hides a route: %s', async (_, hiding) => {
    const problems = await problemsOf({ middlewares: [pass, hiding] })
    const hides = problems.find(({ code }) => code === 'W_MIDDLEWARE_HIDES_ROUTE')
    expect(hides?.subject).toBe('middlewares[1]')
    expect(hides?.cause).toContain('responds to GET /orders/:id, so the request never reaches')
    expect(hides?.cause).toContain('OrdersController.get')
  })

  it.each<[string, Middleware]>([
    ['a route with a specific path', router().get('/orders/:id', end)],
    ['a route for another method', router().put('/*rest', end)],
    ['a handler with the parameter next', router().get('/*rest', pass)],
    ['a handler at another path', router().use('/legacy', end)],
    ['a plain middleware', pass],
  ])('finds nothing for %s', async (_, middleware) => {
    expect(await codesOf({ middlewares: [middleware] })).toEqual([])
  })

  it('counts all routes that one handler hides, and reports each handler of all requests only once', async () => {
    const both = router().all('/*rest', end)
    const [hides, ...others] = await problemsOf({ middlewares: [both] })
    expect(hides?.cause).toMatch(/reaches OrdersController\.get\. In total, 2 routes are hidden\.$/)
    expect(others).toEqual([])
    expect(await codesOf({ middlewares: [router().use(end)] })).toEqual([
      'W_MIDDLEWARE_DEAD_END middlewares[0]',
    ])
  })
})
