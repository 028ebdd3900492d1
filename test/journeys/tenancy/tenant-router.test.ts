import {
  type ErrorRequestHandler,
  getTenantId,
  type Request,
  type RequestHandler,
  type TenantInfo,
  tenantRouter,
} from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import {
  again,
  app,
  ask,
  authorize,
  calls,
  guard,
  legacy,
  mounted,
  passOn,
  sendTenant,
  start,
  useLegacyApp,
} from './legacy-app.js'

useLegacyApp()

describe('a tenantRouter', () => {
  it('runs for an authorized tenant', async () => {
    await start({ middlewares: mounted() })
    const { status, data } = await ask('/legacy/rows', 'ada', 'acme')
    expect([status, data]).toEqual([200, { tenant: 'acme', user: 'ada', url: '/rows' }])
    expect(calls).toEqual(['guard acme', 'authorize acme', 'router'])
  })

  it('refuses other requests with the same responses as a route', async () => {
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
  ])('refuses unauthorized requests with any spelling of its path: %s', async (path) => {
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
  ])('does not run for other paths: %s', async (path) => {
    await start({ middlewares: mounted() })
    expect([401, 404, 400]).toContain((await ask(path, undefined, 'acme')).status)
    expect(calls).not.toContain('router')
  })

  it('handles all requests if it has no path', async () => {
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

  it('uses only the guard if `tenant.authorize` is missing', async () => {
    await start({ middlewares: mounted(), tenant: {} })
    expect((await ask('/legacy/rows', 'ada', 'zeta')).data.tenant).toBe('zeta')
    expect((await ask('/legacy/rows', undefined, 'zeta')).status).toBe(401)
    expect((await ask('/legacy/rows', 'ada')).code).toBe('TENANT_REQUIRED')
  })

  it('waits for an asynchronous guard and for an asynchronous `authorize`', async () => {
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
  ])('refuses requests if the guard or `authorize` throws %s', async (_, thrown) => {
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
    'refuses requests if the guard or `authorize` returns %j',
    async (verdict) => {
      const says = (() => verdict) as never
      await start({ middlewares: mounted(), auth: { guard: { canActivate: says } } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(401)
      await app.close()
      await start({ middlewares: mounted(), tenant: { authorize: says } })
      expect((await ask('/legacy/rows', 'ada', 'acme')).status).toBe(403)
    },
  )

  it('causes a 500 and a log line with the tenant if a handler throws', async () => {
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
  it('continues in the scope that it had before the router', async () => {
    const after: RequestHandler = (req, _res, next) => {
      calls.push(`after ${getTenantId()} ${req.user?.id}`)
      next()
    }
    const left = express.Router().use(passOn)
    await start({ middlewares: [tenantRouter(left), after] })
    expect((await ask('/open', 'ada', 'acme')).data).toEqual({ tenant: null, user: null })
    expect(calls).toEqual(['guard acme', 'authorize acme', 'after undefined undefined'])
  })

  it('is authorized again by the route', async () => {
    await start({ middlewares: mounted() })
    expect((await ask('/legacy/left', 'ada', 'acme')).data).toEqual({ tenant: 'acme' })
    expect(calls).toEqual(['guard acme', 'authorize acme', 'guard acme', 'authorize acme'])
  })

  it('keeps the tenant of its route even if next() is called again', async () => {
    for (const argument of [undefined, 'router']) {
      const twice: RequestHandler = (_req, _res, next) => {
        again.callNext = () => void setImmediate(next as (argument?: string) => void, argument)
        next()
      }
      const router = express.Router().use(twice)
      await start({ middlewares: [tenantRouter(router, { path: '/legacy' })] })
      const { data } = await ask('/legacy/twice', 'ada', 'acme')
      expect(data).toEqual({ tenant: 'acme', user: 'ada' })
      await app.close()
    }
  })

  it('keeps its current user even if the router fails after it has called next()', async () => {
    const failsLate: RequestHandler = (_req, _res, next) => {
      again.callNext = () => next(new Error('late'))
      next()
    }
    const logIn: RequestHandler = (req) => {
      req.user = { id: 'later' }
      again.callNext()
    }
    const passOver: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const router = tenantRouter(express.Router().use(failsLate))
    await start({ middlewares: [router, logIn, passOver] })
    const { data } = await ask('/open', 'ada', 'acme')
    expect(data.user).toBe('later')
  })

  it('reaches its route even if the router is an Express application', async () => {
    const inner = express().get('/rows', sendTenant).use(passOn)
    await start({ middlewares: [tenantRouter(inner, { path: '/legacy' })] })
    expect((await ask('/legacy/rows', 'ada', 'acme')).data.tenant).toBe('acme')
    expect((await ask('/legacy/left', 'ada', 'acme')).data).toEqual({ tenant: 'acme' })
  })
})
