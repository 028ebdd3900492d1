import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  Controller,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  publicRouter,
  type Request,
  type RequestHandler,
  requireTenantId,
  Tenant,
  type TenantInfo,
  tenantRouter,
  type User,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { keepAlive, send } from './crowd.js'
import { RowPool } from './row-pool.js'

@Controller('open')
class OpenController {
  @Get()
  open(req: Request) {
    return { tenant: getTenantId() ?? null, user: req.user?.id ?? null }
  }
}

@Tenant()
@Auth()
@Controller('legacy')
class LegacyController {
  @Get('left')
  left() {
    return { tenant: getTenantId() ?? null }
  }

  @Get('twice')
  async twice(req: Request) {
    callNextAgain()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { tenant: getTenantId() ?? null, user: req.user?.id ?? null }
  }
}

let callNextAgain = () => {}
let calls: string[] = []
let app: TestApp
const ends: (() => unknown)[] = []
beforeEach(() => {
  calls = []
})
afterEach(async () => {
  await app?.close()
  for (const end of ends.splice(0).reverse()) await end()
})

const guard = {
  canActivate(req: Request): boolean | Promise<boolean> {
    calls.push(`guard ${getTenantId()}`)
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return id !== undefined
  },
}
const authorize = (_req: Request, id: string, user: User | undefined) => {
  calls.push(`authorize ${id}`)
  return user?.['id'] === 'ada' && id === 'acme'
}

const sendTenant: RequestHandler = (req, res) => {
  calls.push('router')
  res.json({ data: { tenant: requireTenantId(), user: req.user?.id, url: req.url } })
}
const passOn: RequestHandler = (_req, _res, next) => next()
const legacy = () =>
  express
    .Router()
    .get('/rows', sendTenant)
    .get('/left', passOn)
    .get('/fails', () => {
      throw new Error('unexpected')
    })

async function start(options: TestOptions = {}): Promise<void> {
  app = await TestApp.create({
    controllers: [OpenController, LegacyController],
    auth: { guard },
    tenant: { authorize },
    logger: false,
    ...options,
  })
}

async function ask(path: string, user?: string, tenant?: string) {
  const headers = { ...(user && { 'x-user': user }), ...(tenant && { 'x-tenant-id': tenant }) }
  const { status, body, headers: answered } = await app.with(headers).request().get(path)
  return { status, code: body.code, data: body.data, headers: answered }
}

const mounted = () => [tenantRouter(legacy(), { path: '/legacy' })]

