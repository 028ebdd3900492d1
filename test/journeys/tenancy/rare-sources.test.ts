import {
  Auth,
  type AuthGuard,
  Controller,
  Get,
  getTenantId,
  HttpError,
  type Request,
  runWithoutTenant,
  runWithTenant,
  Tenant,
  type TenantOptions,
  tenantFromHost,
  tenantFromPath,
} from 'blazon'
import { TenantStates } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

@Controller()
class WhoController {
  @Tenant({ optional: false })
  @Get(':area/:tenant/who')
  who() {
    return { tenant: getTenantId() }
  }

  @Get('report')
  report() {
    return runWithoutTenant('usage report', () => ({ tenant: getTenantId() ?? null }))
  }

  @Auth()
  @Tenant()
  @Get('guarded')
  guarded() {}

  @Auth({ optional: true })
  @Tenant()
  @Get('maybe')
  maybe() {}
}

async function start(tenant: TenantOptions, options: TestOptions = {}) {
  const app = await TestApp.create({
    controllers: [WhoController],
    tenant,
    contract: 'off',
    ...options,
  })
  onTestFinished(() => app.close())
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request().get(path).set(headers)
  /** The decisions about the tenant of a request. */
  const named = async (headers: Record<string, string> = {}) => {
    const { decisions } = app.explain(await get('/t/x/who', headers))
    return decisions.filter(({ by }) => by === 'tenant').map(({ facts }) => facts)
  }
  return { app, get, named }
}

/** A function without a name. */
const [nameless] = [() => 'acme'] as const

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('the record of a request', () => {
  it('contains every source of the tenant if `onMismatch` is reject', async () => {
    const { named } = await start({ jwtClaim: 'org', onMismatch: 'reject' })
    const authorization = `Bearer ${encode({})}.${encode({ org: 'acme' })}.`
    expect(await named({ 'x-tenant-id': 'acme', authorization })).toEqual([
      { tenant: 'acme', source: 'header' },
      { tenant: 'acme', source: 'jwtClaim' },
    ])
  })

  it.each<[string, () => string]>([
    [
      'branch',
      function branchTenant() {
        return 'acme'
      },
    ],
    ['strategy', nameless],
  ])('contains the strategy that has specified the tenant: %s', async (source, strategy) => {
    const { named } = await start({ strategies: [strategy] })
    expect(await named()).toEqual([{ tenant: 'acme', source }])
  })
})

describe('a tenant strategy', () => {
  it.each(['/t/', '/t/%E0%A4%A/who'])(
    'reads no tenant from a path without a readable segment: %s',
    async (path) => {
      const { get } = await start({ header: false, strategies: [tenantFromPath('/t/:tenant')] })
      const { status, body } = await get(path)
      expect([400, 404]).toContain(status)
      expect(body.code).not.toBe('TENANT_INVALID')
    },
  )

  it('can map an IPv6 address to a tenant', async () => {
    const { get } = await start({
      header: false,
      strategies: [tenantFromHost({ '[::1]': 'acme' })],
    })
    const { body } = await get('/t/x/who', { host: '[::1]:3000' }).expect(200)
    expect(body.data).toEqual({ tenant: 'acme' })
  })
})

describe('the pattern of tenant IDs', () => {
  it('matches each request in the same way if it has the flag `y`', async () => {
    const { get } = await start({ pattern: /[a-z]+/y })
    for (let i = 0; i < 3; i++) await get('/t/x/who', { 'x-tenant-id': 'acme' }).expect(200)
  })
})

describe('the tenant store', () => {
  it('determines the status if it throws an HttpError', async () => {
    const find = () => Promise.reject(new HttpError(451, 'Not in this country'))
    const { get } = await start({ store: { find } })
    const { body } = await get('/t/x/who', { 'x-tenant-id': 'acme' }).expect(451)
    expect(body.message).toBe('Not in this country')
  })

  it('is documented with its responses: 403, 404 and 503', async () => {
    const store = { find: () => null }
    const { app } = await start({ store }, { timeouts: { handler: false } })
    const operation = app.document.paths['/{area}/{tenant}/who']?.get
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['400', '403', '404', '503']),
    )
  })

  it('is not necessary for TenantStates: without it, every tenant is active', async () => {
    const { app } = await start({})
    expect(await app.get(TenantStates)('acme')).toBe('active')
  })
})

describe('runWithoutTenant()', () => {
  it('is logged even if the request has no tenant', async () => {
    const { app, get } = await start({})
    await get('/report').expect(200)
    const lines = app.logs.filter(({ message }) => message === 'Run without a tenant')
    expect(lines.map(({ facts }) => facts)).toEqual([{ reason: 'usage report', tenant: undefined }])
  })
})

it('an ID that is null is named as such in the error of runWithTenant()', () => {
  expect(() => runWithTenant(null as never, () => {})).toThrow(/the type of the tenant ID is null/)
})

describe('a default guard that has `tenantOf`', () => {
  const guard: AuthGuard = {
    canActivate: () => true,
    tenantOf: (req: Request) => req.get('x-of'),
  }

  it('makes the tenant header optional in the document', async () => {
    const { app } = await start({}, { auth: { guard } })
    const isRequired = (path: string) =>
      app.document.paths[path]?.get?.parameters?.some(
        (each) => 'name' in each && each.name === 'x-tenant-id' && each.required === true,
      )
    expect(['/guarded', '/maybe', '/{area}/{tenant}/who'].map(isRequired)).toEqual([
      false,
      false,
      true,
    ])
  })
})
