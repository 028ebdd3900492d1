import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { Auth, Controller, Get, type Request } from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGuarded } from './app.js'
import { forge, type Signer } from './forge.js'
import { FAR, makeKey, startIssuer } from './issuer.js'

const secret = randomBytes(64)
const claims = { iss: 'joe', sub: 'u1', aud: 'orders', exp: FAR }
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const ed = generateKeyPairSync('ed25519')

describe('a token signed with a key of the guard', () => {
  const pairs: [string, { publicKey: KeyObject; privateKey: KeyObject }][] = [
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => [alg, rsa] as never),
    ['ES256', curve('P-256')],
    ['ES384', curve('P-384')],
    ['ES512', curve('P-521')],
    ['EdDSA', ed],
    ['Ed25519', ed],
  ]

  it.each(pairs)(
    'is accepted with %s, whether the key is PEM or a JSON Web Key',
    async (alg, pair) => {
      const token = forge({ alg }, claims, { alg, key: pair.privateKey })
      for (const keys of [pem(pair.publicKey), pair.publicKey.export({ format: 'jwk' }) as never]) {
        const { send } = await createGuarded(jwt({ keys, issuer: 'joe', audience: 'orders' }))
        expect(await send(token)).toMatchObject({ status: 200, data: { id: 'u1', iss: 'joe' } })
        expect((await send(token)).status).toBe(200)
      }
    },
  )

  it.each(['HS256', 'HS384', 'HS512'])('is accepted with %s', async (alg) => {
    const jwk = { kty: 'oct', k: secret.toString('base64url') }
    for (const keys of [secret, { secret }, jwk, [randomBytes(32), secret]]) {
      const { send } = await createGuarded(jwt({ keys }))
      expect((await send(forge({ alg }, claims, { alg, key: secret }))).status).toBe(200)
    }
  })

  it('is verified only with the key that has its kid', async () => {
    const other = randomBytes(32)
    const guard = jwt({
      keys: [
        { kid: 'old', secret },
        { kid: 'new', secret: other },
      ],
    })
    const { send } = await createGuarded(guard)
    const signed = (kid: string, key: Uint8Array) =>
      send(forge({ alg: 'HS256', kid }, claims, { alg: 'HS256', key }))
    expect((await signed('old', secret)).status).toBe(200)
    expect((await signed('new', other)).status).toBe(200)
    expect((await signed('new', secret)).status).toBe(401)
    expect((await signed('none', secret)).status).toBe(401)
  })

  it('is refused if its algorithm is not in `algorithms`', async () => {
    const { send } = await createGuarded(jwt({ keys: secret, algorithms: ['HS512'] }))
    const sent = (alg: string) => send(forge({ alg }, claims, { alg, key: secret }))
    expect((await sent('HS512')).status).toBe(200)
    expect((await sent('HS256')).status).toBe(401)
  })
})

describe('the challenge of a guard created with jwt()', () => {
  it('contains no error if no token is sent, but an error for an invalid token', async () => {
    const { app, send } = await createGuarded(jwt({ keys: secret }))
    expect(await send(undefined)).toMatchObject({ status: 401, challenge: 'Bearer' })
    const basic = await app.request().get('/me').set('authorization', 'Basic YTpi')
    expect(basic.headers['www-authenticate']).toBe('Bearer')
    const invalid = { status: 401, challenge: 'Bearer error="invalid_token"' }
    expect(await send('a.b.c')).toMatchObject(invalid)
    expect(await send(signTestToken({ sub: 'a', exp: 1 }, secret))).toMatchObject({
      status: 401,
      challenge: 'Bearer error="invalid_token", error_description="The token has expired"',
    })
    expect((await send(undefined, '/me/maybe')).data).toBe('anybody')
    expect((await send('wrong', '/me/maybe')).status).toBe(401)
  })

  it('contains the required scopes if the status is 403', async () => {
    const guard = jwt({ keys: secret, requiredScopes: ['orders', 'email'] })
    const { send } = await createGuarded(guard)
    const scope = (scope: unknown) => send(signTestToken({ sub: 'a', scope }, secret))
    expect((await scope('email orders openid')).status).toBe(200)
    for (const given of ['orders', undefined, 7]) {
      expect(await scope(given)).toMatchObject({
        status: 403,
        challenge: 'Bearer error="insufficient_scope", scope="orders email"',
      })
    }
  })

  it('contains the configured scheme', async () => {
    const { app } = await createGuarded(jwt({ keys: secret, scheme: 'Token' }))
    const token = signTestToken({ sub: 'jake' }, secret)
    const sent = async (value: string) => {
      const { status, headers } = await app.request().get('/me').set('authorization', value)
      return [status, headers['www-authenticate']]
    }
    expect(await sent(`Token ${token}`)).toEqual([200, undefined])
    expect(await sent(`token ${token}`)).toEqual([200, undefined])
    expect(await sent(`Bearer ${token}`)).toEqual([401, 'Token'])
    expect(await sent('Token x')).toEqual([401, 'Token error="invalid_token"'])
  })
})

