import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  Cache,
  CacheManager,
  Controller,
  createTenantMiddleware,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  HttpError,
  InjectionToken,
  inject,
  type Plugin,
  RateLimit,
  type Request,
  type RequestHandler,
  requireTenantId,
  runWithoutTenant,
  runWithTenant,
  Tenant,
  TenantContext,
  tenantScoped,
  type User,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const Rows = new InjectionToken<{ readonly all: () => string }>('Rows')

@Tenant()
@Auth()
@Controller('rows')
class RowsController {
  private readonly rows = inject(Rows)

  @Get()
  list() {
    return { tenant: getTenantId(), rows: this.rows.all() }
  }

  @Get('fails')
  fails() {
    throw new Error('unexpected')
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    return { rows: this.rows.all() }
  }

  @RateLimit({ limit: 1, window: '1m', by: 'tenant' })
  @Get('limited')
  limited() {
    return { tenant: getTenantId() }
  }
}

@Controller('login')
class LoginController {
  @Get()
  login() {
    return { tenant: getTenantId() ?? null, acting: runWithTenant('acme', requireTenantId) }
  }
}

let seen: [where: string, tenant: string | undefined][] = []
let app: TestApp
const note = (where: string) => void seen.push([where, getTenantId()])

const guard = {
  canActivate(req: Request) {
    note('guard')
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return id !== undefined
  },
}
const USERS: Record<string, string> = { ada: 'acme', zoe: 'zeta' }
const authorize = (_req: Request, id: string, user: User | undefined) => {
  note('authorize')
  return user !== undefined && USERS[user['id']] === id
}

beforeEach(() => {
  seen = []
})
afterEach(() => app?.close())

async function start(options: TestOptions = {}): Promise<void> {
  app = await TestApp.create({
    controllers: [RowsController, LoginController],
    auth: { guard },
    tenant: { authorize },
    providers: [tenantScoped(Rows, (id) => ({ all: () => `rows of ${id}` }))],
    logger: false,
    ...options,
  })
}

async function ask(user: string | undefined, tenant: string | undefined, path = '/rows') {
  const headers = { ...(user && { 'x-user': user }), ...(tenant && { 'x-tenant-id': tenant }) }
  const { status, body } = await app.with(headers).request().get(path)
  return { status, code: body.code, data: body.data }
}

const noting =
  (where: string): RequestHandler =>
  (_req, _res, next) => {
    note(where)
    next()
  }

describe('a middleware of an application with authorize', () => {
  it('runs without a tenant; the guard and authorize have the claimed tenant', async () => {
    await start({ middlewares: [noting('middleware')] })
    expect((await ask('ada', 'acme')).data).toEqual({ tenant: 'acme', rows: 'rows of acme' })
    expect(seen).toEqual([
      ['middleware', undefined],
      ['guard', 'acme'],
      ['authorize', 'acme'],
    ])
  })

  it('runs without a tenant in a router, also when the header names one', async () => {
    const rows: RequestHandler = (_req, res) => res.json({ data: getTenantId() ?? null })
    const middlewares = [express.Router().get('/legacy', rows)]
    await start({ middlewares, tenant: { authorize: () => false, required: true } })
    expect((await ask('ada', 'zeta', '/legacy')).data).toBeNull()
  })

  it('runs with the tenant when there is no authorize', async () => {
    await start({ middlewares: [noting('middleware')], tenant: {} })
    expect((await ask('ada', 'acme')).data).toEqual({ tenant: 'acme', rows: 'rows of acme' })
    expect(seen).toEqual([
      ['middleware', 'acme'],
      ['guard', 'acme'],
    ])
  })

  it('does not set the tenant of public routes, which may call runWithTenant', async () => {
    await start()
    expect((await ask('ada', 'zeta', '/login')).data).toEqual({ tenant: null, acting: 'acme' })
  })

  it('runs with the tenant that it has set itself, which authorize checks, too', async () => {
    const byPath: RequestHandler = (_req, _res, next) => runWithTenant('zeta', next)
    await start({ middlewares: [byPath, noting('middleware')] })
    expect((await ask('ada', 'acme')).code).toBe('TENANT_FORBIDDEN')
    expect((await ask('zoe', 'acme')).data.tenant).toBe('zeta')
    expect(seen[0]).toEqual(['middleware', 'zeta'])
  })

  it('runs without the tenant of createTenantMiddleware until authorize allows it', async () => {
    const byOrg = createTenantMiddleware({ header: 'x-org' })
    await start({ middlewares: [byOrg, noting('middleware')] })
    const asZoe = app.with({ 'x-user': 'zoe', 'x-org': 'zeta' })
    expect((await asZoe.request().get('/rows')).body.data.tenant).toBe('zeta')
    const asAda = app.with({ 'x-user': 'ada', 'x-org': 'zeta', 'x-tenant-id': 'acme' })
    expect((await asAda.request().get('/rows')).body.code).toBe('TENANT_FORBIDDEN')
    expect(seen.filter(([where]) => where === 'middleware')).toEqual([
      ['middleware', undefined],
      ['middleware', undefined],
    ])
  })
})

