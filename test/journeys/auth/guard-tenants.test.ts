import {
  Auth,
  type AuthGuard,
  Cache,
  Controller,
  Get,
  getTenantId,
  Public,
  RateLimit,
  type Request,
  requireTenantId,
  Sse,
  Tenant,
  type TenantOptions,
  tenantRouter,
} from 'blazon'
import { tenantOf } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

/** A credential is `<user>@<tenant>`; the tenant may be missing. */
const tokenGuard = (header: string) =>
  ({
    credentials: [header],
    canActivate(req: Request) {
      const [id, tenant] = String(req.headers[header] ?? '').split('@')
      if (!id || id === 'wrong') return false
      req.user = { id, tenant }
      return true
    },
    // Reads what `canActivate` has set, as a guard of a beginner would.
    tenantOf: (req: Request) => req.user?.['tenant'] as string | undefined,
  }) satisfies AuthGuard

const user = tokenGuard('authorization')
const partner = tokenGuard('x-api-key')
const silent = { ...tokenGuard('x-silent'), tenantOf: undefined } as unknown as AuthGuard

const acting = (req: Request) => ({ acts: getTenantId() ?? null, of: tenantOf(req) ?? null })

let made = 0

@Controller('t')
class Routes {
  @Auth()
  @Tenant()
  @Get('required')
  required(req: Request) {
    return acting(req)
  }

  @Auth()
  @Get('plain')
  plain(req: Request) {
    return acting(req)
  }

  @Auth({ optional: true })
  @Get('optional')
  optional(req: Request) {
    return acting(req)
  }

  @Auth({ optional: true })
  @Tenant({ optional: true })
  @Get('optional-tenant')
  optionalTenant(req: Request) {
    return acting(req)
  }

  @Public()
  @Get('public')
  public(req: Request) {
    return acting(req)
  }

  @Public()
  @Tenant()
  @Get('public-tenant')
  publicTenant(req: Request) {
    return acting(req)
  }

  @Auth('user', 'partner')
  @Tenant()
  @Get('both')
  both(req: Request) {
    return acting(req)
  }

  @Auth('silent')
  @Tenant()
  @Get('silent')
  silent(req: Request) {
    return acting(req)
  }

  @Auth('user', 'partner')
  @Tenant()
  @Cache({ ttl: 60 })
  @Get('cached')
  cached(req: Request) {
    return { ...acting(req), made: ++made }
  }

  @Auth()
  @Tenant()
  @RateLimit({ limit: 1, window: 60, by: 'tenant' })
  @Get('limited')
  limited(req: Request) {
    return acting(req)
  }

  @Auth()
  @Tenant()
  @Sse(z.object({ tenant: z.string() }))
  @Get('stream')
  async *stream() {
    yield { tenant: requireTenantId() }
    await Promise.resolve()
    yield { tenant: requireTenantId() }
  }
}

const start = (tenant?: TenantOptions, options: TestOptions = {}) =>
  TestApp.create({
    controllers: [Routes],
    auth: { guards: { user, partner, silent } },
    contract: 'throw',
    ...(tenant !== undefined && { tenant }),
    ...options,
  })

const as = (credential: string, tenant?: string) => ({
  authorization: credential,
  ...(tenant !== undefined && { 'x-tenant-id': tenant }),
})

async function ask(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const { status, body } = await app.request().get(`/t/${path}`).set(headers)
  if (status !== 200) return `${status} ${body.code ?? body.errorCode ?? body.error?.code}`
  expect(body.data.of).toBe(body.data.acts)
  return body.data.acts
}

