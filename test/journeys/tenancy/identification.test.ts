import {
  type AppOptions,
  BadRequestError,
  Controller,
  createTenantMiddleware,
  Get,
  getTenantId,
  type Request,
  type RequestHandler,
  requireTenantId,
  runWithTenant,
  Tenant,
  tenantFromHost,
  tenantFromPath,
  tenantFromSubdomain,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('who')
class WhoController {
  @Tenant()
  @Get()
  who() {
    return { tenant: requireTenantId() }
  }

  @Get('anyone')
  anyone() {
    return { tenant: getTenantId() ?? null }
  }

  @Tenant({ optional: true })
  @Get('optional')
  optional() {
    return { tenant: getTenantId() ?? null }
  }
}

@Tenant()
@Controller('t/:tenant/who')
class PathController {
  @Get()
  who() {
    return { tenant: requireTenantId() }
  }
}

let app: TestApp
// Some tests start no application.
afterEach(() => app?.close())

type Headers = Record<string, string>
type Outcome = string | null | [status: number, code: string]

async function start(options: AppOptions): Promise<void> {
  app = await TestApp.create({
    contract: 'throw',
    controllers: [WhoController, PathController],
    ...options,
  })
}

/** The tenant in the handler, or the status and code of the refusal. */
async function ask(headers: Headers, path = '/who'): Promise<Outcome> {
  const { status, body } = await app.with(headers).request().get(path)
  return status === 200 ? body.data.tenant : [status, body.code]
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token without a valid signature. */
const token = (payload: unknown) => `${encode({ alg: 'none' })}.${encode(payload)}.c2lnbmF0dXJl`
const bearer = (payload: unknown) => ({ authorization: `Bearer ${token(payload)}` })

describe('the tenant ID', () => {
  it('is read from the tenant header, with the header name in any case', async () => {
    await start({ tenant: {} })
    expect(await ask({ 'X-Tenant-Id': 'acme' })).toBe('acme')
    expect(await ask({ 'x-tenant-id': 'tenant-1' })).toBe('tenant-1')
  })

  it('is read from the header named in `tenant.header`', async () => {
    await start({ tenant: { header: 'X-Org' } })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
    expect(await ask({ 'x-tenant-id': 'acme' })).toEqual([400, 'TENANT_REQUIRED'])
    expect((await app.asTenant('zeta').request().get('/who')).body.data).toEqual({ tenant: 'zeta' })
  })

  it('is case-sensitive', async () => {
    await start({ tenant: {} })
    expect(await ask({ 'x-tenant-id': 'ACME' })).toBe('ACME')
  })

  it.each([
    ['empty', ''],
    ['repeated, as Node joins it', 'acme, zeta'],
    ['joined without a space', 'acme,zeta'],
    ['too long', 'a'.repeat(129)],
    ['with a slash', 'acme/zeta'],
    ['with a colon', 'acme:users'],
    ['a parent folder', '..'],
    ['a wildcard', '*'],
    ['percent-encoded', 'acme%0a'],
    ['with a Cyrillic letter', 'аcme'],
    ['with a combining accent', 'acme\u0301'],
    ['a quote', "'; --"],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['prototype', 'prototype'],
    ['undefined', 'undefined'],
    ['null', 'null'],
  ])(
    'causes a 400 on every route if it is invalid, and is not in the response: %s',
    async (_, id) => {
      await start({ tenant: {} })
      // HTTP headers are Latin-1, so UTF-8 arrives in this form.
      const headers = { 'x-tenant-id': Buffer.from(id, 'utf8').toString('latin1') }
      expect(await ask(headers)).toEqual([400, 'TENANT_INVALID'])
      expect(await ask(headers, '/who/anyone')).toEqual([400, 'TENANT_INVALID'])
      const { text } = await app.with(headers).request().get('/who')
      if (id.length > 3) expect(text).not.toContain(id)
    },
  )

  it('is not read from a header with a similar name', async () => {
    await start({ tenant: {} })
    expect(await ask({ x_tenant_id: 'acme' })).toEqual([400, 'TENANT_REQUIRED'])
  })

  it('can have another pattern, which the whole ID must match', async () => {
    await start({ tenant: { pattern: /[a-z]+:\d/gm } })
    expect(await ask({ 'x-tenant-id': 'org:1' })).toBe('org:1')
    expect(await ask({ 'x-tenant-id': 'org:1' })).toBe('org:1')
    expect(await ask({ 'x-tenant-id': 'org:12' })).toEqual([400, 'TENANT_INVALID'])
    expect(await ask({ 'x-tenant-id': 'xx org:1' })).toEqual([400, 'TENANT_INVALID'])
  })

  it('is invalid if only one of its lines matches a pattern with the flag `m`', async () => {
    await start({ tenant: { pattern: /^[a-z]+$/m, jwtClaim: 'org' } })
    expect(await ask(bearer({ org: 'acme' }))).toBe('acme')
    for (const org of ['acme\nOther', 'Other\nacme', 'acme\n', 'acme\r\nacme']) {
      expect(await ask(bearer({ org }))).toEqual([400, 'TENANT_INVALID'])
    }
  })

  it('is never a built-in property name or longer than 256 characters, whatever the pattern is', async () => {
    await start({ tenant: { pattern: /.*/ } })
    expect(await ask({ 'x-tenant-id': '__proto__' })).toEqual([400, 'TENANT_INVALID'])
    expect(await ask({ 'x-tenant-id': 'a'.repeat(257) })).toEqual([400, 'TENANT_INVALID'])
    expect(await ask({ 'x-tenant-id': 'a'.repeat(256) })).toBe('a'.repeat(256))
    expect(await ask({ 'x-tenant-id': '' })).toEqual([400, 'TENANT_INVALID'])
  })
})

describe('a route of an application with tenants', () => {
  it('requires a tenant if it has @Tenant', async () => {
    await start({ tenant: {} })
    expect(await ask({})).toEqual([400, 'TENANT_REQUIRED'])
    const { body } = await app.request().get('/who')
    expect(body.message).toBe('A tenant is required: send the header x-tenant-id')
  })

  it('receives the tenant but does not require one if it has no @Tenant', async () => {
    await start({ tenant: {} })
    expect(await ask({}, '/who/anyone')).toBeNull()
    expect(await ask({ 'x-tenant-id': 'acme' }, '/who/anyone')).toBe('acme')
  })

  it('responds with and without a tenant if it has @Tenant({ optional: true })', async () => {
    await start({ tenant: { required: true } })
    expect(await ask({}, '/who/optional')).toBeNull()
    expect(await ask({ 'x-tenant-id': 'acme' }, '/who/optional')).toBe('acme')
  })

  it('requires a tenant if `tenant.required` is true', async () => {
    await start({ tenant: { required: true } })
    expect(await ask({}, '/who/anyone')).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask({ 'x-tenant-id': 'acme' }, '/who/anyone')).toBe('acme')
  })
})

describe('the tenant claim of a JWT', () => {
  it('sets the tenant, without verification of the token, if the tenant header is missing', async () => {
    await start({ tenant: { jwtClaim: 'org' } })
    expect(await ask(bearer({ org: 'acme' }))).toBe('acme')
    expect(await ask({ ...bearer({ org: 'acme' }), 'x-tenant-id': 'zeta' })).toBe('zeta')
    expect(await ask({ authorization: `bearer  ${token({ org: 'acme' })}` })).toBe('acme')
  })

  it('is the only source if `tenant.header` is false', async () => {
    await start({ tenant: { header: false, jwtClaim: 'org' } })
    expect(await ask({ ...bearer({ org: 'acme' }), 'x-tenant-id': 'zeta' })).toBe('acme')
    expect(await ask({ 'x-tenant-id': 'zeta' })).toEqual([400, 'TENANT_REQUIRED'])
    expect(() => app.asTenant('acme')).toThrow(/`tenant.header` is false/)
  })

  const whole = token({ org: 'acme' })
  it.each([
    ['no token', 'Bearer'],
    ['another scheme', `Basic ${whole}`],
    ['a token that is not a JWT', 'Bearer opaque-token'],
    ['two parts', `Bearer ${whole.split('.').slice(0, 2).join('.')}`],
    ['five parts', `Bearer ${whole}.a.b`],
    ['a truncated payload', `Bearer ${encode({})}.${encode({ org: 'acme' }).slice(0, -6)}.x`],
    ['a payload that is not JSON', `Bearer a.${Buffer.from('org=acme').toString('base64url')}.c`],
    ['a payload that is a list', `Bearer a.${encode([{ org: 'acme' }])}.c`],
    ['a payload that is null', `Bearer a.${encode(null)}.c`],
    ['only another claim', `Bearer ${token({ other: 1 })}`],
    ['the claim null', `Bearer ${token({ org: null })}`],
    ['more than 8 KiB', `Bearer ${token({ org: 'acme', pad: 'x'.repeat(8192) })}`],
  ])('does not set the tenant if the credential has %s', async (_, authorization) => {
    await start({ tenant: { jwtClaim: 'org' } })
    expect(await ask({ authorization })).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask({ authorization }, '/who/anyone')).toBeNull()
  })

  it.each([
    ['a number', 7],
    ['a list', ['acme']],
    ['an object', { id: 'acme' }],
    ['true', true],
    ['empty', ''],
    ['too long', 'a'.repeat(129)],
    ['__proto__', '__proto__'],
    ['with a line break', 'acme\nzeta'],
    ['with a Cyrillic letter', 'аcme'],
  ])('causes a 400 if it is not a valid ID: %s', async (_, org) => {
    await start({ tenant: { jwtClaim: 'org' } })
    expect(await ask(bearer({ org }))).toEqual([400, 'TENANT_INVALID'])
  })

  it('can have the name of a built-in property', async () => {
    await start({ tenant: { jwtClaim: 'constructor' } })
    expect(await ask(bearer({}))).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask(bearer({ constructor: 'acme' }))).toBe('acme')
  })
})

