import { Auth, BaseController, Can, Controller, Get, Post, type Req, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

@Controller('me')
class MeController extends BaseController {
  @Auth()
  @Get()
  me(req: Req, res: Response) {
    return this.ok(res, 'You', { user: req.user, tenant: req.get('x-tenant-id') })
  }

  @Can('orders:write')
  @Post('orders')
  order(req: Req<{ auth: true }>, res: Response) {
    return this.ok(res, 'Ordered', { by: req.user.id }, 201)
  }

  @Get('headers')
  headers(req: Req, res: Response) {
    return this.ok(res, 'Headers', { user: req.user, headers: req.headers })
  }
}

let asked = 0
const guard = {
  async canActivate(req: Req) {
    asked++
    req.user = { id: 'by-guard' }
    return req.get('authorization') === 'Bearer real'
  },
}

let app: TestApp
beforeEach(async () => {
  asked = 0
  app = await TestApp.create({ controllers: [MeController], auth: { guard } })
})
afterEach(() => app.close())

it('withAuth() throws if the token is undefined', () => {
  const body: { token?: string } = {}
  expect(() => app.withAuth(body.token as string)).toThrow('withAuth(): undefined is not a token')
})

describe('the as(user) method', () => {
  it('sends requests as the user, without calling the guard', async () => {
    const { status, body } = await app.as({ id: 7 }).request().get('/me')
    expect(status).toBe(200)
    expect(body.data.user).toEqual({ id: 7 })
    expect(asked).toBe(0)
  })

  it('still requires the abilities of @Can', async () => {
    const clerk = app.as({ id: 1, permissions: ['orders:write'] })
    const auditor = app.as({ id: 2, permissions: ['orders:read'] })
    await clerk.request().post('/me/orders').expect(201)
    await auditor.request().post('/me/orders').expect(403)
  })

  it('gives access to protected routes even if the application has no guard', async () => {
    const bare = await TestApp.create({ controllers: [MeController], logger: false })
    await bare.as({ id: 7 }).request().get('/me').expect(200)
    await bare.request().get('/me').expect(401)
    await bare.close()
  })

  it('sets no user on unprotected routes', async () => {
    const { body } = await app.as({ id: 7 }).request().get('/me/headers')
    expect(body.data.user).toBeUndefined()
  })

  it('sends no additional headers', async () => {
    const { body } = await app.as({ id: 7 }).request().get('/me/headers')
    const plain = await app.request().get('/me/headers')
    expect(body.data.headers).toEqual(plain.body.data.headers)
  })

  it('does not send the token set with withAuth()', async () => {
    app.withAuth('real')
    const { body } = await app.as({ id: 7 }).request().get('/me/headers')
    expect(body.data.headers).not.toHaveProperty('authorization')
  })

  it('throws if the user is undefined or a string', async () => {
    const users: { id: number }[] = []
    expect(() => app.as(users[0] as { id: number })).toThrow('as(): undefined is not a user')
    expect(() => app.asTenant('acme').as('ada' as never)).toThrow('as(): ada is not a user')
  })

  it('sends anonymous requests to the guard if the user is null', async () => {
    app.withAuth('real')
    await app.as(null).request().get('/me').expect(401)
    await app.as({ id: 7 }).as(null).request().get('/me').expect(401)
    expect(asked).toBe(2)
    await app.request().get('/me').expect(200)
  })
})

describe('callers', () => {
  it('are independent when they send requests concurrently', async () => {
    const ids = Array.from({ length: 20 }, (_, id) => id)
    const callers = ids.map((id) => app.as({ id }))
    const rounds = await Promise.all(
      [...ids, ...ids].map(async (id) => {
        const caller = callers[id] as (typeof callers)[number]
        const answer = id % 2 === 0 ? await caller.request().get('/me') : null
        const body = answer?.body ?? (await (await caller.fetch('/me')).json())
        return body.data.user.id
      }),
    )
    expect(rounds).toEqual([...ids, ...ids])
    expect(asked).toBe(0)
  })

  it('are not affected by headers that withHeaders() sets later', async () => {
    app.withHeaders({ 'x-tenant-id': 'a' })
    const before = app.as({ id: 7 })
    app.withHeaders({ 'x-tenant-id': 'b' })
    expect((await before.request().get('/me')).body.data.tenant).toBe('a')
    expect((await app.as({ id: 7 }).request().get('/me')).body.data.tenant).toBe('b')
  })

  it('can be derived from other callers without changing them', async () => {
    const user = app.as({ id: 7 })
    const tenant = user.asTenant('acme')
    const other = tenant.with({ 'X-Tenant-Id': 'other' })
    const tenantOf = async (caller: typeof user) =>
      (await caller.request().get('/me')).body.data.tenant
    expect(await Promise.all([user, tenant, other].map(tenantOf))).toEqual([
      undefined,
      'acme',
      'other',
    ])
    const { body } = await app
      .asTenant('acme')
      .with({ authorization: 'Bearer real' })
      .request()
      .get('/me')
    expect(body.data).toEqual({ user: { id: 'by-guard' }, tenant: 'acme' })
  })

  it('cannot send requests after the application is closed', async () => {
    const caller = app.as({ id: 7 })
    await app.close()
    await expect(caller.fetch('/me')).rejects.toThrow('fetch failed')
    await expect(caller.request().get('/me')).rejects.toThrow()
  })
})

it('a TestApp declared with `await using` closes at the end of its block', async () => {
  const closed: string[] = []
  const plugin = { name: 'p', onClose: () => void closed.push('p') }
  {
    await using scoped = await TestApp.create({
      controllers: [MeController],
      plugins: [plugin],
      logger: false,
    })
    await scoped.request().get('/me').expect(401)
    expect(closed).toEqual([])
  }
  expect(closed).toEqual(['p'])
})

it('a TestApp exposes no internal properties', () => {
  const names = new Set<string>()
  for (let at: object = app; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  }
  const inner = ['overrides', 'ignoredOverrides', 'harness', 'match', 'model', 'logger']
  expect(inner.filter((name) => names.has(name))).toEqual([])
})