describe('a request whose guard has `tenantOf`', () => {
  it('runs for the tenant of its credential if it names the same tenant or none', async () => {
    await using app = await start({})
    for (const path of ['required', 'plain', 'optional', 'optional-tenant', 'both']) {
      expect(await ask(app, path, as('ann@acme', 'acme'))).toBe('acme')
      expect(await ask(app, path, as('ann@acme'))).toBe('acme')
    }
  })

  it('is refused if it names another tenant', async () => {
    await using app = await start({})
    for (const path of ['required', 'plain', 'optional', 'optional-tenant', 'both', 'cached']) {
      expect(await ask(app, path, as('ann@acme', 'zeta'))).toBe('403 TENANT_FORBIDDEN')
      expect(await ask(app, path, as('ann', 'zeta'))).toBe('403 TENANT_FORBIDDEN')
    }
    expect(await ask(app, 'required', as('ann@ACME', 'acme'))).toBe('403 TENANT_FORBIDDEN')
  })

  it('is refused without a tenant if the route requires one', async () => {
    await using app = await start({})
    expect(await ask(app, 'required', as('ann'))).toBe('400 TENANT_REQUIRED')
    expect(await ask(app, 'plain', as('ann'))).toBeNull()
    expect(await ask(app, 'required', as('wrong@acme', 'acme'))).toBe('401 UNAUTHORIZED')
    expect(await ask(app, 'required', { 'x-tenant-id': 'acme' })).toBe('401 UNAUTHORIZED')
  })

  it('needs no tenant header', async () => {
    await using app = await start({ header: false })
    expect(await ask(app, 'required', as('ann@acme', 'zeta'))).toBe('acme')
    expect(await ask(app, 'plain', as('ann@acme'))).toBe('acme')
  })

  it('has no tenant in an application without the `tenant` option', async () => {
    await using app = await start()
    expect(await ask(app, 'required', as('ann@acme'))).toBe('400 TENANT_REQUIRED')
    expect(await ask(app, 'plain', as('ann@acme'))).toBeNull()
  })

  it('is refused if its credentials belong to different tenants', async () => {
    await using app = await start({})
    const two = (a: string, b: string, tenant?: string) => ({ ...as(a, tenant), 'x-api-key': b })
    expect(await ask(app, 'both', two('ann@acme', 'key@acme'))).toBe('acme')
    expect(await ask(app, 'both', two('ann@acme', 'key@zeta'))).toBe('403 TENANT_FORBIDDEN')
    expect(await ask(app, 'both', two('ann@acme', 'key@zeta', 'acme'))).toBe('403 TENANT_FORBIDDEN')
    expect(await ask(app, 'both', two('ann@acme', 'key@zeta', 'zeta'))).toBe('403 TENANT_FORBIDDEN')
    expect(await ask(app, 'both', two('ann@acme', 'key'))).toBe('403 TENANT_FORBIDDEN')
    // The route does not look at the other credential.
    expect(await ask(app, 'required', two('ann@acme', 'key@zeta'))).toBe('acme')
  })

  it('is refused for an invalid tenant id, and for a tenant that is not active in the store', async () => {
    const store = {
      find: async (id: string) =>
        id === 'gone'
          ? null
          : { id, status: id === 'late' ? ('suspended' as const) : ('active' as const) },
    }
    await using app = await start({ store })
    expect(await ask(app, 'required', as('ann@acme'))).toBe('acme')
    expect(await ask(app, 'required', as('ann@gone'))).toBe('404 TENANT_UNKNOWN')
    expect(await ask(app, 'required', as('ann@late'))).toBe('403 TENANT_SUSPENDED')
    expect(await ask(app, 'required', as('ann@../up'))).toBe('403 TENANT_FORBIDDEN')
    expect(await ask(app, 'required', as('ann@__proto__'))).toBe('403 TENANT_FORBIDDEN')
  })

  it('is also checked by `tenant.authorize`', async () => {
    const seen: unknown[] = []
    const authorize: TenantOptions['authorize'] = async (_req, id, who) => {
      seen.push([id, getTenantId(), who?.id])
      return who?.id !== 'eve'
    }
    await using app = await start({ authorize })
    expect(await ask(app, 'required', as('ann@acme'))).toBe('acme')
    expect(await ask(app, 'required', as('ann@acme', 'acme'))).toBe('acme')
    expect(await ask(app, 'required', as('eve@acme'))).toBe('403 TENANT_FORBIDDEN')
    expect(await ask(app, 'required', as('ann@acme', 'zeta'))).toBe('403 TENANT_FORBIDDEN')
    expect(seen).toEqual([
      ['acme', 'acme', 'ann'],
      ['acme', 'acme', 'ann'],
      ['acme', 'acme', 'eve'],
    ])
  })

  it('streams for the tenant of its credential', async () => {
    await using app = await start({})
    const { text } = await app.request().get('/t/stream').set(as('ann@acme'))
    expect(text.match(/"tenant":"\w+"/g)).toEqual(['"tenant":"acme"', '"tenant":"acme"'])
  })

  it('has a separate cached response and a separate rate limit for each tenant', async () => {
    made = 0
    await using app = await start({}, { rateLimit: {} } as TestOptions)
    expect(await ask(app, 'cached', as('ann@acme'))).toBe('acme')
    expect(await ask(app, 'cached', as('ann@zeta'))).toBe('zeta')
    expect(await ask(app, 'cached', as('ann@acme'))).toBe('acme')
    expect(made).toBe(2)
    // The same id of another guard is another caller.
    expect(await ask(app, 'cached', { 'x-api-key': 'ann@acme' })).toBe('acme')
    expect(made).toBe(3)
    expect(await ask(app, 'limited', as('ann@acme'))).toBe('acme')
    expect(await ask(app, 'limited', as('bob@acme'))).toMatch(/^429/)
    expect(await ask(app, 'limited', as('bob@zeta'))).toBe('zeta')
  })
})

