import { randomBytes } from 'node:crypto'
import { type JwtClaims, type JwtOptions, jwt, signTestToken } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGuarded } from './app.js'
import { forge } from './forge.js'
import { FAR } from './issuer.js'

const secret = randomBytes(64)
const claims = { sub: 'u1', exp: FAR }
const sign = (header: object, more: object | string = {}) => {
  const body = typeof more === 'string' ? more : { ...claims, ...more }
  return forge({ alg: 'HS256', ...header }, body, { alg: 'HS256', key: secret })
}
const start = (options: JwtOptions = {}) =>
  createGuarded(jwt({ keys: secret, ...options } as never))

describe('the header of a token', () => {
  it.each<[string | undefined, number, number]>([
    [undefined, 200, 401],
    ['JWT', 200, 401],
    ['jwt', 200, 401],
    ['application/JWT', 200, 401],
    ['at+jwt', 200, 200],
    ['AT+JWT', 200, 200],
    ['application/at+jwt', 200, 200],
    ['at+jwt2', 401, 401],
    ['jws', 401, 401],
    ['', 401, 401],
  ])('with the type %j results in %i by default, and in %i for at+jwt', async (typ, any, own) => {
    const token = sign({ typ })
    expect((await (await start()).send(token)).status).toBe(any)
    for (const type of ['at+jwt', 'application/AT+JWT'])
      expect((await (await start({ type })).send(token)).status).toBe(own)
  })

  it.each([
    [{ kid: 'k'.repeat(512) }, 200],
    [{ kid: 'k'.repeat(513) }, 401],
    [{ kid: '' }, 200],
    [{ enc: 'A128GCM' }, 401],
    [{ zip: 'DEF' }, 401],
    [{ b64: true }, 401],
    [{ cty: 'at+jwt' }, 401],
    [{ crit: [] }, 401],
    [{ x5t: 'unknown members are ignored' }, 200],
  ])('with %j results in %i', async (header, status) => {
    const { send } = await start()
    expect((await send(sign(header))).status).toBe(status)
  })

  it('selects among at most eight keys if it has no kid', async () => {
    const others = Array.from({ length: 7 }, () => randomBytes(32))
    const eight = await start({ keys: [...others, secret] })
    expect((await eight.send(sign({}))).status).toBe(200)
    const nine = await start({ keys: [...others, secret, randomBytes(32)] })
    expect((await nine.send(sign({}))).status).toBe(401)
    const named = await start({ keys: [...others, randomBytes(32), { secret, kid: 'own' }] })
    expect((await named.send(sign({ kid: 'own' }))).status).toBe(200)
  })
})

