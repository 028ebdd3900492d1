import { randomBytes } from 'node:crypto'
import { Auth, type AuthGuard, Can, Controller, Get, type Request, schemeOf } from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { type ApiKeyRecord, apiKeys, generateApiKey } from 'blazon/keys'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { createGuarded } from '../jwt/app.js'
import { makeKey, startIssuer } from '../jwt/issuer.js'

const secret = randomBytes(32)
const ISSUER = 'https://id.example.com'

@Auth('orders')
@Controller('me')
class MeController {
  @Get()
  orders(req: Request) {
    return schemeOf(req)
  }

  @Auth('billing')
  @Get('billing')
  billing(req: Request) {
    return schemeOf(req)
  }

  @Auth('orders', 'billing', 'key')
  @Get('any')
  any(req: Request) {
    return schemeOf(req)
  }

  @Auth('orders', 'key', { optional: true })
  @Get('maybe')
  maybe(req: Request) {
    return req.user?.id ?? 'anybody'
  }

  @Can('admin')
  @Get('admin')
  admin() {
    return 'admin'
  }
}

async function startTokens(orders: Partial<Parameters<typeof jwt>[0]> = {}) {
  const { key, hash } = generateApiKey({ prefix: 'acme_live' })
  const record: ApiKeyRecord = { id: 'k', hash }
  const find = (wanted: string) => (wanted === hash ? record : undefined)
  const guards: Record<string, AuthGuard> = {
    orders: jwt({ issuer: ISSUER, audience: 'orders', keys: secret, ...orders }),
    billing: jwt({ issuer: ISSUER, audience: 'billing', keys: secret }),
    key: apiKeys({ prefix: 'acme_live', scheme: 'Bearer', find }),
  }
  const timeouts = { handler: '1h' } as const
  const app = await TestApp.create({ controllers: [MeController], auth: { guards }, timeouts })
  onTestFinished(() => app.close())
  const ask = async (path: string, authorization: string) => {
    const { status, body } = await app.request().get(path).set({ authorization })
    return status === 200 ? body.data : status
  }
  const token = (claims: object = {}) => {
    const all = { iss: ISSUER, aud: 'orders', sub: '7', ...claims }
    return `Bearer ${signTestToken(all, secret, { clock: app.clock })}`
  }
  return { app, ask, token, key: `Bearer ${key}` }
}

describe('a token for one of two guards of the same issuer', () => {
  it('is refused by the other guard, even after the first guard has verified and cached it', async () => {
    const { ask, token } = await startTokens()
    const [one, other, both] = [
      token(),
      token({ aud: 'billing' }),
      token({ aud: ['orders', 'billing'] }),
    ]
    for (let round = 0; round < 2; round++) {
      expect(await ask('/me', one)).toBe('orders')
      expect(await ask('/me/billing', one)).toBe(401)
      expect(await ask('/me', other)).toBe(401)
      expect(await ask('/me/billing', other)).toBe('billing')
      // Both guards claim a token of their issuer, and both must accept it.
      expect(await ask('/me/any', one)).toBe(401)
      expect(await ask('/me/any', both)).toBe('orders')
    }
  })

  it('is not accepted as an API key, and an API key is not accepted as a token', async () => {
    const { ask, token, key } = await startTokens()
    expect(await ask('/me/any', key)).toBe('key')
    expect(await ask('/me', key)).toBe(401)
    for (const wrong of [
      `${key}.a.b`,
      `${token()} ${key}`,
      `${key}, ${token()}`,
      'Bearer acme_live_',
    ]) {
      expect(await ask('/me/any', wrong), wrong).toBe(401)
      expect(await ask('/me/maybe', wrong), wrong).toBe(401)
    }
  })

  it('is refused on an optional route if it has another issuer or kind, or is truncated', async () => {
    const { ask, token } = await startTokens()
    expect(await ask('/me/maybe', token())).toBe('7')
    for (const wrong of [
      token({ iss: 'https://evil.example' }),
      'Basic YTpi',
      'Bearer',
      'Bearer a.b',
      token().slice(0, -1),
      token().replace('Bearer ', 'Bearer\t'),
    ]) {
      expect(await ask('/me/maybe', wrong), wrong).toBe(401)
    }
  })
})

