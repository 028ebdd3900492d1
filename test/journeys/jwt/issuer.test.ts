import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { jwt } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { gate } from '../gate.js'
import { createGuarded } from './app.js'
import { forge } from './forge.js'
import { FAR, makeKey, startIssuer } from './issuer.js'

const [first, second, third] = [makeKey('k1'), makeKey('k2'), makeKey('k3')]

async function withIssuer(options: object = {}) {
  const issuer = await startIssuer(first)
  const guarded = await createGuarded(jwt({ issuer: issuer.url, audience: 'orders', ...options }))
  const keyFetches = () => issuer.requests.filter((path) => path === '/keys').length
  return { issuer, ...guarded, keyFetches }
}

describe('the keys of an issuer', () => {
  it('are fetched when the first token arrives, once for all requests', async () => {
    const { issuer, send } = await withIssuer()
    expect(issuer.requests).toEqual([])
    const sent = Array.from({ length: 20 }, (_, i) => send(issuer.token(first, { sub: `u${i}` })))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  it('are found through the metadata of RFC 8414', async () => {
    const { issuer, send } = await withIssuer()
    issuer.places = ['/.well-known/oauth-authorization-server']
    expect((await send(issuer.token(first))).status).toBe(200)
  })

  it('are found even if the URL of the issuer has a path', async () => {
    const { url, ...issuer } = await startIssuer(first)
    for (const [name, place] of [
      ['/realm', '/realm/.well-known/openid-configuration'],
      ['/tenant/', '/.well-known/oauth-authorization-server/tenant'],
    ] as const) {
      issuer.places.push(place)
      issuer.metadata['issuer'] = `${url}${name}`
      const guard = jwt({ issuer: `${url}${name}`, audience: 'orders' })
      const { send } = await createGuarded(guard)
      expect((await send(issuer.token(first, { iss: `${url}${name}` }))).status).toBe(200)
      expect((await send(issuer.token(first, { iss: url }))).status).toBe(401)
    }
  })

  it('are read from the URL in `jwks`', async () => {
    const issuer = await startIssuer(first)
    const guard = jwt({ jwks: `${issuer.url}/keys`, issuer: 'joe', audience: false })
    const { send } = await createGuarded(guard)
    expect((await send(issuer.token(first, { iss: 'joe' }))).status).toBe(200)
    expect((await send(issuer.token(first, { iss: 'eve' }))).status).toBe(401)
    expect(issuer.requests).toEqual(['/keys'])
  })

  it('are accepted only if the metadata names exactly this issuer', async () => {
    const { issuer, send, log } = await withIssuer()
    issuer.metadata = { issuer: `${issuer.url}/` }
    expect((await send(issuer.token(first))).status).toBe(503)
    expect(log.lines).toHaveLength(1)
  })

  it('are used for another hour while the issuer is down', async () => {
    const { issuer, send, app, keyFetches } = await withIssuer()
    app.clock.set(new Date())
    expect((await send(issuer.token(first))).status).toBe(200)
    issuer.mood = 'down'
    for (let minute = 0; minute < 60; minute += 10) {
      await app.clock.advance('10m')
      expect((await send(issuer.token(first, { sub: `at ${minute}` }))).status).toBe(200)
    }
    expect((await send(issuer.token(second))).status).toBe(401)
    const asked = issuer.requests.length
    for (let i = 0; i < 100; i++) expect((await send(issuer.token(second))).status).toBe(401)
    expect(issuer.requests.length).toBe(asked)
    await app.clock.advance('30s')
    for (let i = 0; i < 100; i++) expect((await send(issuer.token(second))).status).toBe(401)
    expect(issuer.requests.length).toBe(asked + 1)
    issuer.mood = 'normal'
    issuer.keys.push(second.jwk)
    await app.clock.advance('30s')
    expect((await send(issuer.token(second))).status).toBe(200)
    expect(keyFetches()).toBeGreaterThan(1)
  })

  it('are no longer used if the issuer is down for a day', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    expect((await send(issuer.token(first))).status).toBe(200)
    issuer.mood = 'down'
    await app.clock.advance('24h')
    expect((await send(issuer.token(first, { sub: 'new' }))).status).toBe(503)
  })

  it('are fetched again for an unknown kid, at most once in 30 seconds', async () => {
    const { issuer, send, app, keyFetches } = await withIssuer()
    app.clock.set(new Date())
    expect((await send(issuer.token(first))).status).toBe(200)
    issuer.keys = [first.jwk, second.jwk]
    expect((await send(issuer.token(second))).status).toBe(401)
    await app.clock.advance('30s')
    expect((await send(issuer.token(second))).status).toBe(200)
    expect(keyFetches()).toBe(2)
  })

  it('are fetched only once for thousands of forged kids', async () => {
    const { issuer, app, keyFetches, log } = await withIssuer()
    app.clock.set(new Date())
    const guard = jwt({ issuer: issuer.url, audience: 'orders' })
    const lines: string[] = []
    const write = (_: object, line: string) => void lines.push(line)
    const get = () => app.clock as never
    const running = await guard.forApplication({
      get,
      logger: { info: write, warn: write, error: write },
    })
    const call = (kid: string) => {
      const authorization = `Bearer ${issuer.token(second, {}, { kid })}`
      return Promise.resolve(running.canActivate({ headers: { authorization } } as never)).then(
        () => 200,
        ({ status }) => status,
      )
    }
    const statuses = new Set<number>()
    for (let i = 0; i < rounds(10_000, 1_000); i += 500) {
      const some = Array.from({ length: 500 }, (_, j) => call(`forged-${i + j}`))
      for (const status of await Promise.all(some)) statuses.add(status)
    }
    expect([...statuses]).toEqual([401])
    expect(keyFetches()).toBe(1)
    expect([...lines, ...log.lines]).toEqual([])
  })

  it('are no longer used after the issuer has withdrawn them', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    issuer.keys = [first.jwk, second.jwk]
    const [withdrawn, kept] = [issuer.token(first), issuer.token(second)]
    expect([(await send(withdrawn)).status, (await send(kept)).status]).toEqual([200, 200])
    issuer.keys = [second.jwk, third.jwk]
    await app.clock.advance('10m')
    // This request starts the reading of the keys, and does not wait for it.
    expect((await send(kept)).status).toBe(200)
    expect((await send(issuer.token(third))).status).toBe(200)
    expect([(await send(withdrawn)).status, (await send(kept)).status]).toEqual([401, 200])
  })

  it('are not accepted if the issuer withdraws them while the claims of a token are validated', async () => {
    const { open, opened } = gate()
    const validate = async (claims: object) => {
      if ('slow' in claims) await opened
      return { value: claims }
    }
    const claims = { '~standard': { version: 1, vendor: 'test', validate } }
    const issuer = await startIssuer(first, second)
    const guard = jwt({ issuer: issuer.url, audience: 'orders', claims: claims as never })
    const { send, app } = await createGuarded(guard, { timeouts: { handler: false } })
    const keyFetches = () => issuer.requests.filter((path) => path === '/keys').length
    app.clock.set(new Date())
    expect((await send(issuer.token(second))).status).toBe(200)
    const slow = send(issuer.token(first, { slow: true }))
    // A request is sent when its promise is awaited.
    const answered = slow.then(({ status }) => status)
    issuer.keys = [second.jwk]
    await app.clock.advance('10m')
    expect((await send(issuer.token(second))).status).toBe(200)
    await expect.poll(keyFetches).toBe(2)
    await expect.poll(async () => (await send(issuer.token(first))).status).toBe(401)
    open()
    expect(await answered).toBe(401)
  })

  it('are refreshed every ten minutes, so that known tokens become invalid with their key', async () => {
    const { issuer, send, app, keyFetches } = await withIssuer()
    app.clock.set(new Date())
    issuer.keys = [first.jwk, second.jwk]
    const [token, kept] = [issuer.token(first), issuer.token(second)]
    expect([(await send(token)).status, (await send(kept)).status]).toEqual([200, 200])
    for (const [keys, status] of [
      [[first.jwk, second.jwk], 200],
      [[second.jwk], 401],
      [[first.jwk, second.jwk], 200],
    ] as const) {
      issuer.keys = [...keys]
      const before = keyFetches()
      await app.clock.advance('9m')
      expect((await send(kept)).status).toBe(200)
      expect(keyFetches()).toBe(before)
      await app.clock.advance('1m')
      // This request starts the reading of the keys, and does not wait for it.
      expect((await send(kept)).status).toBe(200)
      await expect.poll(async () => (await send(token)).status).toBe(status)
      await expect.poll(keyFetches).toBe(before + 1)
    }
  })

  it('are no longer used after the issuer has withdrawn them, even if a key was listed twice', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    issuer.keys = [first.jwk, { ...first.jwk }, second.jwk]
    const [withdrawn, kept] = [issuer.token(first), issuer.token(second)]
    expect([(await send(withdrawn)).status, (await send(kept)).status]).toEqual([200, 200])
    issuer.keys = [second.jwk, third.jwk]
    await app.clock.advance('10m')
    expect((await send(issuer.token(third))).status).toBe(200)
    expect([(await send(withdrawn)).status, (await send(kept)).status]).toEqual([401, 200])
  })

  it('are no longer used for an algorithm that the issuer has withdrawn from them', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'ed' }
    issuer.keys = [jwk]
    const token = issuer.token({ kid: 'ed', alg: 'EdDSA', key: privateKey, publicKey, jwk })
    expect((await send(token)).status).toBe(200)
    issuer.keys = [{ ...jwk, alg: 'Ed25519' }]
    await app.clock.advance('10m')
    await expect.poll(async () => (await send(token)).status).toBe(401)
  })

  it('do not delay startup, and cause a 503 with Retry-After while the issuer is down', async () => {
    const { issuer, app, send, log } = await withIssuer()
    issuer.mood = 'down'
    app.clock.set(new Date())
    const sent = await app
      .request()
      .get('/me')
      .set('authorization', `Bearer ${issuer.token(first)}`)
    expect([sent.status, sent.headers['retry-after']]).toEqual([503, '5'])
    for (let i = 0; i < 10; i++) expect((await send(issuer.token(first))).status).toBe(503)
    expect(issuer.requests).toHaveLength(1)
    expect(log.lines).toEqual([
      'The keys of the token issuer cannot be read. No token can be verified.',
    ])
    issuer.mood = 'normal'
    await app.clock.advance('5s')
    expect((await send(issuer.token(first))).status).toBe(200)
  })

  it('are no longer awaited after the application closes', async () => {
    const asked = gate()
    const { issuer } = await withIssuer()
    issuer.mood = () => asked.open()
    const running = (await jwt({ issuer: issuer.url, audience: 'orders' }).forApplication({
      get: () => ({ now: Date.now, monotonic: () => performance.now() }) as never,
      logger: { info() {}, warn() {}, error() {} },
    })) as unknown as { canActivate(req: object): Promise<boolean>; onClose(): void }
    const headers = { authorization: `Bearer ${issuer.token(first)}` }
    const waiting = running.canActivate({ headers }).then(
      () => 200,
      ({ status }) => status,
    )
    await asked.opened
    running.onClose()
    expect(await waiting).toBe(503)
  })
})