/** Operations on the data of a tenant. */
const ACTS: Record<string, () => unknown> = {
  'requireTenantId()': () => requireTenantId(),
  'a tenant-scoped instance': () => app.get(Rows).all(),
  'a method of a tenant-scoped instance from before': () => {
    const { all } = runWithTenant('acme', () => app.get(Rows))
    return all()
  },
  'the cache of the tenant': () => app.get(CacheManager).forTenant(),
  'the cache of the tenant, by its id': () => app.get(CacheManager).forTenant('acme'),
  'a cache of the tenant from before': () => {
    const cache = runWithoutTenant('a test', () => app.get(CacheManager).forTenant('acme'))
    return cache.get('key')
  },
}

describe('before authorize has allowed the tenant', () => {
  const places: Record<string, (act: () => unknown) => TestOptions> = {
    'a middleware': (act) => ({
      middlewares: [
        async (_req, _res, next) => {
          await act()
          next()
        },
      ],
    }),
    'the guard': (act) => ({
      auth: { guard: { canActivate: async () => (await act()) !== null } },
    }),
    authorize: (act) => ({ tenant: { authorize: async () => (await act()) !== null } }),
    'a timer of the guard': (act) => ({
      auth: {
        guard: {
          canActivate: () =>
            new Promise((resolve, reject) => {
              setTimeout(
                () =>
                  Promise.resolve()
                    .then(act)
                    .then(resolve as never, reject),
                1,
              )
            }),
        },
      },
    }),
  }
  const cases = Object.keys(places).flatMap((place) => Object.keys(ACTS).map((act) => [act, place]))

  it.each(cases)('%s fails with TENANT_UNAUTHORIZED in %s', async (act, place) => {
    const options = places[place as string]?.(ACTS[act as string] as () => unknown)
    await start(options)
    const { status, code } = await ask('ada', 'acme')
    expect([status, code]).toEqual([500, 'TENANT_UNAUTHORIZED'])
    expect(JSON.stringify(app.logs)).toContain('"claimedTenant":"acme"')
  })

  it.each(cases)('%s works inside of runWithTenant in %s', async (act, place) => {
    const acted: unknown[] = []
    const allowed = async () => {
      acted.push(await runWithTenant('acme', ACTS[act as string] as () => unknown))
      return true
    }
    await start(places[place as string]?.(allowed))
    expect((await ask('ada', 'acme')).code).not.toBe('TENANT_UNAUTHORIZED')
    expect(acted.length).toBeGreaterThan(0)
  })

  it('the cache without a tenant works in the guard', async () => {
    const cached = { canActivate: () => app.get(CacheManager).getOrSet('keys', () => true) }
    await start({ auth: { guard: cached }, tenant: { authorize: () => true } })
    expect((await ask('ada', 'acme')).status).toBe(200)
    expect((await ask('zoe', 'zeta')).status).toBe(200)
    expect(app.get(CacheManager).stats()).toMatchObject({ hits: 1, misses: 1 })
  })

  it('a tenant-scoped instance can be printed', async () => {
    const printed: string[] = []
    const print: RequestHandler = (_req, _res, next) => {
      printed.push(Object.prototype.toString.call(app.get(Rows)))
      next()
    }
    const printing = { canActivate: () => Object.prototype.toString.call(app.get(Rows)) !== '' }
    await start({ middlewares: [print], auth: { guard: printing } })
    expect((await ask('ada', 'acme')).status).toBe(403)
    expect(printed).toEqual(['[object Object]'])
  })
})

describe('code that a middleware started before authorize', () => {
  it('runs without a tenant: listener, timer and promise', async () => {
    let go = () => {}
    const waits = new Promise<void>((resolve) => {
      go = resolve
    })
    const begins: RequestHandler = (_req, res, next) => {
      res.on('finish', () => note('finish'))
      const timer = setInterval(() => {
        if (!res.writableEnded) return
        clearInterval(timer)
        note('timer')
        go()
      }, 1)
      next()
    }
    await start({ middlewares: [begins] })
    expect((await ask('ada', 'acme')).data.tenant).toBe('acme')
    await waits
    expect(seen.filter(([where]) => where === 'finish' || where === 'timer')).toEqual([
      ['finish', undefined],
      ['timer', undefined],
    ])
  })

  it('does not change the tenant of a request that continues in its callback', async () => {
    const callbacks: (() => void)[] = []
    // Calls back in the async context of the middleware.
    const begins: RequestHandler = (_req, res, next) => {
      const timer = setInterval(() => {
        for (const callback of callbacks.splice(0)) callback()
        if (res.writableEnded) clearInterval(timer)
      }, 1)
      next()
    }
    const comesBack: Plugin = {
      name: 'comes-back',
      intercept: () => (_req, res, next) => {
        note('interceptor')
        return new Promise((resolve) => {
          callbacks.push(() => {
            note('callback')
            res.once('finish', () => note('finish'))
            resolve(Promise.resolve().then(next))
          })
        })
      },
    }
    await start({ middlewares: [begins], plugins: [comesBack] })
    await ask('ada', 'acme', '/rows/fails')
    expect(app.logs.map(({ facts }) => facts.tenant)).toEqual(['acme'])
    expect(seen.slice(2)).toEqual([
      ['interceptor', 'acme'],
      ['callback', undefined],
      ['finish', 'acme'],
    ])
  })

  it('cannot run code in a scope that the guard has stored', async () => {
    let kept: ReturnType<typeof TenantContext.current>
    const keeps = {
      canActivate: (req: Request) => {
        kept = TenantContext.current()
        return guard.canActivate(req)
      },
    }
    await start({ auth: { guard: keeps } })
    await ask('ada', 'acme')
    expect(() => TenantContext.run(kept, requireTenantId)).toThrow(
      'has not allowed that tenant yet',
    )
  })
})

