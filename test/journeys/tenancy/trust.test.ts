import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  Auth,
  Controller,
  createTenantMiddleware,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  HttpError,
  type Plugin,
  type Request,
  type RequestHandler,
  requireTenantId,
  runWithTenant,
  Tenant,
  TenantContext,
  Use,
} from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { app, ask, authorize, guard, note, noting, seen, start, useRowsApp } from './rows-app.js'

useRowsApp()

describe('the tenant in middlewares and public routes', () => {
  it('is set in the guard and in `authorize`, but not in earlier middlewares', async () => {
    await start({ middlewares: [noting('middleware')] })
    expect((await ask('ada', 'acme')).data).toEqual({ tenant: 'acme', rows: 'rows of acme' })
    expect(seen).toEqual([
      ['middleware', undefined],
      ['guard', 'acme'],
      ['authorize', 'acme'],
    ])
  })

  it('is not set in a router that runs before `authorize`, even if the header names a tenant', async () => {
    const rows: RequestHandler = (_req, res) => res.json({ data: getTenantId() ?? null })
    const middlewares = [express.Router().get('/legacy', rows)]
    await start({ middlewares, tenant: { authorize: () => false, required: true } })
    expect((await ask('ada', 'zeta', '/legacy')).data).toBeNull()
  })

  it('is set in middlewares if there is no `authorize`', async () => {
    await start({ middlewares: [noting('middleware')], tenant: {} })
    expect((await ask('ada', 'acme')).data).toEqual({ tenant: 'acme', rows: 'rows of acme' })
    expect(seen).toEqual([
      ['middleware', 'acme'],
      ['guard', 'acme'],
    ])
  })

  it('is not set on public routes, which can call runWithTenant() themselves', async () => {
    await start()
    expect((await ask('ada', 'zeta', '/login')).data).toEqual({ tenant: null, acting: 'acme' })
  })

  it('is not set on public routes if the guard checks the tenant itself', async () => {
    await start({ tenant: {}, auth: { guard: { ...guard, checksTenant: true } } })
    expect((await ask('ada', 'zeta', '/login')).data).toEqual({ tenant: null, acting: 'acme' })
    expect((await ask('ada', 'acme')).data.tenant).toBe('acme')
  })

  it('can be set by a middleware, and is then also checked by `authorize`', async () => {
    const byPath: RequestHandler = (_req, _res, next) => runWithTenant('zeta', next)
    await start({ middlewares: [byPath, noting('middleware')] })
    expect((await ask('ada', 'acme')).code).toBe('TENANT_FORBIDDEN')
    expect((await ask('zoe', 'acme')).data.tenant).toBe('zeta')
    expect(seen[0]).toEqual(['middleware', 'zeta'])
  })

  it('is not set by createTenantMiddleware() until `authorize` allows it', async () => {
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

  it('is not changed by createTenantMiddleware() after `authorize` has allowed it', async () => {
    @Auth()
    @Use(createTenantMiddleware({ header: 'x-org' }))
    @Tenant()
    @Controller('again')
    class AgainController {
      @Get()
      tenant() {
        return getTenantId()
      }
    }
    await start({ controllers: [AgainController] })
    const asAda = (org: string) =>
      app.with({ 'x-user': 'ada', 'x-tenant-id': 'acme', 'x-org': org }).request().get('/again')
    expect((await asAda('acme')).body.data).toBe('acme')
    expect((await asAda('zeta')).body.code).toBe('TENANT_MISMATCH')
  })
})

describe('code that was started or stored before `authorize` allowed the tenant', () => {
  it('runs without a tenant if it is a listener or a timer', async () => {
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
      steps: () => ({
        aroundHandler: (next) => (req, res) => {
          note('interceptor')
          return new Promise((resolve) => {
            callbacks.push(() => {
              note('callback')
              res.once('finish', () => note('finish'))
              resolve(Promise.resolve().then(() => next(req, res)))
            })
          })
        },
      }),
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

  it('cannot call requireTenantId() in a scope that the guard has stored', async () => {
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
      'neither `tenant.authorize` nor `tenantOf` of a guard has allowed yet',
    )
  })
})

describe('error middlewares and the log', () => {
  const noteError: ErrorRequestHandler = (error, _req, _res, next) => {
    note(error instanceof HttpError ? error.code : 'error')
    next(error)
  }

  it('have no tenant for refusals, but have the tenant for errors of the route', async () => {
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

  it('have the same tenants with an asynchronous guard and an asynchronous `authorize`', async () => {
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

describe('a route of an application with `tenant.authorize`', () => {
  it('has separate cached responses for each tenant', async () => {
    await start({ tenant: { authorize: () => true } })
    for (const tenant of ['acme', 'zeta', 'acme', 'zeta']) {
      expect((await ask('ada', tenant, '/rows/cached')).data).toEqual({ rows: `rows of ${tenant}` })
    }
  })

  it('counts no requests that `authorize` refuses against the rate limit of the tenant', async () => {
    await start({ rateLimit: { policies: [] } })
    for (let count = 0; count < 3; count++) {
      expect((await ask('zoe', 'acme', '/rows/limited')).code).toBe('TENANT_FORBIDDEN')
    }
    expect((await ask('ada', 'acme', '/rows/limited')).status).toBe(200)
    expect((await ask('ada', 'acme', '/rows/limited')).status).toBe(429)
  })
})

describe('a mounted application and `tenant.authorize`', () => {
  it('receives no tenant from an outer App that has not authorized it yet', async () => {
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

  it('passes a request on with the tenant that the request had before', async () => {
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
