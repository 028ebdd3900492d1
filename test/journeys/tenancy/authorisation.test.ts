import {
  Auth,
  Can,
  Controller,
  ForbiddenError,
  Get,
  getTenantId,
  Public,
  type Request,
  requireTenantId,
  Tenant,
  type TenantInfo,
  type User,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let calls: string[] = []

@Tenant()
@Auth()
@Controller('orders')
class OrdersController {
  @Get()
  list(req: Request) {
    calls.push('handler')
    return { tenant: getTenantId(), user: req.user?.id ?? null }
  }

  @Public()
  @Get('public')
  open() {
    return { tenant: getTenantId() }
  }

  @Can('orders:write')
  @Get('able')
  able() {
    return { tenant: getTenantId() }
  }
}

@Controller('health')
class HealthController {
  @Get()
  health() {
    return { tenant: getTenantId() ?? null }
  }

  @Get('needed')
  needed() {
    return { tenant: requireTenantId() }
  }
}

const guard = {
  async canActivate(req: Request) {
    calls.push(`guard ${getTenantId()}`)
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id, tenants: ['acme'] }
    return id !== undefined
  },
}

let app: TestApp
beforeEach(() => {
  calls = []
})
afterEach(() => app.close())

async function start(tenant: TestOptions['tenant']): Promise<void> {
  app = await TestApp.create({
    contract: 'throw',
    controllers: [OrdersController, HealthController],
    auth: { guard },
    ...(tenant === undefined ? {} : { tenant }),
  })
}

type Outcome = string | null | [status: number, code: string]

async function ask(headers: Record<string, string>, path = '/orders'): Promise<Outcome> {
  const { status, body } = await app.with(headers).request().get(path)
  return status === 200 ? body.data.tenant : [status, body.code]
}

const acme = { 'x-user': 'ada', 'x-tenant-id': 'acme' }
const zeta = { 'x-user': 'ada', 'x-tenant-id': 'zeta' }

describe('the `tenant.authorize` function', () => {
  const authorize = (_req: Request, id: string, user: User | undefined) => {
    calls.push(`authorize ${id} ${user?.id}`)
    return user?.tenants.includes(id) === true
  }

  it('is called after the guard and before the handler', async () => {
    await start({ authorize })
    expect(await ask(acme)).toBe('acme')
    expect(calls).toEqual(['guard acme', 'authorize acme ada', 'handler'])
  })

  it('causes a 403 if it returns false', async () => {
    await start({ authorize })
    expect(await ask(zeta)).toEqual([403, 'TENANT_FORBIDDEN'])
    expect(calls).not.toContain('handler')
  })

  it('is not called if the request has no tenant or if the guard refuses it', async () => {
    await start({ authorize })
    expect(await ask({ 'x-user': 'ada' })).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask({ 'x-tenant-id': 'acme' })).toEqual([401, 'UNAUTHORIZED'])
    expect(calls).toEqual(['guard undefined', 'guard acme'])
  })

  it('does not replace the 401 of a request that has neither a user nor a tenant', async () => {
    await start({ authorize })
    expect(await ask({})).toEqual([401, 'UNAUTHORIZED'])
  })

  it('is called before the abilities of @Can are checked', async () => {
    await start({ authorize })
    expect(await ask(acme, '/orders/able')).toEqual([403, 'FORBIDDEN'])
    expect(await ask(zeta, '/orders/able')).toEqual([403, 'TENANT_FORBIDDEN'])
  })

  it('is called on public routes with @Tenant', async () => {
    await start({ authorize })
    expect(await ask(acme, '/orders/public')).toEqual([403, 'TENANT_FORBIDDEN'])
    expect(calls).toEqual(['authorize acme undefined'])
  })

  it('is called on every route if `tenant.required` is true', async () => {
    await start({ authorize, required: true })
    expect(await ask(acme, '/health')).toEqual([403, 'TENANT_FORBIDDEN'])
  })

  it('is not called on public routes without @Tenant, which then have no tenant', async () => {
    await start({ authorize })
    expect(await ask(acme, '/health')).toBeNull()
    expect(await ask({}, '/health')).toBeNull()
    expect(await ask(acme, '/health/needed')).toEqual([400, 'TENANT_REQUIRED'])
    expect(calls).toEqual([])
    await app.close()
    await start({})
    expect(await ask(acme, '/health')).toBe('acme')
  })

  it.each([
    ['an error', new Error('db'), [500, 'INTERNAL_SERVER_ERROR']],
    ['undefined', undefined, [500, 'INTERNAL_SERVER_ERROR']],
    ["'route'", 'route', [500, 'INTERNAL_SERVER_ERROR']],
    ['an HttpError', new ForbiddenError('Not yours'), [403, 'FORBIDDEN']],
  ])('refuses the request if it throws %s', async (_, thrown, outcome) => {
    await start({
      authorize: () => {
        throw thrown
      },
    })
    expect(await ask(acme)).toEqual(outcome)
    await app.close()
    await start({ authorize: () => Promise.reject(thrown) })
    expect(await ask(acme)).toEqual(outcome)
    expect(calls).not.toContain('handler')
  })

  it('receives the user of app.as(), also in authMatrix()', async () => {
    await start({ authorize })
    const ada = app.as({ id: 'ada', tenants: ['acme'] })
    expect((await ada.asTenant('acme').request().get('/orders')).status).toBe(200)
    expect((await ada.asTenant('zeta').request().get('/orders')).status).toBe(403)
    const callers = { own: ada.asTenant('acme'), other: ada.asTenant('zeta'), unsaid: ada }
    const { rows } = await app.authMatrix(callers)
    const list = rows.find(({ handler }) => handler === 'OrdersController.list')
    expect(list?.access).toEqual({ own: 'allowed', other: 403, unsaid: 400 })
  })
})

