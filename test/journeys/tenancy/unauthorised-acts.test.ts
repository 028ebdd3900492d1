import {
  CacheManager,
  type RequestHandler,
  requireTenantId,
  runWithoutTenant,
  runWithTenant,
} from 'blazon'
import type { TestOptions } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { app, ask, Rows, start, useRowsApp } from './rows-app.js'

useRowsApp()

/** Operations on the data of a tenant. */
const ACTS: Record<string, () => unknown> = {
  'requireTenantId()': () => requireTenantId(),
  'a tenant-scoped instance': () => app.get(Rows).all(),
  'a stored method of a tenant-scoped instance': () => {
    const { all } = runWithTenant('acme', () => app.get(Rows))
    return all()
  },
  'the cache of the tenant': () => app.get(CacheManager).forTenant(),
  'the cache of the tenant by ID': () => app.get(CacheManager).forTenant('acme'),
  'a stored cache of the tenant': () => {
    const cache = runWithoutTenant('a test', () => app.get(CacheManager).forTenant('acme'))
    return cache.get('key')
  },
}

describe('code that runs before `tenant.authorize` has allowed the tenant', () => {
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

  it.each(cases)('fails with TENANT_UNAUTHORIZED if it uses %s in %s', async (act, place) => {
    const options = places[place as string]?.(ACTS[act as string] as () => unknown)
    await start(options)
    const { status, code } = await ask('ada', 'acme')
    expect([status, code]).toEqual([500, 'TENANT_UNAUTHORIZED'])
    expect(JSON.stringify(app.logs)).toContain('"claimedTenant":"acme"')
  })

  it.each(cases)('can use %s inside runWithTenant() in %s', async (act, place) => {
    const acted: unknown[] = []
    const allowed = async () => {
      acted.push(await runWithTenant('acme', ACTS[act as string] as () => unknown))
      return true
    }
    await start(places[place as string]?.(allowed))
    expect((await ask('ada', 'acme')).code).not.toBe('TENANT_UNAUTHORIZED')
    expect(acted.length).toBeGreaterThan(0)
  })

  it('can use the cache of the whole application in the guard', async () => {
    const cached = { canActivate: () => app.get(CacheManager).getOrSet('keys', () => true) }
    await start({ auth: { guard: cached }, tenant: { authorize: () => true } })
    expect((await ask('ada', 'acme')).status).toBe(200)
    expect((await ask('zoe', 'zeta')).status).toBe(200)
    expect(app.get(CacheManager).stats()).toMatchObject({ hits: 1, misses: 1 })
  })

  it('can use the cache of a tenant that the request does not specify', async () => {
    const canActivate = () =>
      app
        .get(CacheManager)
        .forTenant('zeta')
        .getOrSet('key', () => true)
    await start({ auth: { guard: { canActivate } }, tenant: { authorize: () => true } })
    expect((await ask('ada', 'acme')).status).toBe(200)
  })

  it('can print a tenant-scoped instance', async () => {
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
