import { InjectionToken, type Request } from 'blazon'
import { type ApiKeyRecord, apiKeys, generateApiKey } from 'blazon/keys'
import { describe, expect, it } from 'vitest'
import {
  Keys,
  listening,
  OrdersController,
  startWith,
  statusOfLines,
  statusWith,
} from './support.js'

describe('a request to an application that accepts API keys', () => {
  it('has the user of its key, with the abilities of the key', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find })
    const reader = keys.add({ name: 'CI', tenant: 'acme', permissions: ['orders:read'] })
    const writer = keys.add({ roles: ['orders:write'] })
    const { status, body } = await app.request().get('/orders').set('X-API-Key', reader)
    expect({ status, user: body.data }).toEqual({
      status: 200,
      user: {
        id: 'key-1',
        provider: 'api-key',
        name: 'CI',
        tenant: 'acme',
        permissions: ['orders:read'],
        roles: [],
      },
    })
    const write = (key: string) => app.request().get('/orders/write').set('x-api-key', key)
    expect([(await write(reader)).status, (await write(writer)).status]).toEqual([403, 200])
  })

  it('has a user that the application creates anew for each request', async () => {
    const keys = new Keys()
    const made: object[] = []
    const user = (record: ApiKeyRecord, req: Request) => {
      made.push({ id: `client of ${record.id}`, path: req.path })
      return made.at(-1) as object
    }
    const app = await startWith({ find: keys.find, user })
    const key = keys.add()
    const { body } = await app.request().get('/orders').set('x-api-key', key)
    expect(body.data).toEqual({ id: 'client of key-1', path: '/orders' })
    await statusWith(app, key)
    expect(made).toHaveLength(2)
  })

  it('is accepted with a key of each configured prefix', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, prefix: ['acme', 'acme_live', 'acme_test'] })
    for (const prefix of ['acme', 'acme_live', 'acme_test']) {
      expect(await statusWith(app, keys.add({}, prefix))).toBe(200)
    }
    expect(await statusWith(app, keys.add({}, 'acme_dev'))).toBe(401)
    expect(keys.lookedUp).toHaveLength(3)
  })

  it('is accepted with the old and the new key during a key rotation, and only with the new key afterwards', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: 0 })
    const [old, renewed] = [keys.add({ tenant: 'acme' }), keys.add({ tenant: 'acme' })]
    expect([await statusWith(app, old), await statusWith(app, renewed)]).toEqual([200, 200])
    keys.change('key-1', { revokedAt: new Date(app.clock.now()) })
    expect([await statusWith(app, old), await statusWith(app, renewed)]).toEqual([401, 200])
  })

  it('is anonymous without a key on a route with optional auth, but refused with a wrong key', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find })
    const open = async (key?: string) => {
      const request = app.request().get('/open')
      const { status, body } = await (key === undefined ? request : request.set('x-api-key', key))
      return body.data?.by ?? status
    }
    expect([await open(), await open(keys.add()), await open('wrong'), await open('')]).toEqual([
      'anybody',
      'key-1',
      401,
      401,
    ])
  })

  it('is authenticated by a `find` function that can use the providers of the application', async () => {
    const Table = new InjectionToken<Map<string, ApiKeyRecord>>('Table')
    const { key, hash } = generateApiKey({ prefix: 'acme_live' })
    const table = new Map([[hash, { id: 'one', hash }]])
    const app = await startWith(
      { find: (wanted, { get }) => get(Table).get(wanted) },
      { modules: [{ providers: [{ token: Table, useValue: table }] }] },
    )
    expect(await statusWith(app, key)).toBe(200)
  })
})

