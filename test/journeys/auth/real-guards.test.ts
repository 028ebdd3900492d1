import {
  Auth,
  Can,
  Controller,
  Get,
  getTenantId,
  Post,
  Public,
  type Req,
  type Request,
  schemeOf,
  Tenant,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { SetsSession, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const secret = 'a secret for tests, which has 32 bytes and more'
const user = jwt({
  keys: secret,
  claims: z.object({ sub: z.string(), email: z.string(), org: z.string() }),
  tenant: 'org',
})
const partnerKey = generateApiKey({ prefix: 'shop_test' })
const partner = apiKeys({
  prefix: 'shop_test',
  find: (hash) =>
    hash === partnerKey.hash
      ? { id: 'key-1', hash, tenant: 'acme', permissions: ['orders:write'] }
      : undefined,
})
const web = sessions()

@Auth('user', 'partner', 'web')
@Controller('orders')
class OrdersController {
  @Get()
  list(req: Request) {
    return { by: schemeOf(req), tenant: getTenantId() }
  }

  @Auth()
  @Get('mine')
  mine(req: Req<{ auth: typeof user }>) {
    return { email: req.user.email satisfies string, tenant: getTenantId() }
  }

  @Can('orders:write')
  @Post()
  write(req: Request) {
    return { by: schemeOf(req) }
  }

  @Public()
  @Tenant()
  @SetsSession()
  @Post('login')
  async login(req: Request) {
    const session = await web.of(req)
    await session.login({ id: 7, permissions: ['orders:write'] })
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({
    controllers: [OrdersController],
    auth: { guards: { user, partner, web } },
    plugins: [web],
    tenant: {},
    logger: false,
    contract: 'throw',
  })
})
afterEach(() => app.close())

const token = (org = 'acme') =>
  `Bearer ${signTestToken({ sub: 'u1', email: 'ann@example.com', org }, secret, { clock: app.clock })}`
const forged = () => `${token().slice(0, -4)}AAAA`
const ORIGIN = { 'sec-fetch-site': 'same-origin' }

/** Logs in for a tenant. Returns the cookie. */
async function login(tenant = 'acme'): Promise<string> {
  const { headers } = await app
    .request()
    .post('/orders/login')
    .set('x-tenant-id', tenant)
    .expect(204)
  return (headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] as string
}

/** The response to a request with these headers: its status, and what it says. */
async function ask(headers: Record<string, string>, path = '/orders') {
  const { status, body } = await app.request().get(path).set(headers)
  return `${status} ${body.data === undefined ? body.code : Object.values(body.data).join(' ')}`
}

describe('a token, a key and a session on one route', () => {
  it('each admit their own caller, for the tenant of the credential', async () => {
    expect(await ask({})).toBe('401 UNAUTHORIZED')
    expect(await ask({ authorization: token() })).toBe('200 user acme')
    expect(await ask({ 'x-api-key': partnerKey.key })).toBe('200 partner acme')
    const cookie = await login()
    expect(await ask({ cookie, 'x-tenant-id': 'acme' })).toBe('200 web acme')
  })

  it('do not admit callers of another tenant', async () => {
    const other = { 'x-tenant-id': 'zeta' }
    expect(await ask({ authorization: token(), ...other })).toBe('403 TENANT_FORBIDDEN')
    expect(await ask({ 'x-api-key': partnerKey.key, ...other })).toBe('403 TENANT_FORBIDDEN')
    expect(await ask({ cookie: await login(), ...other })).toBe('401 UNAUTHORIZED')
    expect(await ask({ authorization: token('zeta'), 'x-api-key': partnerKey.key })).toBe(
      '403 TENANT_FORBIDDEN',
    )
  })

  it('are refused if they are sent together with a wrong credential', async () => {
    const cookie = await login()
    const key = { 'x-api-key': partnerKey.key }
    const wrongKey = { 'x-api-key': generateApiKey({ prefix: 'shop_test' }).key }
    const tenant = { 'x-tenant-id': 'acme' }
    const wrongCookie = `${cookie.slice(0, -4)}AAAA`
    for (const headers of [
      { authorization: forged(), ...key },
      { authorization: token(), ...wrongKey },
      { ...key, cookie: wrongCookie, ...tenant },
      { ...wrongKey, cookie, ...tenant },
      { authorization: forged(), cookie, ...tenant },
    ]) {
      expect(await ask(headers)).toBe('401 UNAUTHORIZED')
    }
    expect(await ask({ authorization: token(), ...key })).toBe('200 user acme')
  })

  it('are ignored by a route that does not accept them', async () => {
    expect(await ask({ authorization: token(), 'x-api-key': 'wrong' }, '/orders/mine')).toBe(
      '200 ann@example.com acme',
    )
    expect(await ask({ 'x-api-key': partnerKey.key }, '/orders/mine')).toBe('401 UNAUTHORIZED')
  })

  it('provide the abilities that `@Can` checks', async () => {
    const post = (headers: Record<string, string>) => app.request().post('/orders').set(headers)
    await post({ authorization: token() }).expect(403)
    await post({ 'x-api-key': partnerKey.key }).expect(200)
    const cookie = await login()
    await post({ cookie, 'x-tenant-id': 'acme', ...ORIGIN }).expect(200)
    const foreign = { cookie, 'x-tenant-id': 'acme', 'sec-fetch-site': 'cross-site' }
    expect((await post(foreign).expect(403)).body.code).toBe('CROSS_ORIGIN')
  })

  it('appear in the document under the names of their guards', () => {
    const { components, paths } = app.document as unknown as {
      components: { securitySchemes: Record<string, { type: string }> }
      paths: Record<string, Record<string, { security: unknown; responses: object }>>
    }
    expect(
      Object.entries(components.securitySchemes).map(([name, { type }]) => [name, type]),
    ).toEqual([
      ['user', 'http'],
      ['partner', 'apiKey'],
      ['web', 'apiKey'],
    ])
    expect(paths['/orders']?.['get']?.security).toEqual([
      { user: [] },
      { partner: [] },
      { web: [] },
    ])
    expect(paths['/orders/mine']?.['get']?.security).toEqual([{ user: [] }])
    expect(Object.keys(paths['/orders']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining(['2XX', '401', '403']),
    )
  })

  it('can be columns of authMatrix()', async () => {
    const cookie = await login()
    const matrix = await app.authMatrix({
      nobody: null,
      token: app.with({ authorization: token() }),
      key: app.with({ 'x-api-key': partnerKey.key }),
      session: app.with({ cookie, 'x-tenant-id': 'acme', ...ORIGIN }),
    })
    expect(String(matrix)).toMatchInlineSnapshot(`
      "                    nobody  token    key      session
      GET /orders         401     allowed  allowed  allowed
      GET /orders/mine    401     allowed  401      401
      POST /orders        401     403      allowed  allowed
      POST /orders/login  400     400      400      allowed

      400: the request has no tenant, so the access is unknown (nobody, token, key). Set a tenant for the callers: { nobody: app.as(…).asTenant('acme') }."
    `)
  })

  it('result in responses with Cache-Control: no-store', async () => {
    const tenant = { 'x-tenant-id': 'acme' }
    const credentials = [
      { authorization: token() },
      { 'x-api-key': partnerKey.key },
      { cookie: await login(), ...tenant },
    ]
    for (const each of credentials) {
      const { headers } = await app.request().get('/orders').set(each).expect(200)
      expect(headers['cache-control']).toBe('no-store')
    }
  })
})