describe('the claims of a token', () => {
  it.each<object>([
    { roles: 'superadmin' },
    { roles: { admin: true } },
    { roles: [['admin']] },
    { permissions: 'admins administrator' },
    { user: { roles: ['admin'] } },
    { constructor: { roles: ['admin'] } },
    { length: 1, 0: 'admin' },
    { scope: 'admin' },
  ])('grant no ability that they do not contain: %j', async (claims) => {
    const { ask, token } = await startTokens()
    expect(await ask('/me/admin', token(claims))).toBe(403)
    expect(({} as { roles?: unknown }).roles).toBeUndefined()
  })

  it('cannot replace the user ID or the roles that the guard reads from other claims', async () => {
    const { ask, token } = await startTokens({ roles: 'groups' })
    expect(await ask('/me/maybe', token({ id: 'root' }))).toBe('7')
    expect(await ask('/me/admin', token({ roles: ['admin'] }))).toBe(403)
    expect(await ask('/me/admin', token({ groups: ['admin'] }))).toBe('admin')
  })
})

describe('a token that expires while it is verified', () => {
  it('is refused after its user was looked up, even if it was verified before', async () => {
    const gates = [gate(), gate()].map((waiting) => ({ waiting, begun: gate() }))
    let asked = 0
    const user = async (all: unknown) => {
      const at = gates[asked++]
      at?.begun.open()
      await at?.waiting.opened
      return { id: (all as { sub?: string }).sub }
    }
    const { app, ask, token } = await startTokens({ user, clockTolerance: 0 })
    const [first, second] = [token(), token({ exp: Math.floor(app.clock.now() / 1000) + 2 })]
    for (const [index, { waiting, begun }] of gates.entries()) {
      const response = ask('/me', second)
      await begun.opened
      if (index === 1) await app.clock.advance(3000)
      waiting.open()
      expect(await response).toBe(index === 1 ? 401 : 'orders')
    }
    expect(await ask('/me', first)).toBe('orders')
  })

  it('is refused after its claims were checked', async () => {
    const waiting = gate()
    const begun = gate()
    const claims = z.object({ sub: z.string() }).refine(async () => {
      begun.open()
      await waiting.opened
      return true
    })
    const { app, ask, token } = await startTokens({ claims, clockTolerance: 0 })
    const asked = ask('/me', token({ exp: Math.floor(app.clock.now() / 1000) + 2 }))
    await begun.opened
    await app.clock.advance(3000)
    waiting.open()
    expect(await asked).toBe(401)
  })
})

describe('a token whose key the issuer withdraws during verification', () => {
  it.each(['claims check', 'user lookup'])('is refused during the %s', async (phase) => {
    const [withdrawn, kept, added] = [makeKey('k1'), makeKey('k2'), makeKey('k3')]
    const issuer = await startIssuer(withdrawn, kept)
    const [waiting, begun] = [gate(), gate()]
    const wait = async ({ sub }: { readonly sub?: string }) => {
      if (sub !== 'slow') return
      begun.open()
      await waiting.opened
    }
    const claims = z.object({ sub: z.string() }).refine(async (all) => {
      if (phase.includes('claims')) await wait(all)
      return true
    })
    const user = async (all: { readonly sub?: string }) => {
      if (phase.includes('user')) await wait(all)
      return { id: all.sub }
    }
    const guard = jwt({ issuer: issuer.url, audience: 'orders', claims, user })
    const { app, send } = await createGuarded(guard, { timeouts: { handler: '1h' } })
    app.clock.set(new Date())
    const response = send(issuer.token(withdrawn, { sub: 'slow' }))
    await begun.opened
    issuer.keys = [kept.jwk, added.jwk]
    await app.clock.advance('10m')
    expect((await send(issuer.token(added))).status).toBe(200)
    waiting.open()
    expect((await response).status).toBe(401)
  })
})