describe('the times in a token', () => {
  const second = 1_900_000_000
  it('are compared with the clock of the application within a tolerance', async () => {
    const { app, send } = await createGuarded(jwt({ keys: secret, clockTolerance: '10s' }))
    const at = async (offset: number, times: object) => {
      app.clock.set(new Date((second + offset) * 1000))
      return (await send(signTestToken({ sub: 'a', iat: second, exp: FAR, ...times }, secret)))
        .status
    }
    expect(await at(9.9, { exp: second })).toBe(200)
    expect(await at(10, { exp: second })).toBe(401)
    expect(await at(-10, { nbf: second })).toBe(200)
    expect(await at(-10.1, { nbf: second })).toBe(401)
    // The time of issue counts only if the age is limited.
    expect(await at(-60, {})).toBe(200)
    const aged = await createGuarded(jwt({ keys: secret, clockTolerance: '10s', maxAge: '1h' }))
    const token = signTestToken({ sub: 'a', iat: second, exp: FAR }, secret)
    for (const [offset, status] of [
      [3609.9, 200],
      [3610, 401],
    ] as const) {
      aged.app.clock.set(new Date((second + offset) * 1000))
      expect((await aged.send(token)).status).toBe(status)
    }
  })

  it('invalidate a token that was accepted before', async () => {
    const { app, send } = await createGuarded(jwt({ keys: secret }))
    const token = signTestToken({ sub: 'a' }, secret, { clock: app.clock })
    expect((await send(token)).status).toBe(200)
    await app.clock.advance('59m')
    expect((await send(token)).status).toBe(200)
    await app.clock.advance('66s')
    expect((await send(token)).status).toBe(401)
  })

  it('limit its age, and must include an expiry unless `expires` is optional', async () => {
    const aged = await createGuarded(jwt({ keys: secret, maxAge: '1h', clockTolerance: 0 }))
    aged.app.clock.set(new Date(second * 1000))
    const issued = (iat: number | undefined) =>
      aged.send(signTestToken({ sub: 'a', exp: FAR, iat }, secret)).then(({ status }) => status)
    expect(await issued(second - 3599)).toBe(200)
    expect(await issued(second - 3600)).toBe(401)
    expect(await issued(second + 1)).toBe(401)
    expect(await issued(undefined)).toBe(401)
    const endless = signTestToken({ sub: 'a', exp: undefined }, secret)
    expect((await (await createGuarded(jwt({ keys: secret }))).send(endless)).status).toBe(401)
    const optional = await createGuarded(jwt({ keys: secret, expires: 'optional' }))
    expect((await optional.send(endless)).status).toBe(200)
  })
})