describe('an API key', () => {
  it('expires according to the application clock, even while it is cached', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: '1d' })
    await app.clock.advance(0)
    const forms = [60_000, new Date(app.clock.now() + 60_000)].map((at) =>
      keys.add({ expiresAt: at instanceof Date ? at : app.clock.now() + at }),
    )
    for (const key of forms) {
      expect(await statusWith(app, key)).toBe(200)
    }
    await app.clock.advance('59999ms')
    for (const key of forms) expect(await statusWith(app, key)).toBe(200)
    await app.clock.advance('1ms')
    for (const key of forms) expect(await statusWith(app, key)).toBe(401)
    expect(keys.lookedUp).toHaveLength(2)
  })

  it('is looked up once per cache period, and a revocation takes effect when that period ends', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: '10s' })
    await app.clock.advance(0)
    const key = keys.add()
    for (let n = 0; n < 5; n++) expect(await statusWith(app, key)).toBe(200)
    expect(keys.lookedUp).toHaveLength(1)
    keys.change('key-1', { revokedAt: 0 })
    await app.clock.advance('9.999s')
    expect(await statusWith(app, key)).toBe(200)
    await app.clock.advance('1ms')
    expect(await statusWith(app, key)).toBe(401)
  })

  it('is cached for a period that begins with its lookup, even if the lookup takes long', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: '10s' })
    await app.clock.advance(0)
    const key = keys.add()
    keys.hold = () => app.clock.advance('6s')
    expect(await statusWith(app, key)).toBe(200)
    keys.change('key-1', { revokedAt: 0 })
    keys.hold = () => {}
    await app.clock.advance('4s')
    expect(await statusWith(app, key)).toBe(401)
  })

  it('is looked up once for concurrent requests, and again if that lookup exceeds the cache period', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: '10s' })
    await app.clock.advance(0)
    const key = keys.add()
    let release = () => {}
    keys.hold = () =>
      new Promise<void>((resolve) => {
        release = resolve
      })
    const together = Array.from({ length: 20 }, () => statusWith(app, key))
    await expect.poll(() => keys.lookedUp.length).toBe(1)
    // Another look-up begins for the same key after the time in which the first one could be kept.
    await app.clock.advance('10s')
    keys.hold = () => {}
    expect(await statusWith(app, key)).toBe(200)
    release()
    expect(new Set(await Promise.all(together))).toEqual(new Set([200]))
    expect(keys.lookedUp.length).toBe(2)
  })

  it('is looked up for each request if it is unknown, revoked or expired', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find, cacheFor: '1d' })
    const revoked = keys.add({ revokedAt: new Date(0) })
    const expired = keys.add({ expiresAt: app.clock.now() })
    const unknown = generateApiKey({ prefix: 'acme_live' }).key
    for (const key of [revoked, expired, unknown]) {
      const before = keys.lookedUp.length
      const responses = [
        await app.request().get('/orders').set('x-api-key', key),
        await app.request().get('/orders').set('x-api-key', key),
      ]
      expect(responses.map(({ status }) => status)).toEqual([401, 401])
      expect(keys.lookedUp.length).toBe(before + 2)
      expect(responses[0]?.body).toMatchObject({ message: 'Authentication is required' })
    }
    // A key that is stored late is accepted at once.
    const late = generateApiKey({ prefix: 'acme_live' })
    expect(await statusWith(app, late.key)).toBe(401)
    keys.records.set(late.hash, { id: 'late', hash: late.hash })
    expect(await statusWith(app, late.key)).toBe(200)
  })

  it('is refused for a request to another tenant', async () => {
    const keys = new Keys()
    const guard = apiKeys({ prefix: 'acme_live', find: keys.find })
    const app = await startWith(
      { find: keys.find },
      {
        auth: { guard },
        tenant: { authorize: (req, id) => guard.tenantOf?.(req) === id },
      },
    )
    const [acme, none] = [keys.add({ tenant: 'acme' }), keys.add()]
    const status = async (key: string, tenant: string) =>
      (await app.request().get('/orders').set({ 'x-api-key': key, 'x-tenant-id': tenant })).status
    expect([await status(acme, 'acme'), await status(acme, 'zeta')]).toEqual([200, 403])
    expect(await status(none, 'acme')).toBe(403)
    expect(apiKeys({ prefix: 'a', find: keys.find, tenant: false }).tenantOf).toBeUndefined()
  })
})