describe('a tenant store', () => {
  let known: Map<string, TenantInfo>
  let asked: string[]
  const store = {
    async find(id: string) {
      asked.push(id)
      return known.get(id)
    },
  }
  beforeEach(() => {
    asked = []
    known = new Map([
      ['acme', { id: 'acme' }],
      ['late', { id: 'late', status: 'suspended' }],
    ])
  })

  it('decides which tenants exist and are active', async () => {
    await start({ store })
    expect(await ask(acme)).toBe('acme')
    expect(await ask(zeta)).toEqual([404, 'TENANT_UNKNOWN'])
    expect(await ask({ ...acme, 'x-tenant-id': 'late' })).toEqual([403, 'TENANT_SUSPENDED'])
    expect(await ask({ 'x-tenant-id': 'zeta' }, '/health')).toEqual([404, 'TENANT_UNKNOWN'])
    expect(await ask({}, '/health')).toBeNull()
  })

  it('is not called if the ID is invalid or missing', async () => {
    await start({ store })
    await ask({ ...acme, 'x-tenant-id': 'a/b' })
    await ask({ 'x-user': 'ada' })
    expect(asked).toEqual([])
  })

  it('is called again after a minute, or after five seconds if the tenant does not exist', async () => {
    await start({ store })
    await ask(acme)
    await ask(acme)
    await ask(zeta)
    await ask(zeta)
    expect(asked).toEqual(['acme', 'zeta'])
    known.set('zeta', { id: 'zeta' })
    known.delete('acme')
    await app.clock.advance('5s')
    expect(await ask(zeta)).toBe('zeta')
    expect(await ask(acme)).toBe('acme')
    await app.clock.advance('55s')
    expect(await ask(acme)).toEqual([404, 'TENANT_UNKNOWN'])
  })

  it('is called again after `positiveTtl` or, for an unknown tenant, after `negativeTtl`', async () => {
    await start({ store, positiveTtl: 2, negativeTtl: 0 })
    await ask(acme)
    await app.clock.advance('1s')
    await ask(acme)
    await app.clock.advance('1s')
    await ask(acme)
    await ask(zeta)
    await ask(zeta)
    expect(asked).toEqual(['acme', 'acme', 'zeta', 'zeta'])
  })

  it('is called once for concurrent requests of the same tenant', async () => {
    await start({ store })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(index % 2 ? acme : zeta)),
    )
    expect(asked.sort()).toEqual(['acme', 'zeta'])
    expect(new Set(outcomes.map(String))).toEqual(new Set(['acme', '404,TENANT_UNKNOWN']))
  })

  it('can return a value instead of a promise', async () => {
    await start({ store: { find: (id) => known.get(id) ?? null } })
    expect(await ask(acme)).toBe('acme')
    expect(await ask(zeta)).toEqual([404, 'TENANT_UNKNOWN'])
  })

  it('causes a 404 if it returns a tenant whose ID differs from the requested ID', async () => {
    await start({ store: { find: (id) => known.get(id.toLowerCase()) } })
    expect(await ask({ ...acme, 'x-tenant-id': 'ACME' })).toEqual([404, 'TENANT_UNKNOWN'])
  })

  it('causes a 403 if it returns a tenant with an unknown status', async () => {
    known.set('acme', { id: 'acme', status: 'deleting' as 'suspended' })
    await start({ store })
    expect(await ask(acme)).toEqual([403, 'TENANT_SUSPENDED'])
  })

  it('causes a 503 if it rejects, and is called again for the next request', async () => {
    let isUp = false
    const find = async (id: string) => {
      if (!isUp) throw new Error('connection refused')
      return known.get(id)
    }
    await start({ store: { find } })
    expect(await ask(acme)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    const causes = app.logs.map(({ facts }) => String((facts.err as Error | undefined)?.cause))
    expect(causes).toContain('Error: connection refused')
    isUp = true
    expect(await ask(acme)).toBe('acme')
  })

  it('causes a 503 if it throws, and a 500 if it returns something other than a tenant', async () => {
    await start({
      store: {
        find: (id) => {
          if (id === 'zeta') throw new Error('down')
          return true as never
        },
      },
    })
    expect(await ask(zeta)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(await ask(acme)).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })

  it('causes a 503 after five seconds if it never settles', async () => {
    let reach = () => {}
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const find = () => {
      reach()
      return new Promise<never>(() => {})
    }
    await start({ store: { find } })
    const answer = ask(acme)
    await reached
    await app.clock.advance('5s')
    expect(await answer).toEqual([503, 'SERVICE_UNAVAILABLE'])
  })
})