describe('a response from an issuer', () => {
  const answers: Record<string, [number, Record<string, string>, string]> = {
    'with an error status': [500, {}, '{"keys":[]}'],
    'that redirects': [302, { location: '/keys' }, ''],
    'that is not JSON': [200, {}, '<html>'],
    'that is null': [200, {}, 'null'],
    'without keys': [200, {}, '{"keys":[]}'],
    'with invalid keys': [
      200,
      {},
      '{"keys":[1,null,{"kty":"RSA"},{"kty":"__proto__"},{"kty":"EC","crv":7}]}',
    ],
    'that is too large': [200, {}, `{"a":"${'x'.repeat(300_000)}"}`],
    'with too many keys': [200, {}, JSON.stringify({ keys: Array(101).fill(first.jwk) })],
    'with a secret': [
      200,
      {},
      `{"keys":[{"kty":"oct","kid":"k1","k":"${randomBytes(32).toString('base64url')}"}]}`,
    ],
    'with a private key': [200, {}, JSON.stringify({ keys: [{ ...first.jwk, d: 'AAAA' }] })],
    'with a key of small order': [
      200,
      {},
      `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"AQ${'A'.repeat(41)}"}]}`,
    ],
    'with a key for encryption': [
      200,
      {},
      JSON.stringify({ keys: [{ ...first.jwk, use: 'enc' }] }),
    ],
    'with a key of another algorithm': [
      200,
      {},
      JSON.stringify({ keys: [{ ...first.jwk, alg: 'RS256' }] }),
    ],
  }

  it.each(Object.keys(answers))('%s does not remove known keys', async (name) => {
    const [status, headers, body] = answers[name] as (typeof answers)[string]
    const { issuer, send, app, log } = await withIssuer()
    app.clock.set(new Date())
    issuer.mood = (req, res) => {
      // The keys only: without the metadata, the answer would not be read.
      if (req.url !== '/keys') {
        return res.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }))
      }
      return res.writeHead(status, headers).end(body)
    }
    expect((await send(issuer.token(first))).status).toBe(503)
    issuer.mood = 'normal'
    await app.clock.advance('5s')
    expect((await send(issuer.token(first))).status).toBe(200)
    issuer.mood = (_, res) => res.writeHead(status, headers).end(body)
    await app.clock.advance('30s')
    expect((await send(issuer.token(second))).status).toBe(401)
    expect((await send(issuer.token(first, { sub: 'other' }))).status).toBe(200)
    expect(log.lines.map((line) => line.replace(/^.*read\. /, ''))).toEqual([
      'No token can be verified.',
      'The keys that were loaded earlier remain in use.',
    ])
  })

  it('is not used if its jwks_uri does not use https', async () => {
    const { issuer, send } = await withIssuer()
    issuer.metadata = { jwks_uri: 'http://keys.example.com/keys' }
    expect((await send(issuer.token(first))).status).toBe(503)
  })

  it('is not used if its jwks_uri contains a password, which is not logged', async () => {
    const { issuer, send, log } = await withIssuer()
    issuer.metadata = { jwks_uri: 'https://key:hunter2@keys.example.com/keys' }
    expect((await send(issuer.token(first))).status).toBe(503)
    const facts = inspect(log.facts)
    expect(facts).toContain('keys.example.com')
    expect(facts).not.toContain('hunter2')
  })
})

describe('a custom fetch function', () => {
  it('receives the URL and an option that prevents redirects', async () => {
    const seen: unknown[] = []
    const guard = jwt({
      jwks: 'https://id.example.com/keys',
      audience: 'orders',
      fetch: async (url, { redirect }) => {
        seen.push(url.href, redirect)
        return Response.json({ keys: [first.jwk] })
      },
    })
    const { send } = await createGuarded(guard)
    const token = forge(
      { alg: 'ES256', kid: 'k1' },
      { sub: 'a', aud: ['x', 'orders'], exp: FAR },
      first,
    )
    expect((await send(token)).status).toBe(200)
    expect(seen).toEqual(['https://id.example.com/keys', 'manual'])
  })
})