describe('the location of an API key', () => {
  const app = async (more: object, keys: Keys) =>
    listening({
      controllers: [OrdersController],
      auth: { guard: apiKeys({ prefix: 'acme_live', find: keys.find, ...more }) },
    })

  it('is a header that must occur exactly once, and never the URL', async () => {
    const keys = new Keys()
    const port = await app({}, keys)
    const [key, other] = [keys.add(), keys.add()]
    const status = (...lines: string[]) => statusOfLines(port, lines)
    expect(await status(`x-api-key: ${key}`)).toBe(200)
    expect(await status(`X-API-KEY:\t${key}  `)).toBe(200)
    keys.lookedUp.length = 0
    expect(await status(`x-api-key: ${key}`, `x-api-key: ${key}`)).toBe(401)
    expect(await status(`x-api-key: ${key}`, `X-Api-Key: ${other}`)).toBe(401)
    expect(await status(`x-api-key: ${key}, ${other}`)).toBe(401)
    expect(await status(`x-api-key: ${key},`)).toBe(401)
    expect(await status('x-api-key:')).toBe(401)
    expect(await status(`authorization: Bearer ${key}`)).toBe(401)
    expect(await status(`cookie: x-api-key=${key}`)).toBe(401)
    expect(await statusOfLines(port, [], `/orders?x-api-key=${key}&api_key=${key}`)).toBe(401)
    expect(keys.lookedUp).toEqual([])
  })

  it('can be a header with another name', async () => {
    const keys = new Keys()
    const port = await app({ header: 'Acme-Key' }, keys)
    const key = keys.add()
    expect(await statusOfLines(port, [`acme-key: ${key}`])).toBe(200)
    expect(await statusOfLines(port, [`x-api-key: ${key}`])).toBe(401)
  })

  it('can be the whole Authorization header, which must occur once', async () => {
    const keys = new Keys()
    const port = await app({ header: 'Authorization' }, keys)
    const key = keys.add()
    expect(await statusOfLines(port, [`authorization: ${key}`])).toBe(200)
    expect(await statusOfLines(port, [`authorization: Bearer ${key}`])).toBe(401)
    const twice = [`authorization: ${key}`, 'Authorization: Bearer x']
    expect(await statusOfLines(port, twice)).toBe(401)
  })

  it.each([['Bearer'], ['ApiKey']])(
    'can be the Authorization header with the scheme %s',
    async (scheme) => {
      const keys = new Keys()
      const port = await app({ scheme }, keys)
      const key = keys.add()
      const status = (...lines: string[]) => statusOfLines(port, lines)
      expect(await status(`Authorization: ${scheme} ${key}`)).toBe(200)
      expect(await status(`authorization: ${scheme.toUpperCase()}   ${key}`)).toBe(200)
      expect(await status(`authorization: ${key}`)).toBe(401)
      expect(await status(`authorization: ${scheme}${key}`)).toBe(401)
      expect(await status(`authorization: Basic ${key}`)).toBe(401)
      expect(await status(`authorization: ${scheme}`)).toBe(401)
      expect(await status(`x-api-key: ${key}`)).toBe(401)
      const line = `authorization: ${scheme} ${key}`
      expect(await status(line, 'authorization: Bearer x')).toBe(401)
      expect(await status(line, line)).toBe(401)
    },
  )

  it('is documented as a security scheme', () => {
    const guard = (more: object) => apiKeys({ prefix: 'acme_live', find: () => undefined, ...more })
    expect(guard({})).toMatchObject({
      credentials: ['x-api-key'],
      challenge: 'ApiKey',
      security: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    })
    expect(guard({ header: 'Acme-Key' })).toMatchObject({
      credentials: ['acme-key'],
      security: { type: 'apiKey', in: 'header', name: 'Acme-Key' },
    })
    expect(guard({ scheme: 'Bearer' })).toMatchObject({
      credentials: ['authorization'],
      challenge: 'Bearer',
      security: { type: 'http', scheme: 'bearer', bearerFormat: 'acme_live_…' },
    })
    expect(guard({ scheme: 'bearer', prefix: ['a', 'b'] })).toMatchObject({
      challenge: 'bearer',
      security: { type: 'http', scheme: 'bearer', bearerFormat: 'a_…, b_…' },
    })
    expect(guard({ scheme: 'ApiKey' })).toMatchObject({
      challenge: 'ApiKey',
      security: { type: 'apiKey', in: 'header', name: 'Authorization' },
    })
  })

  it('is an Authorization header whose token begins with a prefix of the guard, even if the key is wrong', () => {
    const { carries } = apiKeys({ prefix: ['a', 'b_c'], find: () => undefined, scheme: 'Bearer' })
    const carried = (authorization?: string) =>
      carries?.({ headers: { authorization } } as unknown as Request)
    expect(['Bearer a_1', 'bearer b_c_', 'Bearer  a_'].map(carried)).toEqual([true, true, true])
    expect(['Bearer eyJ.e.s', 'Bearer', 'a_1', 'Basic a_1'].map(carried)).toEqual(
      Array(4).fill(false),
    )
    expect(carried()).toBe(false)
  })
})