describe('the user of a token', () => {
  it('has the roles, permissions and scopes of the token as abilities for @Can', async () => {
    const may = async (guard: ReturnType<typeof jwt>, given: object) => {
      const { send } = await createGuarded(guard)
      return (await send(signTestToken({ sub: 'a', ...given }, secret), '/me/orders')).status
    }
    const granted = ['orders:write']
    expect(await may(jwt({ keys: secret }), { roles: granted })).toBe(200)
    expect(await may(jwt({ keys: secret }), { permissions: granted })).toBe(200)
    expect(await may(jwt({ keys: secret }), { scope: 'orders:write' })).toBe(403)
    expect(await may(jwt({ keys: secret, scope: 'scope' }), { scope: 'a orders:write' })).toBe(200)
    const realm = { realm_access: { roles: granted } }
    expect(await may(jwt({ keys: secret, roles: (c) => c.realm_access.roles }), realm)).toBe(200)
    expect(await may(jwt({ keys: secret, roles: 'groups' }), { roles: granted })).toBe(403)
    expect(await may(jwt({ keys: secret }), { roles: { 0: 'orders:write' } })).toBe(403)
    expect(await may(jwt({ keys: secret, roles: 'constructor' }), { roles: granted })).toBe(403)
  })

  it('is a new object for each request, with claims that no handler can change', async () => {
    const seen: unknown[] = []
    @Auth()
    @Controller('spoil')
    class SpoilController {
      @Get()
      spoil(req: Request) {
        seen.push(req.user?.isAdmin, Object.isFrozen(req.user?.nested.list))
        Object.assign(req.user as object, { isAdmin: true })
        return {}
      }
    }
    const { send } = await createGuarded(jwt({ keys: secret }), { controllers: [SpoilController] })
    const token = signTestToken({ sub: 'a', nested: { list: [1] } }, secret)
    for (let i = 0; i < 3; i++) expect((await send(token, '/spoil')).status).toBe(200)
    expect(seen).toEqual([undefined, true, undefined, true, undefined, true])
  })

  it('has the claims that the schema returns, and is refused if the claims do not match it', async () => {
    const schema = z.object({ email: z.email(), level: z.coerce.number().default(1) })
    const guard = jwt({ keys: secret, claims: schema })
    const { send } = await createGuarded(guard)
    const good = await send(signTestToken({ sub: 'a', email: 'a@b.example' }, secret))
    const user = { id: 'a', email: 'a@b.example', level: 1, roles: [], permissions: [] }
    expect(good).toMatchObject({ status: 200, data: user })
    expect(Object.keys(good.data).sort()).toEqual(Object.keys(user).sort())
    expect((await send(signTestToken({ sub: 'a', email: 7 }, secret))).status).toBe(401)
    type Of = NonNullable<(typeof guard)['~user']>
    const typed: Of = { id: 'a', email: 'e', level: 2, roles: [], permissions: [] }
    // @ts-expect-error: the schema makes it a number
    typed.level satisfies string
  })

  it('can be created by a function that looks the user up or refuses the token', async () => {
    let isBlocked = false
    const guard = jwt({
      keys: secret,
      claims: z.object({ sub: z.string() }),
      user: async ({ sub }) =>
        isBlocked ? undefined : { key: sub, permissions: ['orders:write'] },
    })
    const typed: NonNullable<(typeof guard)['~user']> = { key: 'k', permissions: [] }
    expect(typed.key).toBe('k')
    const { send } = await createGuarded(guard)
    const token = signTestToken({ sub: 'a' }, secret)
    expect((await send(token, '/me/orders')).status).toBe(200)
    expect((await send(token)).data).toEqual({ key: 'a', permissions: ['orders:write'] })
    isBlocked = true
    expect((await send(token)).status).toBe(401)
  })

  it('is refused if the token expires while the user is looked up', async () => {
    let lookUp = async () => {}
    const guard = jwt({
      keys: secret,
      clockTolerance: 0,
      user: async () => {
        await lookUp()
        return { id: 'a' }
      },
    })
    const { app, send } = await createGuarded(guard)
    app.clock.set(new Date())
    const iat = Math.floor(app.clock.now() / 1000)
    const token = signTestToken({ sub: 'a', iat, exp: iat + 2 }, secret)
    expect((await send(token)).status).toBe(200)
    lookUp = () => app.clock.advance('3s')
    expect((await send(token)).status).toBe(401)
  })

  it('can be set with app.as(), without a token', async () => {
    const { app } = await createGuarded(jwt({ issuer: 'https://id.example.com', audience: 'x' }))
    const { body } = await app.as({ id: 'u7' }).request().get('/me')
    expect(body.data).toEqual({ id: 'u7' })
  })
})

