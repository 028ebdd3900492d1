import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  getTenantId,
  publicRouter,
  type Request,
  type RequestHandler,
  tenantRouter,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { keepAlive, send } from './crowd.js'
import {
  ask,
  authorize,
  calls,
  ends,
  guard,
  legacy,
  mounted,
  passOn,
  sendTenant,
  start,
  useLegacyApp,
} from './legacy-app.js'
import { RowPool } from './row-pool.js'

useLegacyApp()

describe('a tenantRouter', () => {
  it('can be mounted in the middlewares of a plugin', async () => {
    await start({ plugins: [{ name: 'legacy', middlewares: mounted() }] })
    expect((await ask('/legacy/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/legacy/rows', 'ada', 'zeta')).status).toBe(403)
  })

  it('can be mounted in a router, and in an Express application', async () => {
    const router = express.Router().use('/a', tenantRouter(legacy()))
    const application = express().use('/b', tenantRouter(legacy()))
    await start({ middlewares: [router, application] })
    for (const path of ['/a/rows', '/b/rows']) {
      expect((await ask(path, 'ada', 'acme')).data.tenant).toBe('acme')
      expect((await ask(path, 'ada', 'zeta')).status).toBe(403)
    }
  })

  it('can wrap an Express application, whose requests have the fields of an App', async () => {
    const inner = express().get('/rows', (req, res) => {
      res.json({
        data: { base: req.baseUrl, signal: (req as Request).signal instanceof AbortSignal },
      })
    })
    await start({ middlewares: [tenantRouter(inner, { path: '/legacy' })] })
    const { data } = await ask('/legacy/rows', 'ada', 'acme')
    expect(data).toEqual({ base: '/legacy', signal: true })
    expect(inner.mountpath).toBe('/legacy')
  })

  it('can be mounted in several applications, which use their own guards', async () => {
    const shared = tenantRouter(legacy(), { path: '/legacy' })
    const other = await TestApp.create({
      auth: { guard: { canActivate: () => true } },
      tenant: {},
      middlewares: [shared],
    })
    ends.push(() => other.close())
    await start({ middlewares: [shared] })
    expect((await ask('/legacy/rows', 'ada', 'zeta')).status).toBe(403)
    const asZeta = other.with({ 'x-tenant-id': 'zeta' })
    expect((await asZeta.request().get('/legacy/rows')).body.data.tenant).toBe('zeta')
  })

  it('cannot be mounted in an Express application without an App', async () => {
    const router = tenantRouter(legacy())
    const plain = express()
      .use(router)
      .use(((error, _req, res, _next) => {
        res.json({ message: error.message })
      }) as express.ErrorRequestHandler)
    const server = createServer(plain).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    ends.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}/rows`)
    expect(await answer.json()).toEqual({
      message: expect.stringContaining('`middlewares` of an App'),
    })
    server.closeAllConnections()
  })

  it('causes a 500 if it is hidden inside a function and the App has no guard', async () => {
    const router = tenantRouter(legacy())
    const hidden: RequestHandler = (req, res, next) => router(req, res, next)
    await start({ middlewares: [hidden], auth: {}, tenant: {} })
    expect((await ask('/rows', 'ada', 'acme')).status).toBe(500)
    expect(calls).toEqual([])
  })
})

it('a tenantRouter keeps the tenant of concurrent requests in callbacks of a pool', async () => {
  const pool = new RowPool()
  const asks: RequestHandler = (_req, _res, next) => pool.query('any', () => next())
  const rows: RequestHandler = (_req, res) => {
    const found = getTenantId()
    pool.query(found, (_error, data) => res.json({ data, found }))
  }
  const router = express.Router().use(asks).get('/rows', asks, rows)
  const slow = {
    canActivate: (req: Request) =>
      new Promise<boolean>((resolve) => {
        pool.query('any', () => {
          req.user = { id: req.get('x-tenant-id') }
          resolve(true)
        })
      }),
  }
  const running = new App({
    logger: false,
    auth: { guard: slow },
    tenant: { authorize: (_req, id, user) => user?.['id'] === id },
    middlewares: [asks, tenantRouter(express.Router().use(asks, router), { path: '/legacy' })],
  })
  ends.push(() => running.close())
  const { port } = await running.listen(0, '127.0.0.1')
  const agent = keepAlive(25)
  ends.push(() => agent.destroy())
  const all = Array.from({ length: 300 }, async (_, index) => {
    const tenant = `tenant-${index % 20}`
    const headers = { 'x-tenant-id': tenant }
    const { body } = await send(port, agent, { path: '/legacy/rows', headers })
    return body?.found === tenant && body.data[0] === `row of ${tenant}` ? [] : [{ tenant, body }]
  })
  expect((await Promise.all(all)).flat()).toEqual([])
})

describe('the boot check of a tenantRouter', () => {
  const options: AppOptions = { auth: { guard }, tenant: { authorize } }

  it.each<[string, AppOptions, string]>([
    ['the tenant option', { auth: { guard } }, '`tenant`'],
    ['a guard', { tenant: { authorize } }, '`auth.guard`'],
  ])('requires %s', async (_, some, missing) => {
    const nested = express.Router().use('/x', tenantRouter(legacy()))
    for (const router of [...mounted(), nested]) {
      const problems = await bootProblems({ ...some, middlewares: [router] })
      expect(problems).toMatchObject([{ code: 'E_TENANT_ROUTER', subject: 'middlewares[0]' }])
      expect(problems[0]?.cause).toContain(missing)
    }
  })

  it.each([
    ['an object that is not a function', () => tenantRouter({} as never)],
    [
      'an error middleware',
      () => tenantRouter(((_a: unknown, _b: unknown, _c: unknown, _d: unknown) => {}) as never),
    ],
    ['a path without a slash', () => tenantRouter(legacy(), { path: 'legacy' })],
    ['a path that is not a string', () => tenantRouter(legacy(), { path: /legacy/ as never })],
    ['an object for publicRouter()', () => publicRouter({} as never)],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(TypeError)
  })

  it('warns about routers that handle requests outside tenantRouter(), and lists the paths', async () => {
    const router = express.Router().use('/v1', legacy())
    router.route('/v2/:id').post(sendTenant).all(sendTenant)
    const application = express()
      .get(['/a', '/b'], sendTenant)
      .use('/c', express().get('/d', sendTenant))
    const end: RequestHandler = (_req, res) => void res.end()
    const [first, second, third] = await bootWarnings({
      ...options,
      middlewares: [passOn, router, application],
      plugins: [
        {
          name: 'old',
          middlewares: [express.Router().use('/end', end)],
        },
      ],
    })
    expect([first, second, third].map((warning) => warning?.code)).toEqual(
      Array(3).fill('W_TENANT_ROUTER'),
    )
    expect(first?.text).toContain('middlewares[1]')
    expect(first?.text).toContain('GET /v1/rows, GET /v1/left, GET /v1/fails, POST|* /v2/:id')
    expect(second?.text).toContain('middlewares[2]')
    expect(second?.text).toContain('GET /a, GET /b, * /c')
    expect(third?.text).toContain("plugin 'old', middlewares[0]")
    expect(third?.text).toContain('* /end')
    const [whole] = await bootWarnings({ ...options, middlewares: [express.Router().use(end)] })
    expect(whole?.text).toContain('handles these requests itself: * /.')
  })

  it('warns about a router with the whole path of each route, if the path is known', async () => {
    const withoutNext = (req: Request) => void req.res?.end()
    const router = express.Router().use('/v1/', express.Router().get('/rows', sendTenant))
    router.use(/old/, express.Router().get('/rows', sendTenant)).use('/end', withoutNext as never)
    const [warning] = await bootWarnings({ ...options, middlewares: [router] })
    expect(warning?.text).toContain('itself: GET /v1/rows, GET (path unknown), * /end.')
  })

  it('lists at most five paths in its warning about a router', async () => {
    const withRoutes = (count: number) => {
      const router = express.Router()
      for (let index = 1; index <= count; index++) router.get(`/r${index}`, sendTenant)
      return router
    }
    const middlewares = [withRoutes(5), withRoutes(7)]
    const [five, seven] = await bootWarnings({ ...options, middlewares })
    expect(five?.text).toContain('GET /r4, GET /r5. Neither')
    expect(seven?.text).toContain('GET /r4, GET /r5 and 2 more. Neither')
  })

  it('does not warn about tenantRouter(), publicRouter(), or middlewares that can call next()', async () => {
    const files = express.Router().use('/files', express.static('.'), express.json())
    const ends = publicRouter(((_req, res) => void res.end()) as RequestHandler)
    const nested = express.Router().use(tenantRouter(legacy()), publicRouter(legacy()), ends)
    // Wrappers for asynchronous middlewares have this form: the number of their parameters is 0.
    const parse = express.json()
    const all = express.Router().use((...args: Parameters<typeof parse>) => parse(...args))
    const middlewares = [
      ...mounted(),
      publicRouter(legacy()),
      publicRouter(express().get('/', sendTenant)),
      nested,
      all,
      files,
      express.static('.'),
      express.json(),
    ]
    // The second time, all handlers in them are wrapped.
    expect(await bootWarnings({ ...options, middlewares })).toEqual([])
    expect(await bootWarnings({ ...options, middlewares })).toEqual([])
    expect(await bootWarnings({ middlewares: [legacy()] })).toEqual([])
  })

  it('causes an error instead of a warning in a strict application', async () => {
    const problems = await bootProblems({ ...options, strict: true, middlewares: [legacy()] })
    expect(problems).toMatchObject([{ code: 'W_TENANT_ROUTER' }])
  })
})
