import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Can,
  Controller,
  Get,
  Head,
  Post,
  type Request,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

const secret = 'a secret for tests, which has 32 bytes and more'
const machine = generateApiKey({ prefix: 'shop_test' })
const key = apiKeys({
  prefix: 'shop_test',
  find: (hash) => (hash === machine.hash ? { id: 'k', hash } : undefined),
})
const user = jwt({ keys: secret, scope: 'scope' })
const web = sessions()

@Auth('user', 'key', 'web')
@Controller('orders')
class OrdersController {
  @Can('orders:read', 'orders:write')
  @Post()
  write() {}

  @Can('orders:read')
  @Head('head')
  head() {}

  @Can('a "quoted" ability', 'new\r\nline', 'größe', 'back\\slash', 'plain')
  @Get('odd')
  odd() {}

  @Can('größe')
  @Get('none')
  none() {}

  @Auth('key', 'web')
  @Can('orders:read')
  @Get('programs')
  programs() {}

  @Get()
  list() {}
}

async function startOrders(auth: AppOptions['auth'] = { guards: { user, key, web } }) {
  const app = await TestApp.create({
    controllers: [OrdersController],
    plugins: [web],
    contract: 'throw',
    auth,
  })
  onTestFinished(() => app.close())
  const ask = async (
    method: 'get' | 'post' | 'head',
    path: string,
    headers: Record<string, string>,
  ) => {
    const { status, headers: sent } = await app.request()[method](`/orders${path}`).set(headers)
    return [status, sent['www-authenticate']]
  }
  const bearer = (scope: string) => ({
    authorization: `Bearer ${signTestToken({ sub: 'u', scope }, secret, { clock: app.clock })}`,
  })
  return { app, ask, bearer }
}

const KEY = { 'x-api-key': machine.key }
const LACKS = 'Bearer error="insufficient_scope", scope='

describe('a token that lacks an ability', () => {
  it('results in a challenge with the scopes that the route requires', async () => {
    const { ask, bearer } = await startOrders()
    const wanted = [403, `${LACKS}"orders:read orders:write"`]
    expect(await ask('post', '', bearer(''))).toEqual(wanted)
    expect(await ask('post', '', bearer('orders:read'))).toEqual(wanted)
    expect(await ask('post', '', bearer('orders:read orders:write'))).toEqual([204, undefined])
    expect(await ask('head', '/head', bearer(''))).toEqual([403, `${LACKS}"orders:read"`])
  })

  it('results in a challenge that contains only abilities that are valid scopes', async () => {
    const { ask, bearer } = await startOrders()
    expect(await ask('get', '/odd', bearer(''))).toEqual([403, `${LACKS}"plain"`])
    expect(await ask('get', '/none', bearer(''))).toEqual([
      403,
      'Bearer error="insufficient_scope"',
    ])
  })

  it('results in a challenge that also contains the scopes that every token requires', async () => {
    const strict = jwt({ keys: secret, scope: 'scope', requiredScopes: ['openid', 'orders:read'] })
    const { ask, bearer } = await startOrders({ guards: { user: strict, key, web } })
    const wanted = [403, `${LACKS}"openid orders:read orders:write"`]
    expect(await ask('post', '', bearer('openid orders:read'))).toEqual(wanted)
  })

  it('also results in a challenge if `auth.can` and a custom scheme are set', async () => {
    const token = jwt({ keys: secret, scheme: 'Token' })
    const auth = { guards: { user: token, key, web }, can: async () => false }
    const { ask, bearer } = await startOrders(auth)
    const { authorization } = bearer('')
    expect(
      await ask('post', '', { authorization: authorization.replace('Bearer', 'Token') }),
    ).toEqual([403, 'Token error="insufficient_scope", scope="orders:read orders:write"'])
  })
})

describe('an API key that lacks an ability', () => {
  it('results in no challenge, unless a token for an earlier guard of the route is also sent', async () => {
    const { app, ask, bearer } = await startOrders({ guards: { key, user, web } })
    expect(await ask('post', '', KEY)).toEqual([403, undefined])
    expect(await ask('get', '/programs', KEY)).toEqual([403, undefined])
    // The first guard of the route has decided who the caller is.
    expect(await ask('post', '', { ...KEY, ...bearer('orders:write') })).toEqual([
      403,
      `${LACKS}"orders:read orders:write"`,
    ])
    const { status, headers } = await app.as({ id: 1 }).request().get('/orders/programs')
    expect([status, headers['www-authenticate']]).toEqual([403, undefined])
  })
})

describe('the document of a route with scopes', () => {
  it('describes the WWW-Authenticate header of a 403 if a token can lack a scope', async () => {
    const { app } = await startOrders()
    const { paths, components } = app.document
    const forbidden = (path: string, method: 'get' | 'post' | 'head') =>
      paths[path]?.[method]?.responses['403']
    expect(forbidden('/orders', 'post')).toEqual({
      $ref: '#/components/responses/InsufficientScope',
    })
    expect(forbidden('/orders/programs', 'get')).toEqual({
      $ref: '#/components/responses/Forbidden',
    })
    expect(forbidden('/orders', 'get')).toBeUndefined()
    expect(components.responses?.['InsufficientScope']).toMatchObject({
      headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
      content: { 'application/json': {} },
    })
    expect(forbidden('/orders/head', 'head')).toMatchObject({ headers: { 'WWW-Authenticate': {} } })
    expect(components.responses?.['Forbidden']).not.toHaveProperty('headers')
  })
})

describe('a custom guard', () => {
  const own = (abilityChallenge: unknown): AuthGuard =>
    ({
      canActivate(req: Request) {
        req.user = { id: 1 }
        return true
      },
      abilityChallenge,
    }) as AuthGuard

  it('can have its own challenge for missing abilities', async () => {
    @Can('a', 'b')
    @Controller('own')
    class OwnController {
      @Get()
      get() {}
    }
    const guard = own((abilities: readonly string[]) => `Own needs="${abilities.join()}"`)
    const app = await TestApp.create({ controllers: [OwnController], auth: { guard } })
    onTestFinished(() => app.close())
    const { status, headers } = await app.request().get('/own')
    expect([status, headers['www-authenticate']]).toEqual([403, 'Own needs="a,b"'])
  })

  it.each<[unknown, RegExp]>([
    ['Bearer', /auth\.guards\.user\.abilityChallenge.*It is not a function/s],
    [
      () => Promise.resolve('Bearer'),
      /auth\.guards\.user\.abilityChallenge.*did not return a valid header value/s,
    ],
    [
      () => 'Bearer\r\nSet-Cookie: a=b',
      /For orders:read, orders:write, it did not return a valid header value/,
    ],
    [() => '', /did not return a valid header value/],
  ])('prevents startup if its challenge is invalid: %s', async (challenge, message) => {
    await expect(startOrders({ guards: { user: own(challenge), key, web } })).rejects.toThrow(
      message,
    )
  })

  it('must declare its challenge as a static member if it is a class', async () => {
    class Hidden {
      canActivate() {
        return true
      }
      abilityChallenge() {
        return 'Bearer'
      }
    }
    await expect(startOrders({ guards: { user: Hidden, key, web } })).rejects.toThrow(
      /static abilityChallenge/,
    )
  })
})