describe('the claims of a token', () => {
  it('replace neither the ID nor the abilities of the user', async () => {
    const { send } = await start()
    const given = {
      id: 'evil',
      roles: 'editor  admin',
      permissions: ['a', '', 7, 'b'],
      name: 'Ada',
    }
    expect((await send(sign({}, given))).data).toMatchObject({
      id: 'u1',
      sub: 'u1',
      name: 'Ada',
      roles: ['editor', 'admin'],
      permissions: ['a', 'b'],
    })
  })

  it('can contain equal values, but no equal names', async () => {
    const { send } = await start()
    const list = `{"sub":"u1","exp":${FAR},"roles":["a","a","__proto__"],"x":{"sub":1},"y":["sub",{"sub":2}]}`
    expect((await send(sign({}, list))).status).toBe(200)
    for (const twice of ['"roles":[1]', '"y":0', '"y":[{"a":1,"a":2}]'])
      expect((await send(sign({}, list.replace('{', `{${twice},`)))).status).toBe(401)
  })

  it.each<[string, object, number, string | undefined]>([
    ['an expiry within the age', { iat: 0, exp: 10 }, 10, 'expired'],
    ['an age within the expiry', { iat: 0, exp: FAR }, 3600, 'expired'],
    ['a later beginning', { iat: 0, exp: FAR, nbf: 3 }, 3600, 'expired'],
    ['an issue in the future', { iat: 1, exp: FAR }, 0, undefined],
    ['a beginning after the issue', { iat: 0, exp: FAR, nbf: 1 }, 0, undefined],
  ])('limit the age together: %s', async (_, times, end, fault) => {
    const { app, send } = await start({ maxAge: '1h', clockTolerance: 0 })
    const second = 1_900_000_000
    const moved = Object.entries(times).map(([name, at]) => [name, at === FAR ? FAR : second + at])
    const token = sign({}, Object.fromEntries(moved))
    const at = async (offset: number) => {
      app.clock.set(new Date((second + offset) * 1000))
      return await send(token)
    }
    if (fault !== undefined) expect((await at(end - 1)).status).toBe(200)
    const { status, challenge } = await at(end)
    expect(status).toBe(401)
    expect(challenge?.includes('The token has expired')).toBe(fault === 'expired')
  })

  it('may differ from the clock by five seconds by default', async () => {
    const { app, send } = await start()
    const second = 1_900_000_000
    const statusAt = async (offset: number, times: object) => {
      app.clock.set(new Date((second + offset) * 1000))
      return (await send(sign({}, times))).status
    }
    expect(await statusAt(4.999, { exp: second })).toBe(200)
    expect(await statusAt(5, { exp: second })).toBe(401)
    expect(await statusAt(-5, { nbf: second })).toBe(200)
    expect(await statusAt(-5.001, { nbf: second, exp: FAR - 1 })).toBe(401)
  })

  it('are also checked for a token in the cache if the clock is set back', async () => {
    const { app, send } = await start({ clockTolerance: 0 })
    const second = 1_900_000_000
    const token = sign({}, { nbf: second })
    app.clock.set(new Date(second * 1000))
    expect((await send(token)).status).toBe(200)
    app.clock.set(new Date(second * 1000 - 1))
    expect((await send(token)).status).toBe(401)
  })

  it('are checked for the required scopes at each request, from the configured claim', async () => {
    for (const scope of ['scp', ({ scp }: JwtClaims) => scp]) {
      const { send } = await start({ scope, requiredScopes: ['read'] })
      const lacking = sign({}, { scope: 'read', scp: 'write' })
      for (let i = 0; i < 2; i++) expect((await send(lacking)).status).toBe(403)
      const { status, data } = await send(sign({}, { scp: 'read write' }))
      expect([status, data.permissions]).toEqual([200, ['read', 'write']])
    }
  })

  it('can be changed by a schema, which receives a copy', async () => {
    const schema = z.looseObject({ sub: z.string() }).transform((given) => {
      given['email'] = 'a@b.example'
      Object.assign(given['nested'] as object, { added: true })
      return given
    })
    const { send } = await start({
      claims: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (given: Record<string, unknown>) => {
            Object.assign(given['nested'] as object, { first: true })
            return schema['~standard'].validate(given)
          },
        },
      } as never,
      roles: ({ nested, email }) => [`${Object.keys(nested)}`, `${email}`],
    })
    const { data } = await send(sign({}, { nested: {} }))
    expect(data).toMatchObject({
      email: 'a@b.example',
      nested: { first: true, added: true },
      // These are the claims of the issuer.
      roles: ['undefined'],
    })
  })

  it('can be an instance of a class that a schema returns, which stays changeable', async () => {
    class Visit {
      count = 0
      readonly at = new Date(0)
    }
    const validate = () => ({ value: new Visit() })
    const user = (visit: Visit) => {
      visit.count++
      return { id: visit.count }
    }
    const { send } = await start({
      claims: { '~standard': { version: 1, vendor: 'test', validate } } as never,
      user: user as never,
    })
    const token = sign({})
    expect([(await send(token)).data, (await send(token)).data]).toEqual([{ id: 1 }, { id: 2 }])
  })
})

describe('the user that a function returns for a token', () => {
  it.each([[null], [undefined], ['u1'], [7]])(
    'refuses the token if it is %j, at once or later',
    async (found) => {
      for (const user of [() => found, async () => found]) {
        const { send } = await start({ user: user as never })
        expect(await send(sign({}))).toMatchObject({
          status: 401,
          challenge: 'Bearer error="invalid_token"',
        })
      }
    },
  )
})

describe('the function signTestToken()', () => {
  const partsOf = (token: string) =>
    token
      .split('.')
      .slice(0, 2)
      .map((each) => JSON.parse(String(Buffer.from(each, 'base64url'))))

  it('signs with HS256 for an hour, whatever its header says', () => {
    const clock = { now: () => 1_900_000_000_999 }
    const key = 'é'.repeat(16)
    const token = signTestToken({ sub: 'a' }, key, { clock, header: { alg: 'none', kid: 'k' } })
    expect(partsOf(token)).toEqual([
      { typ: 'JWT', kid: 'k', alg: 'HS256' },
      { sub: 'a', iat: 1_900_000_000, exp: 1_900_003_600 },
    ])
    const own = signTestToken({ iat: 1, exp: undefined }, key, { header: { typ: 'at+jwt' } })
    expect(partsOf(own)).toEqual([{ typ: 'at+jwt', alg: 'HS256' }, { iat: 1 }])
    expect(() => signTestToken({}, 'x'.repeat(31))).toThrow('at least 32 bytes')
  })
})