describe('a tenantRouter', () => {
  it('runs for an authorised tenant', async () => {
    await start({ middlewares: mounted() })
    const { status, data } = await ask('/legacy/rows', 'ada', 'acme')
    expect([status, data]).toEqual([200, { tenant: 'acme', user: 'ada', url: '/rows' }])
    expect(calls).toEqual(['guard acme', 'authorize acme', 'router'])
  })

  it('refuses other requests, with the responses of a route', async () => {
    await start({ middlewares: mounted() })
    const stranger = await ask('/legacy/rows', undefined, 'acme')
    expect([stranger.status, stranger.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(stranger.headers['www-authenticate']).toBe('Bearer')
    const unsaid = await ask('/legacy/rows', 'ada')
    expect([unsaid.status, unsaid.code]).toEqual([400, 'TENANT_REQUIRED'])
    const other = await ask('/legacy/rows', 'ada', 'zeta')
    expect([other.status, other.code]).toEqual([403, 'TENANT_FORBIDDEN'])
    expect(calls).not.toContain('router')
  })

  it.each([
    '/legacy/none',
    '/LEGACY/rows',
    '/legacy',
    '/legacy/',
    '/legacy//rows',
    '/legacy/%72ows',
  ])('refuses every spelling of its path: %s', async (path) => {
    await start({ middlewares: mounted() })
    expect((await ask(path, undefined, 'acme')).status).toBe(401)
    expect((await ask(path, 'ada', 'zeta')).status).toBe(403)
    expect(calls).not.toContain('router')
  })

  it.each([
    '/rows',
    '/legac%79/rows',
    '//legacy/rows',
    '/legacy%2Frows',
    '/./legacy/rows',
    '/x/..;/legacy/rows',
  ])('does not run at other paths: %s', async (path) => {
    await start({ middlewares: mounted() })
    expect([401, 404, 400]).toContain((await ask(path, undefined, 'acme')).status)
    expect(calls).not.toContain('router')
  })

  it('runs for all requests when it has no path', async () => {
    await start({ middlewares: [tenantRouter(legacy())] })
    expect((await ask('/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/open')).status).toBe(401)
  })

  it('uses the tenant store', async () => {
    const known: Record<string, TenantInfo> = {
      acme: { id: 'acme' },
      late: { id: 'late', status: 'suspended' },
    }
    await start({
      middlewares: mounted(),
      tenant: { authorize, store: { find: (id) => known[id] } },
    })
    expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(200)
    expect((await ask('/legacy/rows', 'ada', 'zeta')).code).toBe('TENANT_UNKNOWN')
    expect((await ask('/legacy/rows', 'ada', 'late')).code).toBe('TENANT_SUSPENDED')
  })

  it('uses the guard only when there is no authorize', async () => {
    await start({ middlewares: mounted(), tenant: {} })
    expect((await ask('/legacy/rows', 'ada', 'zeta')).data.tenant).toBe('zeta')
    expect((await ask('/legacy/rows', undefined, 'zeta')).status).toBe(401)
    expect((await ask('/legacy/rows', 'ada')).code).toBe('TENANT_REQUIRED')
  })

  it('waits for an asynchronous guard and authorize', async () => {
    const slow = {
      canActivate: async (req: Request) => {
        await Promise.resolve()
        return guard.canActivate(req)
      },
    }
    const late = async (...all: Parameters<typeof authorize>) => {
      await Promise.resolve()
      return authorize(...all)
    }
    await start({ middlewares: mounted(), auth: { guard: slow }, tenant: { authorize: late } })
    expect((await ask('/legacy/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/legacy/rows', 'ada', 'zeta')).status).toBe(403)
    expect((await ask('/legacy/rows', undefined, 'acme')).status).toBe(401)
  })

  it.each([
    ['undefined', undefined],
    ["'route'", 'route'],
    ["'router'", 'router'],
    ['0', 0],
    ['an error', new Error('db')],
  ])('refuses requests when the guard or authorize throws %s', async (_, thrown) => {
    const throws = () => {
      throw thrown
    }
    const rejects = () => Promise.reject(thrown)
    for (const fails of [throws, rejects]) {
      await start({ middlewares: mounted(), auth: { guard: { canActivate: fails } } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(401)
      await app.close()
      await start({ middlewares: mounted(), tenant: { authorize: fails } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(500)
      await app.close()
    }
    expect(calls).not.toContain('router')
  })

  it.each([1, 'yes', {}, undefined, null])(
    'refuses requests when the guard or authorize returns %j',
    async (verdict) => {
      const says = (() => verdict) as never
      await start({ middlewares: mounted(), auth: { guard: { canActivate: says } } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(401)
      await app.close()
      await start({ middlewares: mounted(), tenant: { authorize: says } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(403)
    },
  )

  it('causes a 500 and a log with the tenant when a handler throws', async () => {
    await start({ middlewares: mounted() })
    expect((await ask('/legacy/fails', 'ada', 'acme')).code).toBe('INTERNAL_SERVER_ERROR')
    expect(app.logs.map(({ facts }) => facts.tenant)).toEqual(['acme'])
  })

  it('uses the user of app.as()', async () => {
    await start({ middlewares: mounted() })
    const ada = app.as({ id: 'ada' })
    expect((await ada.asTenant('acme').request().get('/legacy/rows')).status).toBe(200)
    expect((await ada.asTenant('zeta').request().get('/legacy/rows')).status).toBe(403)
  })
})

describe('a request that a tenantRouter passes on', () => {
  it('continues in the scope that it had before', async () => {
    const after: RequestHandler = (req, _res, next) => {
      calls.push(`after ${getTenantId()} ${req.user?.id}`)
      next()
    }
    const left = express.Router().use(passOn)
    await start({ middlewares: [tenantRouter(left), after] })
    expect((await ask('/open', 'ada', 'acme')).data).toEqual({ tenant: null, user: null })
    expect(calls).toEqual(['guard acme', 'authorize acme', 'after undefined undefined'])
  })

  it('is authorised again by the route', async () => {
    await start({ middlewares: mounted() })
    expect((await ask('/legacy/left', 'ada', 'acme')).data).toEqual({ tenant: 'acme' })
    expect(calls).toEqual(['guard acme', 'authorize acme', 'guard acme', 'authorize acme'])
  })

  it('keeps the tenant of its route when next() is called again', async () => {
    for (const argument of [undefined, 'router']) {
      const twice: RequestHandler = (_req, _res, next) => {
        callNextAgain = () => void setImmediate(next as (argument?: string) => void, argument)
        next()
      }
      const router = express.Router().use(twice)
      await start({ middlewares: [tenantRouter(router, { path: '/legacy' })] })
      const { data } = await ask('/legacy/twice', 'ada', 'acme')
      expect(data).toEqual({ tenant: 'acme', user: 'ada' })
      await app.close()
    }
  })

  it('keeps its current user when the router fails after next()', async () => {
    const failsLate: RequestHandler = (_req, _res, next) => {
      callNextAgain = () => next(new Error('late'))
      next()
    }
    const logIn: RequestHandler = (req) => {
      req.user = { id: 'later' }
      callNextAgain()
    }
    const passOver: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const router = tenantRouter(express.Router().use(failsLate))
    await start({ middlewares: [router, logIn, passOver] })
    const { data } = await ask('/open', 'ada', 'acme')
    expect(data.user).toBe('later')
  })

  it('continues with its original fields after an Express application', async () => {
    const inner = express().get('/rows', sendTenant).use(passOn)
    await start({ middlewares: [tenantRouter(inner, { path: '/legacy' })] })
    expect((await ask('/legacy/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/legacy/left', 'ada', 'acme')).data).toEqual({ tenant: 'acme' })
  })
})

describe('a tenantRouter may be mounted', () => {
  it('in the middlewares of a plugin', async () => {
    await start({ plugins: [{ name: 'legacy', middlewares: mounted() }] })
    expect((await ask('/legacy/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/legacy/rows', 'ada', 'zeta')).status).toBe(403)
  })

  it('in a router, and in an application', async () => {
    const router = express.Router().use('/a', tenantRouter(legacy()))
    const application = express().use('/b', tenantRouter(legacy()))
    await start({ middlewares: [router, application] })
    for (const path of ['/a/rows', '/b/rows']) {
      expect((await ask(path, 'ada', 'acme')).data.tenant).toBe('acme')
      expect((await ask(path, 'ada', 'zeta')).status).toBe(403)
    }
  })

  it('before an Express application, whose requests have the fields of the App', async () => {
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

  it('in several applications, which use their own guards', async () => {
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

  it('but fails in an Express application without an App', async () => {
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

  it('but fails inside a function when the App has no guard', async () => {
    const router = tenantRouter(legacy())
    const hidden: RequestHandler = (req, res, next) => router(req, res, next)
    await start({ middlewares: [hidden], auth: {}, tenant: {} })
    expect((await ask('/rows', 'ada', 'acme')).status).toBe(500)
    expect(calls).toEqual([])
  })
})

it('keeps the tenant of concurrent requests that continue in callbacks of a pool', async () => {
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

describe('tenantRouter at boot', () => {
  const options: AppOptions = { auth: { guard }, tenant: { authorize } }

  it.each<[string, AppOptions, string]>([
    ['tenants', { auth: { guard } }, '`tenant`'],
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
    ['an object that is no function', () => tenantRouter({} as never)],
    [
      'an error middleware',
      () => tenantRouter(((_a: unknown, _b: unknown, _c: unknown, _d: unknown) => {}) as never),
    ],
    ['a path without a slash', () => tenantRouter(legacy(), { path: 'legacy' })],
    ['a path that is no string', () => tenantRouter(legacy(), { path: /legacy/ as never })],
    ['no router for publicRouter', () => publicRouter({} as never)],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(TypeError)
  })

  it('warns about routers without tenantRouter that handle requests, with their paths', async () => {
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
    expect(whole?.text).toContain('handles requests itself: * /.')
  })

  it('does not warn about tenantRouter, publicRouter, and middlewares that send no response', async () => {
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

  it('is an error in a strict application', async () => {
    const problems = await bootProblems({ ...options, strict: true, middlewares: [legacy()] })
    expect(problems).toMatchObject([{ code: 'W_TENANT_ROUTER' }])
  })
})