describe('a rate limit per API key', () => {
  it('counts requests by the id of their key, and requests to a public route by their IP address', async () => {
    const keys = new Keys()
    const counted: string[] = []
    const store = {
      consume({ key }: { key: string }) {
        counted.push(key)
        return {
          isAllowed: counted.filter((each) => each === key).length <= 2,
          remaining: 0,
          resetMs: 0,
        }
      },
    }
    const app = await startWith({ find: keys.find }, { rateLimit: { store } })
    const [one, other] = [keys.add(), keys.add()]
    const get = async (path: string, key: string) =>
      (await app.request().get(path).set('x-api-key', key)).status
    const path = '/orders/limited'
    expect([await get(path, one), await get(path, one), await get(path, one)]).toEqual([
      200, 200, 429,
    ])
    expect(await get(path, other)).toBe(200)
    // A refused key is not counted: it has no id.
    expect(await get(path, generateApiKey({ prefix: 'acme_live' }).key)).toBe(401)
    expect(new Set(counted)).toEqual(new Set(['Orders.limited:a:key-1', 'Orders.limited:a:key-2']))
    // No guard runs on a public route, so the key counts for nothing.
    expect(await get('/open/limited', one)).toBe(200)
    expect(counted.at(-1)).toMatch(/^Open\.limited:i:/)
    expect(counted.join()).not.toContain('acme_live')
  })
})

describe('a guard that wraps apiKeys()', () => {
  it('refuses every key and logs an error that names `forApplication` if it lacks that method', async () => {
    const keys = new Keys()
    const inner = apiKeys({ prefix: 'acme_live', find: keys.find })
    const app = await startWith(
      { find: keys.find },
      { auth: { guard: { canActivate: (req) => inner.canActivate(req) } } },
    )
    expect(await statusWith(app, keys.add())).toBe(401)
    expect(app.logs.map(({ facts }) => String(facts['err'])).join()).toContain('forApplication')
  })
})

describe('two applications', () => {
  it('keep separate caches for the keys of one shared guard', async () => {
    const keys = new Keys()
    const guard = apiKeys({ prefix: 'acme_live', find: keys.find, cacheFor: '1d' })
    const [one, other] = [
      await startWith({ find: keys.find }, { auth: { guard } }),
      await startWith({ find: keys.find }, { auth: { guard } }),
    ]
    const key = keys.add()
    expect([await statusWith(one, key), await statusWith(other, key)]).toEqual([200, 200])
    expect(keys.lookedUp).toHaveLength(2)
  })
})