describe('the tenant of a token', () => {
  const req = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, rawHeaders: [] })
  it('is read only from a claim of a verified token', async () => {
    const guard = jwt({ keys: secret, tenant: 'org_id' })
    const of = async (given: object, key = secret) => {
      const request = req(signTestToken({ sub: 'a', ...given }, key)) as never
      await Promise.resolve(guard.canActivate(request)).catch(() => {})
      return guard.tenantOf?.(request)
    }
    expect(await of({ org_id: 'acme' })).toBe('acme')
    expect(await of({ org_id: 'acme' }, randomBytes(64))).toBeUndefined()
    for (const org_id of [7, '', ['acme'], null, undefined]) {
      expect(await of({ org_id })).toBeUndefined()
    }
    expect(jwt({ keys: secret }).tenantOf).toBeUndefined()
  })
})

describe('several guards created with jwt()', () => {
  it('are selected by the issuer of the token, before it is verified', async () => {
    const issuer = await startIssuer(makeKey('k1'))
    const user = jwt({ issuer: issuer.url, audience: 'orders' })
    const own = jwt({ keys: secret, issuer: 'joe' })
    const carried = (authorization?: string) => {
      const request = { headers: { authorization }, rawHeaders: [] } as never
      return [user.carries(request), own.carries(request)]
    }
    const key: Signer = { alg: 'HS256', key: secret }
    expect(carried(`Bearer ${forge({ alg: 'HS256' }, { iss: issuer.url }, key)}`)).toEqual([
      true,
      false,
    ])
    expect(carried(`bearer ${forge({ alg: 'none' }, { iss: 'joe' }, key)}`)).toEqual([false, true])
    expect(carried(`Bearer ${forge('{', '{', key)}`)).toEqual([true, true])
    expect(carried('Bearer key_1234')).toEqual([false, false])
    expect(carried('Basic YTpi')).toEqual([false, false])
    expect(carried()).toEqual([false, false])
    expect(issuer.requests).toEqual([])
  })
})

describe('the cache of verified tokens', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [5, 5],
    [10, 10],
  ])('contains at most %i tokens', async (cacheSize, most) => {
    let checked = 0
    const claims = z.object({ sub: z.string() }).refine(() => {
      checked++
      return true
    })
    const { send } = await createGuarded(jwt({ keys: secret, claims, cacheSize }))
    const tokens = Array.from({ length: 3 * most + 2 }, (_, n) =>
      signTestToken({ sub: `u${n}` }, secret),
    )
    for (const token of tokens) expect((await send(token)).status).toBe(200)
    expect(checked).toBe(tokens.length)
    // From the last one on, so that those that are kept are asked for before others displace them.
    let kept = 0
    for (const token of tokens.toReversed()) {
      const before = checked
      expect((await send(token)).status).toBe(200)
      if (checked === before) kept++
    }
    expect(kept).toBeLessThanOrEqual(most)
    expect(kept > 0).toBe(most > 0)
  })

  it('keeps the tokens that were used last', async () => {
    const checked: string[] = []
    const claims = z.object({ sub: z.string() }).refine(({ sub }) => checked.push(sub))
    const { send } = await createGuarded(jwt({ keys: secret, claims, cacheSize: 2 }))
    const [a, b, c] = ['a', 'b', 'c'].map((sub) => signTestToken({ sub }, secret))
    for (const token of [a, b, a, c, a, b]) expect((await send(token)).status).toBe(200)
    expect(checked).toEqual(['a', 'b', 'c', 'b'])
  })
})

describe('the function signTestToken()', () => {
  it('refuses a short secret', () => {
    expect(() => signTestToken({}, 'short')).toThrow('pass a secret of at least 32 bytes')
  })
})