describe('a request that no guard has authenticated', () => {
  it('has no tenant on a route without @Tenant', async () => {
    await using app = await start({})
    const header = { 'x-tenant-id': 'acme' }
    expect(await ask(app, 'public', header)).toBeNull()
    expect(await ask(app, 'public', as('ann@acme', 'zeta'))).toBeNull()
    expect(await ask(app, 'optional', header)).toBeNull()
  })

  it('has the tenant of its header on a route with @Tenant', async () => {
    await using app = await start({})
    expect(await ask(app, 'public-tenant', { 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask(app, 'optional-tenant', { 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask(app, 'optional-tenant')).toBeNull()
  })
})

describe('a guard without `tenantOf`, beside guards that have it', () => {
  it('allows a tenant that differs from the tenant of its credential', async () => {
    await using app = await start({})
    const headers = { 'x-silent': 'ann@acme', 'x-tenant-id': 'zeta' }
    expect(await ask(app, 'silent', headers)).toBe('zeta')
  })

  it('causes a warning in production', async () => {
    const before = process.env['NODE_ENV']
    process.env['NODE_ENV'] = 'production'
    try {
      const options = { controllers: [Routes], tenant: {}, swagger: false as const }
      const found = await bootWarnings({ ...options, auth: { guards: { user, partner, silent } } })
      expect(found.filter(({ code }) => code === 'W_TENANT_UNVERIFIED')).toEqual([
        { code: 'W_TENANT_UNVERIFIED', text: expect.stringContaining('auth.guards.silent') },
      ])
    } finally {
      process.env['NODE_ENV'] = before
    }
  })
})

describe('an invalid `tenantOf`', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['returns a promise', () => Promise.resolve('acme')],
    ['returns a number', () => 7],
  ])('results in a 401 response if it %s', async (_title, tenantOfGuard) => {
    const broken = { ...user, tenantOf: tenantOfGuard as never }
    await using app = await start({}, { auth: { guards: { user: broken, partner, silent } } })
    expect(await ask(app, 'plain', as('ann@acme'))).toBe('401 UNAUTHORIZED')
    expect(await ask(app, 'both', as('ann@acme'))).toBe('401 UNAUTHORIZED')
  })
})

describe('a router that is passed to tenantRouter()', () => {
  it('runs for the tenant of the credential', async () => {
    const router = express.Router().get('/who', (req, res) => {
      res.json({ acts: requireTenantId(), user: (req as unknown as Request).user?.id })
    })
    const after: unknown[] = []
    const middlewares = [
      tenantRouter(router, { path: '/legacy' }),
      (req: Request, _res: unknown, next: () => void) => {
        after.push([tenantOf(req), req.user])
        next()
      },
    ]
    await using app = await start({}, { middlewares, contract: 'off' })
    const get = async (headers: Record<string, string>, path = '/legacy/who') => {
      const { status, body } = await app.request().get(path).set(headers)
      return status === 200 ? body : status
    }
    expect(await get(as('ann@acme'))).toEqual({ acts: 'acme', user: 'ann' })
    expect(await get(as('ann@acme', 'zeta'))).toBe(403)
    expect(await get(as('ann'))).toBe(400)
    expect(await get({ 'x-tenant-id': 'acme' })).toBe(401)
    // Only the first guard decides about routers.
    expect(await get({ 'x-api-key': 'bob@acme' })).toBe(401)
    expect(await get(as('ann@acme'), '/legacy/other')).toBe(404)
    expect(after).toEqual([[undefined, undefined]])
  })
})

describe('a test caller', () => {
  it('acts for the tenant that is passed to asTenant()', async () => {
    await using app = await start({})
    const caller = app.as({ id: 1 })
    const get = async (path: string, who = caller) =>
      (await who.request().get(`/t/${path}`)).body.data?.acts
    expect(await get('required', caller.asTenant('acme'))).toBe('acme')
    expect(await get('both', caller.asTenant('acme'))).toBe('acme')
    expect(await get('plain')).toBeNull()
  })
})

describe('the document of an application whose guards have `tenantOf`', () => {
  it('requires no tenant header on routes where the credential determines the tenant', async () => {
    await using app = await start({})
    const headerOf = (path: string) =>
      app.document.paths[`/t/${path}`]?.get?.parameters?.find(({ name }) => name === 'x-tenant-id')
    expect(headerOf('required')?.required).toBeUndefined()
    expect(headerOf('silent')?.required).toBe(true)
    expect(headerOf('public-tenant')?.required).toBe(true)
    expect(Object.keys(app.document.paths['/t/required']?.get?.responses ?? {})).toContain('403')
  })
})
