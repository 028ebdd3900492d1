import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Controller,
  Get,
  getTenantId,
  type Request,
  schemeOf,
  Tenant,
} from 'blazon'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { sessions } from 'blazon/sessions'
import { TestApp, type TestCaller } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

const { key, hash } = generateApiKey({ prefix: 'shop_test' })
const partner = apiKeys({
  prefix: 'shop_test',
  find: (wanted) => (wanted === hash ? { id: 'k', hash, tenant: 'acme' } : undefined),
})
const web = sessions()
/** A class, whose places are static. */
class StaffGuard implements AuthGuard {
  static readonly credentials = ['X-Staff', 'cookie:staff']
  canActivate(req: Request) {
    req.user = { id: 'staff' }
    return String(req.headers['x-staff'] ?? req.headers.cookie).includes('right')
  }
}

@Auth('partner', 'web', 'staff', { optional: true })
@Controller('me')
class MeController {
  @Get()
  me(req: Request) {
    return {
      id: req.user?.id ?? null,
      by: schemeOf(req) ?? null,
      tenant: getTenantId() ?? null,
      cookie: req.get('cookie') ?? null,
      other: req.get('x-other') ?? null,
    }
  }

  @Auth('partner')
  @Tenant()
  @Get('tenant')
  tenant(req: Request) {
    return { id: req.user?.id ?? null, tenant: getTenantId() ?? null, by: schemeOf(req) }
  }
}

async function startApp(options: AppOptions = {}) {
  const app = await TestApp.create({
    controllers: [MeController],
    auth: { guards: { partner, web, staff: StaffGuard } },
    plugins: [web],
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

async function ask(caller: Pick<TestCaller, 'request'>, path = '/me') {
  const { status, body } = await caller.request().get(path)
  return status === 200 ? body.data : status
}

const NOBODY = { id: null, by: null, tenant: null, cookie: null, other: null }

describe('the as() method', () => {
  it.each<[string, Record<string, string>]>([
    ['the API key header', { 'X-API-Key': key }],
    ['the Authorization header', { authorization: 'Bearer x' }],
    ['the header of a guard class', { 'x-staff': 'right' }],
    ['the session cookie', { cookie: 'session=x' }],
    ['the __Host- session cookie', { cookie: '__Host-session=x' }],
    ['the cookie of a guard class', { cookie: 'staff=right' }],
    [
      'several credentials',
      { cookie: 'session=x; staff=right', 'x-staff': 'right', 'x-api-key': key },
    ],
  ])('removes %s that with() or withHeaders() has set', async (_, headers) => {
    const app = await startApp()
    expect(await ask(app.with(headers).as(null))).toEqual(NOBODY)
    app.withHeaders({ ...headers, 'X-Other': 'stays' })
    expect(await ask(app.as(null))).toEqual({ ...NOBODY, other: 'stays' })
    expect(await ask(app.as({ id: 1 }))).toMatchObject({ id: 1, other: 'stays', cookie: null })
  })

  it('keeps the cookies that no guard reads', async () => {
    const app = await startApp()
    const cookie = 'theme=dark; staff=right; session=x; staffs=1;'
    expect(await ask(app.with({ cookie }).as(null))).toEqual({
      ...NOBODY,
      cookie: 'theme=dark; staffs=1;',
    })
  })

  it('removes the headers in `auth.credentials` if the guard has no `credentials` of its own', async () => {
    const guard = { canActivate: (req: Request) => req.get('x-token') === 'right' }
    @Auth({ optional: true })
    @Controller('me')
    class OneController {
      @Get()
      me(req: Request) {
        return { token: req.get('x-token') ?? null }
      }
    }
    const auth = { guard, credentials: ['X-Token'] }
    const app = await startApp({ controllers: [OneController], auth, plugins: [] })
    expect(await ask(app.with({ 'x-token': 'right' }))).toEqual({ token: 'right' })
    expect(await ask(app.with({ 'x-token': 'wrong' }))).toBe(401)
    expect(await ask(app.with({ 'x-token': 'right' }).as(null))).toEqual({ token: null })
  })

  it('keeps headers that are added to the caller afterwards', async () => {
    const app = await startApp({ tenant: {} })
    const caller = app.as(null).with({ 'x-api-key': key })
    expect(await ask(caller, '/me/tenant')).toEqual({ id: 'k', tenant: 'acme', by: 'partner' })
    expect(await ask(app.as(null).with({ 'x-api-key': 'wrong' }))).toBe(401)
  })

  it('also removes the credentials for a principal of authMatrix() that is null', async () => {
    const app = await startApp({ tenant: {} })
    app.withHeaders({ 'x-api-key': key, cookie: 'staff=right' })
    const matrix = await app.authMatrix({ nobody: null, partner: app.with({ cookie: 'a=b' }) })
    expect(matrix.rows.map(({ access }) => access)).toEqual([
      { nobody: 'allowed', partner: 'allowed' },
      { nobody: 401, partner: 'allowed' },
    ])
  })
})

describe('asTenant() with a credential that determines the tenant', () => {
  it('gives the test user a credential of this tenant', async () => {
    const app = await startApp({ tenant: {} })
    const ann = app.as({ id: 'ann' }).asTenant('acme')
    expect(await ask(ann, '/me/tenant')).toEqual({ id: 'ann', tenant: 'acme', by: 'partner' })
    expect(await ask(ann.with({ 'x-tenant-id': 'globex' }), '/me/tenant')).toBe(403)
    expect(await ask(app.asTenant('acme').as({ id: 'ann' }), '/me/tenant')).toMatchObject({
      tenant: 'acme',
    })
    // Without asTenant, nothing says to which tenant the user belongs.
    const any = app.as({ id: 'any' })
    expect(await ask(any.with({ 'x-tenant-id': 'globex' }), '/me/tenant')).toMatchObject({
      tenant: 'globex',
    })
    expect(await ask(any, '/me/tenant')).toBe(400)
  })

  it('works even if `tenant.header` is false', async () => {
    const app = await startApp({ tenant: { header: false } })
    const ann = app.as({ id: 'ann' }).asTenant('acme')
    expect(await ask(ann, '/me/tenant')).toEqual({ id: 'ann', tenant: 'acme', by: 'partner' })
    const bob = ann.as({ id: 'bob' })
    expect(await ask(bob, '/me/tenant')).toMatchObject({ id: 'bob', tenant: 'acme' })
    expect(await ask(bob.asTenant('globex'), '/me/tenant')).toMatchObject({ tenant: 'globex' })
    expect(await ask(ann.as(null), '/me/tenant')).toBe(401)
  })

  it('throws an error with the reason if it cannot set the tenant', async () => {
    const app = await startApp({ tenant: { header: false } })
    const header = 'asTenant() sends a header, and `tenant.header` is false: '
    const wrong = `${header}call as(user) first, or send a credential of this tenant.`
    expect(() => app.asTenant('acme')).toThrow(wrong)
    expect(() => app.with({ 'x-api-key': key }).asTenant('acme')).toThrow(wrong)
    expect(() => app.as(null).asTenant('acme')).toThrow(wrong)
    const silent = await startApp({
      auth: {
        guards: {
          partner: { canActivate: () => true },
          web: { canActivate: () => true },
          staff: StaffGuard,
        },
      },
      tenant: { header: false, authorize: () => true },
    })
    expect(() => silent.as({ id: 1 }).asTenant('acme')).toThrow(
      `${header}specify the tenant as your clients do.`,
    )
  })
})
