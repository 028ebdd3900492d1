import {
  Auth,
  Controller,
  Get,
  RateLimit,
  type RateLimitPolicy,
  type Request,
  type RequestHandler,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { kTenantScope } from '../../../src/http/symbol-fields.js'
import { appsOfTest, namedGuard, statuses } from './support.js'

const once = { limit: 1, window: 60 } as const

/** A controller with one protected and one open route under a limit. */
function limited(policy: RateLimitPolicy) {
  @RateLimit(policy)
  @Controller('things')
  class ThingsController {
    @Auth()
    @Get()
    list() {
      return []
    }

    @Get('open')
    open() {
      return []
    }
  }
  return [ThingsController]
}

describe('a rate limit by user', () => {
  const apps = appsOfTest()
  const rateLimit = { policies: [] }
  const auth = { guard: namedGuard }
  const start = () => {
    const controllers = limited({ ...once, by: 'user' })
    return apps.inProcess({ controllers, rateLimit, auth })
  }

  it('counts each user separately', async () => {
    const app = await start()
    const get = async (user: unknown) =>
      (await app.as({ id: user }).request().get('/things')).status
    expect([await get('ada'), await get('ada'), await get('bob')]).toEqual([200, 429, 200])
    expect([await get(7), await get(7), await get('7')]).toEqual([200, 429, 429])
    expect([await get(8n), await get(8n)]).toEqual([200, 429])
  })

  it('uses `sub` if the user has no `id`', async () => {
    const app = await start()
    const get = async (user: object) => (await app.as(user).request().get('/things')).status
    expect([
      await get({ sub: 'ada' }),
      await get({ sub: 'bob' }),
      await get({ sub: 'ada' }),
    ]).toEqual([200, 200, 429])
  })

  it.each([
    {},
    { id: '' },
    { id: null },
    { id: {} },
    { id: ['ada'] },
    { id: true },
    { sub: undefined },
  ])('counts by address if the user has no usable ID: %o', async (user) => {
    const app = await start()
    expect(await statuses(app, '/things/open')).toEqual([200])
    expect((await app.as(user).request().get('/things')).status).toBe(429)
  })

  it('does not confuse a user ID with an equal address', async () => {
    const app = await start()
    const named = await app.as({ id: '127.0.0.1' }).request().get('/things')
    expect(named.status).toBe(200)
    expect(await statuses(app, '/things/open', '/things/open')).toEqual([200, 429])
  })

  it('distinguishes any two different IDs, including long IDs', async () => {
    const app = await start()
    const get = async (id: string) => (await app.as({ id }).request().get('/things')).status
    const long = 'x'.repeat(5000)
    expect([await get(`${long}1`), await get(`${long}2`), await get(`${long}1`)]).toEqual([
      200, 200, 429,
    ])
    const separators = ['a:b', 'a', 'a:', ':a', '__proto__', 'constructor', '%3A', ':']
    for (const id of separators) expect(await get(id)).toBe(200)
  })

  it('counts requests without a route by their address', async () => {
    const app = await apps.inProcess({ rateLimit: { ...once, by: 'user' } })
    expect(await statuses(app, '/nowhere', '/nowhere')).toEqual([404, 429])
  })
})

describe('a rate limit by tenant', () => {
  const apps = appsOfTest()
  // The field that the tenant feature sets on the request.
  const tenant: RequestHandler = (req, _res, next) => {
    const id = req.get('x-tenant')
    Object.assign(req, { [kTenantScope]: { id, origin: {}, host: undefined } })
    next()
  }

  it('counts by tenant, or by address if the request has no tenant', async () => {
    const app = await apps.inProcess({
      controllers: limited({ ...once, by: 'tenant' }),
      rateLimit: { policies: [] },
      middlewares: [tenant],
    })
    const get = async (headers: Record<string, string>) =>
      (await app.request().get('/things/open').set(headers)).status
    expect([await get({ 'x-tenant': 'a' }), await get({ 'x-tenant': 'b' })]).toEqual([200, 200])
    expect([await get({ 'x-tenant': 'a' }), await get({ 'x-tenant': 'b' })]).toEqual([429, 429])
    expect([await get({}), await get({})]).toEqual([200, 429])
  })

  it('counts requests without a route by their address, even with different tenants', async () => {
    const app = await apps.inProcess({
      rateLimit: { ...once, by: 'tenant' },
      middlewares: [tenant],
    })
    const get = async (id: string) =>
      (await app.request().get('/nowhere').set('x-tenant', id)).status
    expect([await get('a'), await get('b'), await get('c')]).toEqual([404, 429, 429])
  })
})

describe('a rate limit by a function', () => {
  const apps = appsOfTest()

  it('counts by address if the function rejects, and leaves no unhandled rejection', async () => {
    const by = (() => Promise.reject(new Error('by'))) as never
    const app = await start(by)
    expect(await statuses(app, '/things/open', '/things/open')).toEqual([200, 429])
    await new Promise(setImmediate)
  })

  const start = (by: (req: Request) => string) =>
    apps.inProcess({ controllers: limited({ ...once, by }), rateLimit: { policies: [] } })

  it('counts by the return value of the function', async () => {
    const app = await start((req) => String(req.query['key']))
    const paths = ['/things/open?key=a', '/things/open?key=b', '/things/open?key=a']
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429])
  })

  it.each([
    ['throws', () => raise()],
    ['returns undefined', () => undefined],
    ['returns the empty string', () => ''],
    ['returns a number', () => 1],
    ['returns an object', () => ({})],
    ['returns a promise', () => Promise.resolve('a')],
  ])('counts by address, and logs one warning, if the function %s', async (_, by) => {
    const app = await start(by as () => string)
    const paths = ['/things/open', '/things/open', '/things/open']
    expect(await statuses(app, ...paths)).toEqual([200, 429, 429])
    const logged = app.logs.filter(({ message }) => message.includes('`by`'))
    expect(logged).toHaveLength(1)
  })
})

function raise(): never {
  throw new Error('no name')
}
