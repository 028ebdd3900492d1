import {
  Auth,
  Controller,
  Get,
  getTenantId,
  Post,
  type Request,
  runWithTenant,
  Tenant,
} from 'blazon'
import { type SessionsOptions, SetsSession, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { usable } from '../../support.js'

interface Account {
  readonly id: number
  readonly clinic?: unknown
}

type Options = SessionsOptions<unknown, unknown, Account>

const ANA: Account = { id: 1, clinic: 'acme' }

async function start(options: Options, account: Account = ANA) {
  const web = sessions<Record<never, never>, Record<never, never>, Account>(options as never)

  @Controller('site')
  class SiteController {
    @SetsSession()
    @Post('login')
    async login(req: Request) {
      const session = await web.of(req)
      const named = req.get('x-checked')
      await (named === undefined
        ? session.login(account)
        : runWithTenant(named, () => session.login(account)))
    }

    @Auth()
    @Tenant()
    @Get('rows')
    rows() {
      return { tenant: getTenantId() }
    }

    @Get('open')
    async open(req: Request) {
      const { isLoggedIn } = await web.of(req)
      return { isLoggedIn, tenant: getTenantId() ?? null }
    }
  }
  const app = await TestApp.create({
    controllers: [SiteController],
    auth: { guard: web },
    plugins: [web],
    tenant: {},
    logger: false,
  })
  const agent = app.request()
  const get = async (path: string, tenant?: string) => {
    const sent = agent.get(`/site/${path}`)
    const response = await (tenant === undefined ? sent : sent.set('x-tenant-id', tenant))
    const { decisions } = app.explain(response)
    const { status, body } = response
    return {
      status,
      code: body.code,
      data: body.data,
      reasons: decisions.map(({ reason }) => reason),
    }
  }
  const login = async (headers: Record<string, string> = {}) =>
    expect(
      (await agent.post('/site/login').set({ 'sec-fetch-site': 'same-origin', ...headers })).status,
    ).toBe(204)
  return { app, get, login }
}

describe('a session with the tenant option', () => {
  it.each<[string, Options]>([
    ['a field of the user', { tenant: 'clinic' }],
    ['a function of the user', { tenant: ({ clinic }) => String(clinic) }],
    ['the user that findUser has found', { tenant: 'clinic', findUser: () => ANA }],
  ])('belongs only to the tenant from %s', async (_, options) => {
    const { app, get, login } = await start(options)
    await login()
    expect(await get('rows')).toMatchObject({ status: 200, data: { tenant: 'acme' } })
    expect(await get('rows', 'acme')).toMatchObject({ status: 200, data: { tenant: 'acme' } })
    expect(await get('rows', 'globex')).toMatchObject({
      status: 403,
      code: 'TENANT_FORBIDDEN',
      reasons: expect.arrayContaining(['the credential belongs to another tenant']),
    })
    expect((await get('open', 'globex')).data).toEqual({ isLoggedIn: true, tenant: null })
    await app.close()
  })

  it.each([undefined, null, 7, '', ['acme']])(
    'has no tenant if the field contains %j',
    async (clinic) => {
      const { app, get, login } = await start({ tenant: 'clinic' }, { id: 1, clinic })
      await login()
      expect(await get('rows')).toMatchObject({ status: 400, code: 'TENANT_REQUIRED' })
      expect(await get('rows', 'acme')).toMatchObject({ status: 403, code: 'TENANT_FORBIDDEN' })
      await app.close()
    },
  )

  it('has no tenant if the option names a built-in property of objects', async () => {
    const { app, get, login } = await start({ tenant: 'constructor' })
    await login()
    expect((await get('rows')).status).toBe(400)
    await app.close()
  })

  it.each<[string, object]>([
    ['tenant', { tenant: '' }],
    ['tenant', { tenant: 7 }],
    ['tenant', { tenant: 'clinic', bindTenant: true }],
  ])('cannot be configured with an invalid `%s`: %j', (name, options) => {
    expect(() => usable(sessions(options))).toThrow(`sessions(): ${name}`)
  })
})

describe('a refusal by the session guard', () => {
  it('has a reason that explains why the session is not valid', async () => {
    const { app, get, login } = await start({ idle: '1h' })
    expect((await get('rows')).reasons).toContain('the request has no credential for it')
    await login()
    // The login was for no tenant.
    expect((await get('rows', 'acme')).reasons).toContain(
      'the session began without a tenant, but the request specifies one: log in for the tenant, or set the option `tenant` of sessions()',
    )
    await login({ 'x-checked': 'acme' })
    expect((await get('rows', 'acme')).status).toBe(200)
    expect((await get('rows', 'globex')).reasons).toContain(
      'the session belongs to a different tenant than the request',
    )
    expect((await get('rows')).reasons).toContain(
      'the session belongs to a tenant, but the request specifies none: specify the tenant, or set the option `tenant` of sessions()',
    )
    await app.clock.advance('2h')
    expect((await get('rows', 'acme')).reasons).toContain(
      'no session has the ID in the cookie: the session has ended',
    )
    await app.close()
  })

  it('has a reason if findUser has found no user', async () => {
    const { app, get, login } = await start({ tenant: 'clinic', findUser: () => null })
    await login()
    expect((await get('rows')).reasons).toContain('findUser did not find the user of the session')
    await app.close()
  })
})
