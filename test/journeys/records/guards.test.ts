import { randomBytes } from 'node:crypto'
import { Auth, type AuthGuard, Controller, Get } from 'blazon'
import { jwt } from 'blazon/jwt'
import { type ApiKeyRecord, apiKeys, generateApiKey } from 'blazon/keys'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { forge } from '../jwt/forge.js'
import { FAR } from '../jwt/issuer.js'

@Auth()
@Controller('me')
class MeController {
  @Get() me() {
    return 'me'
  }
}

async function start(guard: AuthGuard<never>, header: string, scheme: string) {
  const app = await TestApp.create({ controllers: [MeController], auth: { guard } })
  onTestFinished(() => app.close())
  return async (credential: string) => {
    const response = await app.request().get('/me').set(header, `${scheme}${credential}`)
    const record = app.explain(response)
    expect(JSON.stringify(record)).not.toContain(credential)
    return record.decisions.map(({ by, verdict, reason }) => `${by} ${verdict}: ${reason}`)
  }
}

it('a record contains the reason why a token is not valid', async () => {
  const secret = randomBytes(64)
  const claims = { iss: 'joe', sub: 'u1', aud: 'orders', exp: FAR, org: 'acme' }
  const guard = jwt({
    keys: secret,
    issuer: 'joe',
    audience: 'orders',
    claims: z.looseObject({ org: z.string() }),
  })
  const send = await start(guard as never, 'authorization', 'Bearer ')
  const sign = (changes: object, key: Uint8Array = secret) =>
    forge({ alg: 'HS256' }, { ...claims, ...changes }, { alg: 'HS256', key })
  const refused = 'guard refused: The token is not valid'
  expect(await send(sign({}))).toEqual(['guard admitted: null'])
  expect(await send('no-token-at-all')).toEqual([
    'jwt refused: it is not a JSON Web Token',
    refused,
  ])
  expect(await send(sign({}, randomBytes(64)))).toEqual([
    'jwt refused: it was not signed with a known key',
    refused,
  ])
  expect(await send(sign({ aud: 'billing' }))).toEqual([
    'jwt refused: its type, issuer, audience or times are invalid',
    refused,
  ])
  expect(await send(sign({ org: 7 }))).toEqual([
    'jwt refused: its claims do not match `claims`',
    refused,
  ])
  expect(await send(sign({ exp: 1 }))).toEqual(['guard refused: The token has expired'])
})

it('a record contains the reason why an API key is not valid', async () => {
  const right = generateApiKey({ prefix: 'acme_live' })
  const old = generateApiKey({ prefix: 'acme_live' })
  const records: ApiKeyRecord[] = [
    { id: 'k1', hash: right.hash },
    { id: 'k2', hash: old.hash, expiresAt: new Date(1) },
  ]
  const guard = apiKeys({
    prefix: 'acme_live',
    find: async (hash) => records.find((each) => each.hash === hash),
  })
  const send = await start(guard as never, 'x-api-key', '')
  const refused = 'guard refused: it did not return true'
  expect(await send(right.key)).toEqual(['guard admitted: null'])
  expect(await send('acme_live_wrong')).toEqual([
    'api-keys refused: it is not a key with one of the prefixes and a valid checksum',
    refused,
  ])
  expect(await send(generateApiKey({ prefix: 'acme_live' }).key)).toEqual([
    'api-keys refused: the key is unknown, or no longer valid',
    refused,
  ])
  expect(await send(old.key)).toEqual([
    'api-keys refused: the key is unknown, or no longer valid',
    refused,
  ])
})

it('a record contains the reason why an API key in the cache is not valid any more', async () => {
  const { key, hash } = generateApiKey({ prefix: 'acme_live' })
  const find = () => ({ id: 'k1', hash, expiresAt: Date.now() + 3_600_000 })
  const guard = apiKeys({ prefix: 'acme_live', find, cacheFor: '1d' })
  const app = await TestApp.create({ controllers: [MeController], auth: { guard } })
  onTestFinished(() => app.close())
  const send = () => app.request().get('/me').set('x-api-key', key)
  expect((await send()).status).toBe(200)
  await app.clock.advance('61m')
  const { decisions } = app.explain(await send())
  expect(decisions[0]).toMatchObject({
    by: 'api-keys',
    verdict: 'refused',
    reason: 'the key has expired, or was revoked',
  })
})
