import {
  App,
  type AppOptions,
  Controller,
  createTenantMiddleware,
  Get,
  type Request,
  requireTenantId,
  Tenant,
  type TenantOptions,
  tenantFromHost,
  tenantFromPath,
  tenantFromSubdomain,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Tenant()
@Controller(':area/:tenant/who')
class WhoController {
  @Get()
  who() {
    return { tenant: requireTenantId() }
  }
}

let app: TestApp
afterEach(() => app.close())
const logged: { err: Error }[] = []

async function start(tenant: TenantOptions, options: AppOptions = {}): Promise<void> {
  logged.length = 0
  const logger = { info() {}, warn() {}, error: (facts: object) => logged.push(facts as never) }
  const controllers = [WhoController]
  app = await TestApp.create({ controllers, tenant, logger, contract: 'off', ...options })
}

/** The tenant in the handler, or the code of the refusal. */
async function ask(headers: Record<string, string>, path = '/t/x/who'): Promise<unknown> {
  const { status, body } = await app.with(headers).request().get(path)
  return status === 200 ? body.data.tenant : body.code
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A header `Authorization` of this length, with a token that names `acme`. */
function bearer(length: number, payload: unknown = { org: 'acme' }): string {
  const start = `Bearer ${encode({})}.${encode(payload)}.`
  return start + 'a'.repeat(Math.max(0, length - start.length))
}

describe('the tenant claim of a JWT', () => {
  it.each([
    [8192, 'acme'],
    [8193, 'TENANT_REQUIRED'],
  ])('is read from a header of at most 8 KiB: %d bytes', async (length, expected) => {
    await start({ header: false, jwtClaim: 'org' })
    const authorization = bearer(length)
    expect(authorization).toHaveLength(length)
    expect(await ask({ authorization })).toBe(expected)
  })

  it.each([
    ['toString', { org: 'acme' }],
    ['org', { org: null }],
    ['org', ['org']],
    ['org', 'org'],
    ['org', null],
  ])('is missing if its name is %s and the payload is %j', async (jwtClaim, payload) => {
    await start({ header: false, jwtClaim })
    expect(await ask({ authorization: bearer(0, payload) })).toBe('TENANT_REQUIRED')
  })

  it.each(['bearer', 'BEARER  '])('is read with the scheme in any case: %s', async (scheme) => {
    await start({ header: false, jwtClaim: 'org' })
    const authorization = bearer(0).replace('Bearer', scheme.trim())
    expect(await ask({ authorization })).toBe('acme')
  })

  it('is refused if it is not a valid ID', async () => {
    await start({ header: false, jwtClaim: 'org' })
    for (const org of [7, true, {}, ['acme'], '', 'a b']) {
      expect(await ask({ authorization: bearer(0, { org }) })).toBe('TENANT_INVALID')
    }
  })
})

describe('a tenant strategy', () => {
  it('is named in the log if it does not return a string', async () => {
    const strategies = [
      [(): never => 7 as never],
      [
        function byNumber(): never {
          return 7 as never
        },
      ],
    ]
    for (const each of strategies) {
      await start({ strategies: each })
      expect(await ask({})).toBe('INTERNAL_SERVER_ERROR')
      const name = each[0]?.name || 'without a name'
      expect(logged[0]?.err.message).toContain(`The strategy ${name} of \`tenant.strategies\``)
      await app.close()
    }
    expect(strategies.map(([each]) => each?.name)).toEqual(['', 'byNumber'])
  })

  it('ignores case and encoding in fixed path segments, but keeps the case of the ID', async () => {
    await start({ header: false, strategies: [tenantFromPath('/Area 1/:tenant')] })
    for (const path of ['/area%201/acme/who', '/AREA%201/acme/who', '/%61rea%201/acme/who']) {
      expect(await ask({}, path)).toBe('acme')
    }
    expect(await ask({}, '/area-1/acme/who')).toBe('TENANT_REQUIRED')
    expect(await ask({}, '/area%201/ACME/who')).toBe('ACME')
  })

  it('accepts a host name with and without a port', async () => {
    await start({ header: false, strategies: [tenantFromHost({ 'shop.example': 'acme' })] })
    expect(await ask({ host: 'shop.example:8080' })).toBe('acme')
    expect(await ask({ host: 'SHOP.example' })).toBe('acme')
    expect(await ask({ host: 'shop.example.org' })).toBe('TENANT_REQUIRED')
    await app.close()
    await start({ header: false, strategies: [tenantFromSubdomain({ domain: 'example' })] })
    expect(await ask({ host: 'acme.example:80' })).toBe('acme')
    expect(await ask({ host: '.example' })).toBe('TENANT_REQUIRED')
    expect(await ask({ host: 'b.acme.example' })).toBe('TENANT_REQUIRED')
  })

  it('is called again for each request', async () => {
    let next = 0
    await start({ strategies: [() => `tenant-${++next}`] })
    expect([await ask({}), await ask({}), await ask({})]).toEqual([
      'tenant-1',
      'tenant-2',
      'tenant-3',
    ])
  })
})

describe('the pattern of tenant IDs', () => {
  it.each([
    [/[a-z]+/, ['acme'], ['Acme', 'acme1', 'a cme']],
    [/^[a-z]+$/i, ['acme', 'ACME'], ['acme1']],
    [/a|b/, ['a', 'b'], ['ab', 'xa', 'bx']],
    [/^a|b$/, ['a', 'b'], ['ax', 'xb']],
    [/x/g, ['x'], ['xx']],
    [/x/y, ['x'], ['xx']],
    [/^x$/m, ['x'], []],
  ])('%s matches only whole IDs, in every request', async (pattern, valid, invalid) => {
    await start({ pattern })
    for (let round = 0; round < 2; round++) {
      for (const id of valid) expect(await ask({ 'x-tenant-id': id })).toBe(id)
      for (const id of invalid) expect(await ask({ 'x-tenant-id': id })).toBe('TENANT_INVALID')
    }
  })

  it.each([
    [/^[a-z]+$/, '^[a-z]+$'],
    [/[a-z]+/, '^(?:[a-z]+)$'],
    [/^a|b$/, '^(?:^a|b$)$'],
    [/^[a-z]+$/u, '^[a-z]+$'],
    [/^a\$/, '^(?:^a\\$)$'],
    [/^a\\$/, '^a\\\\$'],
    [/^[a-z]+$/i, undefined],
  ])('%s is documented as %s', async (pattern, documented) => {
    await start({ pattern })
    const { document } = new App({ controllers: [WhoController], tenant: { pattern } })
    const { parameters = [] } = document.paths['/{area}/{tenant}/who']?.get ?? {}
    const header = parameters.find(({ in: place }) => place === 'header')
    expect(header?.schema).toEqual({ type: 'string', ...(documented && { pattern: documented }) })
  })
})

describe('the tenant store', () => {
  it.each([
    ['active', 60],
    ['suspended', 60],
    ['unknown', 5],
  ])(
    'if the tenant is %s, is called again after %d seconds, but not earlier',
    async (status, seconds) => {
      let calls = 0
      const find = (id: string) => {
        calls++
        return status === 'unknown' ? null : { id, status: status as 'active' }
      }
      await start({ store: { find }, positiveTtl: '60s', negativeTtl: '5s' })
      await app.clock.advance(0)
      const expected = { active: 'acme', suspended: 'TENANT_SUSPENDED', unknown: 'TENANT_UNKNOWN' }
      const once = async () =>
        expect(await ask({ 'x-tenant-id': 'acme' })).toBe(expected[status as 'active'])
      await once()
      await app.clock.advance(`${seconds * 1000 - 1}ms`)
      await once()
      expect(calls).toBe(1)
      await app.clock.advance('1ms')
      await once()
      expect(calls).toBe(2)
    },
  )

  it('is called for each request if `positiveTtl` and `negativeTtl` are 0', async () => {
    let calls = 0
    const find = (id: string) => {
      calls++
      return id === 'acme' ? { id } : null
    }
    await start({ store: { find }, positiveTtl: 0, negativeTtl: 0 })
    for (const id of ['acme', 'acme', 'zeta', 'zeta']) await ask({ 'x-tenant-id': id })
    expect(calls).toBe(4)
  })
})

describe('the createTenantMiddleware function', () => {
  it('with `required`, also accepts the tenant that the application has identified', async () => {
    const inner = createTenantMiddleware({ header: 'x-inner', required: true })
    for (const authorize of [undefined, () => true]) {
      await start(
        { ...(authorize && { authorize }) },
        { middlewares: [inner], auth: { guard: { canActivate: (_req: Request) => true } } },
      )
      expect(await ask({ 'x-tenant-id': 'acme' })).toBe('acme')
      expect(await ask({ 'x-inner': 'acme' })).toBe('acme')
      expect(await ask({ 'x-inner': 'acme', 'x-tenant-id': 'acme' })).toBe('acme')
      expect(await ask({})).toBe('TENANT_REQUIRED')
      await app.close()
    }
  })
})