describe('error middlewares and the log', () => {
  const noteError: ErrorRequestHandler = (error, _req, _res, next) => {
    note(error instanceof HttpError ? error.code : 'error')
    next(error)
  }

  it('run without a tenant for refusals, and with the tenant for errors of the route', async () => {
    await start({ middlewares: [noteError] })
    await ask(undefined, 'acme')
    await ask('ada', 'zeta')
    await ask('ada', 'acme', '/rows/fails')
    expect(seen.filter(([where]) => !['guard', 'authorize'].includes(where))).toEqual([
      ['UNAUTHORIZED', undefined],
      ['TENANT_FORBIDDEN', undefined],
      ['error', 'acme'],
    ])
    expect(app.logs.map(({ facts }) => [facts.tenant, facts.claimedTenant])).toEqual([
      ['acme', undefined],
    ])
  })

  it('do the same with an asynchronous guard and authorize', async () => {
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
    await start({ middlewares: [noteError], auth: { guard: slow }, tenant: { authorize: late } })
    await ask(undefined, 'acme')
    await ask('ada', 'zeta')
    await ask('ada', 'acme', '/rows/fails')
    expect(seen).toEqual([
      ['guard', 'acme'],
      ['UNAUTHORIZED', undefined],
      ['guard', 'zeta'],
      ['authorize', 'zeta'],
      ['TENANT_FORBIDDEN', undefined],
      ['guard', 'acme'],
      ['authorize', 'acme'],
      ['error', 'acme'],
    ])
  })
})

describe('a route after authorize', () => {
  it('has cached responses for each tenant', async () => {
    await start({ tenant: { authorize: () => true } })
    for (const tenant of ['acme', 'zeta', 'acme', 'zeta']) {
      expect((await ask('ada', tenant, '/rows/cached')).data).toEqual({ rows: `rows of ${tenant}` })
    }
  })

  it('has a rate limit that refused requests of the tenant do not use up', async () => {
    await start({ rateLimit: { policies: [] } })
    for (let count = 0; count < 3; count++) {
      expect((await ask('zoe', 'acme', '/rows/limited')).code).toBe('TENANT_FORBIDDEN')
    }
    expect((await ask('ada', 'acme', '/rows/limited')).status).toBe(200)
    expect((await ask('ada', 'acme', '/rows/limited')).status).toBe(429)
  })
})

describe('a mounted application', () => {
  it('takes no tenant from an App that has not authorised it yet', async () => {
    @Tenant({ optional: true })
    @Controller('inner')
    class InnerController {
      @Get()
      get() {
        return { tenant: getTenantId() ?? null }
      }
    }
    const quiet: AppOptions = { logger: false, controllers: [InnerController] }
    const plain = await App.create(quiet)
    const strategies = [() => getTenantId()]
    const asking = await App.create({ ...quiet, tenant: { header: false, strategies } })
    for (const inner of [plain, asking]) {
      const mount: RequestHandler = (req, res, next) => inner.handler(req, res, next)
      await start({ middlewares: [mount] })
      expect((await ask('ada', 'acme', '/inner')).data).toEqual({ tenant: null })
      expect((await ask('ada', 'acme')).data.tenant).toBe('acme')
      await app.close()
    }
    await Promise.all([plain.close(), asking.close()])
  })

  it('passes a request on with the tenant that it had before', async () => {
    await start()
    const outside = express()
      .use((_req, _res, next) => runWithTenant('outside', next))
      .use(app.handler)
      .use((_req, res) => void res.json({ data: getTenantId() }))
    const server = createServer(outside).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const headers = { 'x-user': 'ada', 'x-tenant-id': 'acme' }
    const get = async (path: string) =>
      (await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json()) as {
        data: unknown
      }
    expect((await get('/rows')).data).toEqual({ tenant: 'acme', rows: 'rows of acme' })
    expect((await get('/elsewhere')).data).toBe('outside')
    server.close()
    server.closeAllConnections()
  })
})