describe('two tenant sources', () => {
  it('cause a 403 if they name different tenants and `onMismatch` is reject', async () => {
    await start({ tenant: { jwtClaim: 'org', onMismatch: 'reject' } })
    const claim = bearer({ org: 'acme' })
    expect(await ask({ ...claim, 'x-tenant-id': 'zeta' })).toEqual([403, 'TENANT_MISMATCH'])
    expect(await ask({ ...claim, 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask(claim)).toBe('acme')
    expect(await ask({ 'x-tenant-id': 'zeta' })).toBe('zeta')
  })
})

describe('tenant strategies', () => {
  it('are called in order if the tenant header is missing', async () => {
    const calls: string[] = []
    const silent = () => {
      calls.push('silent')
      return undefined
    }
    const byQuery = (req: Request) => {
      calls.push('query')
      return req.query.org as string | undefined
    }
    await start({ tenant: { strategies: [silent, byQuery] } })
    expect(await ask({}, '/who?org=acme')).toBe('acme')
    expect(calls).toEqual(['silent', 'query'])
    expect(await ask({ 'x-tenant-id': 'zeta' }, '/who?org=acme')).toBe('zeta')
    expect(calls).toHaveLength(2)
    expect(await ask({}, '/who?org=a/b')).toEqual([400, 'TENANT_INVALID'])
  })

  it.each([
    ['a promise', () => Promise.resolve('acme')],
    ['a promise that rejects', () => Promise.reject(new Error('no'))],
    ['a number', () => 7],
  ])('cause a 500 if they return %s', async (_, strategy) => {
    await start({ tenant: { strategies: [strategy as never] }, contract: 'off' } as AppOptions)
    expect(await ask({}, '/who/anyone')).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })

  it('can throw an HttpError, while any other thrown value causes a 500', async () => {
    let thrown: unknown = new BadRequestError('Which shop?', { code: 'NO_SHOP' })
    const strategy = () => {
      throw thrown
    }
    await start({ tenant: { strategies: [strategy] } })
    expect(await ask({}, '/who/anyone')).toEqual([400, 'NO_SHOP'])
    for (thrown of [undefined, null, 0, 'route', 'router']) {
      expect((await app.request().get('/who/anyone')).status).toBe(500)
    }
  })

  it('can read a subdomain, but only from the Host header', async () => {
    await start({
      tenant: { header: false, strategies: [tenantFromSubdomain({ domain: 'Example.com' })] },
    })
    expect(await ask({ host: 'acme.example.com' })).toBe('acme')
    expect(await ask({ host: 'ACME.example.COM:8443' })).toBe('acme')
    const none = [400, 'TENANT_REQUIRED']
    expect(await ask({ host: 'example.com' })).toEqual(none)
    expect(await ask({ host: 'a.b.example.com' })).toEqual(none)
    expect(await ask({ host: 'acme.example.com.evil.org' })).toEqual(none)
    expect(await ask({ host: 'acmeexample.com' })).toEqual(none)
    const forged = { host: 'x.org', 'x-forwarded-host': 'acme.example.com' }
    expect(await ask(forged)).toEqual(none)
  })

  it('can map host names to tenants', async () => {
    const strategies = [tenantFromHost({ 'Shop.acme.example': 'acme' })]
    await start({ tenant: { header: false, strategies }, trustProxy: true })
    expect(await ask({ host: 'shop.ACME.example:80' })).toBe('acme')
    expect(await ask({ host: 'constructor' })).toEqual([400, 'TENANT_REQUIRED'])
    const forged = { host: 'x.org', 'x-forwarded-host': 'shop.acme.example' }
    expect(await ask(forged)).toEqual([400, 'TENANT_REQUIRED'])
  })

  it('can read one segment of the path', async () => {
    await start({ tenant: { header: false, strategies: [tenantFromPath('/t/:tenant')] } })
    expect(await ask({}, '/t/acme/who')).toBe('acme')
    expect(await ask({}, '/T/ac%6De/who')).toBe('acme')
    expect(await ask({}, '/t/a%2Fb/who')).toEqual([400, 'TENANT_INVALID'])
    expect(await ask({}, '/who/anyone')).toBeNull()
    expect(() => tenantFromPath('/t')).toThrow(TypeError)
    expect(() => tenantFromPath('/:a/:tenant')).toThrow(TypeError)
    expect(() => tenantFromPath(undefined as never)).toThrow(/tenantFromPath\('undefined'\)/)
  })

  it.each(['https://a.example', 'a.example:80', '*.a.example', '.a.example', 'müller.example', ''])(
    'cannot be created with the invalid host name %j',
    (name) => {
      expect(() => tenantFromHost({ [name]: 'acme' })).toThrow(
        /^tenantFromHost\(\): .+is not a host name/,
      )
      expect(() => tenantFromSubdomain({ domain: name })).toThrow(/^tenantFromSubdomain\(\): '/)
    },
  )

  it('cannot be created without a host name', () => {
    expect(() => tenantFromHost(undefined as never)).toThrow(/undefined is not a host name/)
    expect(() => tenantFromSubdomain('a.example' as never)).toThrow(/undefined is not a host name/)
    expect(() => tenantFromSubdomain(undefined as never)).toThrow(/undefined is not a host name/)
    expect(tenantFromHost({ '[::1]': 'acme', 'xn--mller-kva.example': 'b' })).toBeTypeOf('function')
  })
})

describe('a middleware that sets the tenant', () => {
  const byOrg: RequestHandler = (req, _res, next) => {
    const org = req.get('x-org')
    if (org === undefined) return next(new BadRequestError('Which organisation?'))
    runWithTenant(org, next)
  }

  it('can set it with runWithTenant()', async () => {
    await start({ middlewares: [byOrg] })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
    expect(await ask({ 'x-org': 'acme' }, '/who/anyone')).toBe('acme')
    expect(await ask({})).toEqual([400, 'BAD_REQUEST'])
  })

  it('can set it asynchronously', async () => {
    const later: RequestHandler = (req, _res, next) =>
      setTimeout(() => runWithTenant(req.get('x-org'), () => next()), 1)
    await start({ middlewares: [later] })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
  })

  it('overrides the tenant option', async () => {
    await start({ tenant: {}, middlewares: [byOrg] })
    expect(await ask({ 'x-org': 'acme', 'x-tenant-id': 'zeta' })).toBe('acme')
  })

  it('can be created with createTenantMiddleware()', async () => {
    await start({ middlewares: [createTenantMiddleware({ header: 'x-org' })] })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
    expect(await ask({ 'x-org': 'a b' })).toEqual([400, 'TENANT_INVALID'])
    expect(await ask({})).toEqual([400, 'TENANT_REQUIRED'])
  })

  it('can require a tenant, as createTenantMiddleware({ required: true })', async () => {
    await start({ middlewares: [createTenantMiddleware({ required: true })] })
    expect(await ask({}, '/who/anyone')).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask({ 'x-tenant-id': 'acme' }, '/who/anyone')).toBe('acme')
  })

  it('cannot be created with unknown options or with `authorize`', () => {
    const make = (options: object) => () => createTenantMiddleware(options)
    expect(make({ heder: 'x-org' })).toThrow(/createTenantMiddleware\(\): heder/)
    expect(make({ authorize: () => false })).toThrow(/createTenantMiddleware\(\): authorize/)
  })

  it('keeps an earlier tenant if createTenantMiddleware() finds no header', async () => {
    await start({ middlewares: [byOrg, createTenantMiddleware({ required: true })] })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
    expect(await ask({ 'x-org': 'acme', 'x-tenant-id': 'zeta' })).toBe('zeta')
  })

  it('causes a 500 if it calls runWithTenant() without an ID', async () => {
    const careless: RequestHandler = (req, _res, next) => runWithTenant(req.get('x-org'), next)
    await start({ middlewares: [careless] })
    expect(await ask({ 'x-org': 'acme' })).toBe('acme')
    expect(await ask({}, '/who/anyone')).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  })
})
