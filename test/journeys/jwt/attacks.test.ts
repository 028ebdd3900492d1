import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { App } from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { createGuarded, inApplication, MeController } from './app.js'
import { forge, part, type Signer, signatureOf } from './forge.js'
import { FAR, makeKey, startIssuer } from './issuer.js'

const trusted = makeKey('k1')
const attacker = makeKey('k1')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsaJwk = { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa', alg: 'RS256' }
const edJwk = { ...ed.publicKey.export({ format: 'jwk' }), kid: 'ed' }

const spki = (type: 'pem' | 'der', key: KeyObject = rsa.publicKey) =>
  key.export({ type: 'spki', format: type as 'pem' })
const hs = (key: Signer['key'], alg = 'HS256'): Signer => ({ alg, key })

/** The claims of a good token of an issuer. */
const good = (iss: string) => ({ iss, sub: 'u1', aud: 'orders', exp: FAR })

/** Forged tokens. Each is made from the URL of the issuer. */
const TOKENS: Record<string, (iss: string) => string> = {
  ...Object.fromEntries(
    ['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS1', 'ES256K', 'constructor', '__proto__'].map(
      (alg) => [
        `unsigned, alg ${alg}`,
        (iss: string) => `${part({ alg, kid: 'k1' })}.${part(good(iss))}.`,
      ],
    ),
  ),
  'alg none with a signature': (iss) => forge({ alg: 'none', kid: 'k1' }, good(iss), trusted),
  ...Object.fromEntries(
    [1, null, ['ES256'], { toString: 'ES256' }, true].map((alg) => [
      `alg ${JSON.stringify(alg)}`,
      (iss: string) => forge({ alg, kid: 'k1' }, good(iss), trusted),
    ]),
  ),
  'without alg': (iss) => forge({ kid: 'k1' }, good(iss), trusted),
  ...Object.fromEntries(
    Object.entries({
      'PEM of a public key': spki('pem'),
      'trimmed PEM': String(spki('pem')).trim(),
      'DER of a public key': spki('der'),
      'public JWK': JSON.stringify(rsaJwk),
      modulus: Buffer.from(rsaJwk.n as string, 'base64url'),
      'empty text': '',
    }).map(([name, key]) => [
      `HS256 with the ${name} as secret`,
      (iss: string) => forge({ alg: 'HS256', kid: 'rsa' }, good(iss), hs(key)),
    ]),
  ),
  'HS512 with an elliptic key as secret': (iss) =>
    forge({ alg: 'HS512', kid: 'k1' }, good(iss), hs(spki('pem', trusted.publicKey), 'HS512')),
  'RS512 of a key for RS256': (iss) =>
    forge({ alg: 'RS512', kid: 'rsa' }, good(iss), { alg: 'RS512', key: rsa.privateKey }),
  'PS256 of a key for RS256': (iss) =>
    forge({ alg: 'PS256', kid: 'rsa' }, good(iss), { alg: 'PS256', key: rsa.privateKey }),
  'ES384 with the kid of P-256': (iss) =>
    forge({ alg: 'ES384', kid: 'k1' }, good(iss), { alg: 'ES384', key: p384.privateKey }),
  'P-384 that says ES256': (iss) =>
    forge({ alg: 'ES256', kid: 'k1' }, good(iss), { alg: 'ES384', key: p384.privateKey }),
  'EdDSA with an elliptic key': (iss) =>
    forge({ alg: 'EdDSA', kid: 'k1' }, good(iss), { alg: 'EdDSA', key: ed.privateKey }),
  'ES256 with an Edwards key': (iss) => forge({ alg: 'ES256', kid: 'ed' }, good(iss), attacker),
  'a signature in DER': (iss) => {
    const text = `${part({ alg: 'ES256', kid: 'k1' })}.${part(good(iss))}`
    const raw = signatureOf(text, trusted)
    const der = Buffer.concat([
      Buffer.from([0x30, 68, 2, 32]),
      raw.subarray(0, 32),
      Buffer.from([2, 32]),
      raw.subarray(32),
    ])
    return `${text}.${der.toString('base64url')}`
  },
  'a signature of zeros': (iss) =>
    `${part({ alg: 'ES256', kid: 'k1' })}.${part(good(iss))}.${Buffer.alloc(64).toString('base64url')}`,
  'a key of the attacker': (iss) => forge({ alg: 'ES256', kid: 'k1' }, good(iss), attacker),
  ...Object.fromEntries(
    Object.entries({
      jwk: attacker.jwk,
      jku: 'https://evil.example/keys',
      x5u: 'https://evil.example/cert',
      x5c: [String(spki('pem', attacker.publicKey))],
      x5t: 'AAAA',
    }).map(([name, value]) => [
      `${name} in the header`,
      (iss: string) => forge({ alg: 'ES256', kid: 'k1', [name]: value }, good(iss), attacker),
    ]),
  ),
  ...Object.fromEntries(
    [['k1'], { k1: 1 }, 1, null, true, 'x'.repeat(600)].map((kid) => [
      `kid ${JSON.stringify(kid).slice(0, 20)}`,
      (iss: string) => forge({ alg: 'ES256', kid }, good(iss), trusted),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      'crit b64': { crit: ['b64'], b64: false },
      'empty crit': { crit: [] },
      'crit exp': { crit: ['exp'], exp: 1 },
      b64: { b64: false },
      'cty JWT': { cty: 'JWT' },
      zip: { zip: 'DEF' },
      'typ dpop+jwt': { typ: 'dpop+jwt' },
      'typ logout+jwt': { typ: 'application/logout+jwt' },
      'typ 1': { typ: 1 },
    }).map(([name, header]) => [
      `header ${name}`,
      (iss: string) => forge({ alg: 'ES256', kid: 'k1', ...header }, good(iss), trusted),
    ]),
  ),
  ...Object.fromEntries(
    [
      ...['1', `${FAR}`, -1, null, [FAR], {}, true, 1e11, Date.now() + 1e9, 0].map((exp) => ({
        exp,
      })),
      { exp: undefined },
      ...['0', -1, null, [], FAR - 1].map((nbf) => ({ nbf })),
      ...['0', -1, null, [], 1e300].map((iat) => ({ iat })),
      ...[
        undefined,
        null,
        '',
        'order',
        'Orders',
        1,
        [],
        [['orders']],
        [1, 'orders'],
        { 0: 'orders' },
      ].map((aud) => ({ aud })),
      ...[undefined, null, '', 1, 'https://evil.example', ['x']].map((iss) => ({ iss })),
      ...[undefined, null, '', 1, ['u1']].map((sub) => ({ sub })),
    ].map((claims) => [
      `claims ${JSON.stringify(claims, (_, value) => (value === undefined ? 'nothing' : value))}`,
      (iss: string) => forge({ alg: 'ES256', kid: 'k1' }, { ...good(iss), ...claims }, trusted),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      'exp 1e400': (json: string) => json.replace(`"exp":${FAR}`, '"exp":1e400'),
      'exp twice': (json: string) => json.replace('{', '{"exp":1,'),
      'sub twice': (json: string) => json.replace('{', '{"s\\u0075b":"admin",'),
      'a nested member twice': (json: string) => json.replace('{', '{"a":[{"b":1,"b":2}],'),
      __proto__: (json: string) => json.replace('{', '{"__proto__":{"roles":["admin"]},'),
      'a list': (json: string) => `[${json}]`,
      'a text': () => '"claims"',
      null: () => 'null',
      'cut off': (json: string) => json.slice(0, -1),
      'a byte order mark': (json: string) => `\uFEFF${json}`,
    }).map(([name, change]) => [
      `JSON with ${name}`,
      (iss: string) =>
        forge({ alg: 'ES256', kid: 'k1' }, change(JSON.stringify(good(iss))), trusted),
    ]),
  ),
  'alg twice': (iss) => forge('{"alg":"none","alg":"ES256","kid":"k1"}', good(iss), trusted),
  'bytes that are not UTF-8': (iss) => {
    const body = Buffer.concat([
      Buffer.from(JSON.stringify(good(iss)).slice(0, -2)),
      Buffer.from([0xff, 0x22, 0x7d]),
    ])
    const text = `${part({ alg: 'ES256', kid: 'k1' })}.${body.toString('base64url')}`
    return `${text}.${signatureOf(text, trusted).toString('base64url')}`
  },
  'a token in a token': (iss) => {
    const inner = forge({ alg: 'ES256', kid: 'k1' }, good(iss), trusted)
    return forge({ alg: 'ES256', kid: 'k1' }, inner, trusted)
  },
  'an encrypted token': () => `${part({ alg: 'dir', enc: 'A128GCM', kid: 'k1' })}..AAAA.AAAA.AAAA`,
  'PBES2 with many rounds': () =>
    `${part({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31, p2s: 'AAAA' })}.AAAA.AAAA.AAAA.AAAA`,
  'two parts': (iss) => `${part({ alg: 'ES256', kid: 'k1' })}.${part(good(iss))}`,
  'four parts': (iss) => `${forge({ alg: 'ES256', kid: 'k1' }, good(iss), trusted)}.AAAA`,
  'empty parts': () => '..',
  'one dot': () => '.',
}

/** Other spellings of a good token. */
const SPELLINGS: Record<string, (token: string) => string> = {
  padding: (token) => `${token}=`,
  'padding in the middle': (token) => token.replace('.', '=.'),
  'a tab': (token) => token.replace('.', '\t.'),
  'a space': (token) => token.replace('.', ' .'),
  'standard base64': (token) => {
    const [head, body, signature = ''] = token.split('.')
    return [head, body, Buffer.from(signature, 'base64url').toString('base64')].join('.')
  },
  'junk after the signature': (token) => `${token}!`,
  'another last character': (token) => {
    const last = token.at(-1) as string
    const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return token.slice(0, -1) + all[all.indexOf(last) + 1]
  },
  'another case': (token) => token.replace('e', 'E'),
  quotes: (token) => `"${token}"`,
  'a comma': (token) => `${token},${token}`,
  'twelve kilobytes more': (token) => `${token}${'A'.repeat(12 * 1024)}`,
}

describe('a forged token', () => {
  it('is refused with 401, without a fetch, a log line or a cache entry', async () => {
    const issuer = await startIssuer(trusted)
    issuer.keys.push(rsaJwk, edJwk)
    const { send, log } = await createGuarded(jwt({ issuer: issuer.url, audience: 'orders' }))
    const token = issuer.token(trusted)
    expect((await send(token)).status).toBe(200)
    const asked = issuer.requests.length
    const wrong: string[] = []
    for (const [name, make] of Object.entries(TOKENS)) {
      const forged = make(issuer.url)
      // The second time would find an entry.
      for (const _ of [1, 2]) {
        const { status, challenge } = await send(forged)
        if (status !== 401 || !challenge?.startsWith('Bearer error="invalid_token"'))
          wrong.push(`${name}: ${status}`)
      }
    }
    for (const [name, spell] of Object.entries(SPELLINGS)) {
      const spelt = spell(token)
      expect(spelt, name).not.toBe(token)
      if ((await send(spelt)).status !== 401) wrong.push(name)
    }
    expect(wrong).toEqual([])
    expect(Object.keys(TOKENS).length).toBeGreaterThan(100)
    expect(issuer.requests.length).toBe(asked)
    expect(log.lines).toEqual([])
    expect((await send(token)).status).toBe(200)
  })

  it('is refused before the keys are fetched if its claims are invalid', async () => {
    const issuer = await startIssuer(trusted)
    const { send } = await createGuarded(jwt({ issuer: issuer.url, audience: 'orders' }))
    for (const claims of [{ iss: 'evil' }, { aud: 'other' }, { exp: 1 }, { exp: undefined }]) {
      expect((await send(issuer.token(trusted, claims))).status).toBe(401)
    }
    expect((await send(issuer.token(trusted, {}, { crit: ['a'] }))).status).toBe(401)
    expect(issuer.requests).toEqual([])
  })

  it.each([
    '../../etc/passwd',
    '/dev/null',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
    '',
    '\u0000',
  ])('is refused with the kid %j', async (kid) => {
    const secret = randomBytes(32)
    const { send } = await createGuarded(jwt({ keys: { kid: 'k1', secret } }))
    for (const key of [secret, '', Buffer.alloc(32)]) {
      const forged = forge({ alg: 'HS256', kid }, { sub: 'a', exp: FAR }, hs(key))
      expect((await send(forged)).status).toBe(401)
    }
  })

  it('is refused if its HMAC uses a trusted public key as the secret', async () => {
    const secret = randomBytes(64)
    const both = await createGuarded(jwt({ keys: [secret, String(spki('pem'))] }))
    for (const key of [
      spki('pem'),
      spki('der'),
      String(spki('pem')).trim(),
      JSON.stringify(rsaJwk),
    ]) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const forged = forge({ alg }, { sub: 'a', exp: FAR }, hs(key, alg))
        expect((await both.send(forged)).status).toBe(401)
      }
    }
    expect((await both.send(signTestToken({ sub: 'a' }, secret))).status).toBe(200)
  })

  it('cannot be created by changing single characters of a valid token', async () => {
    const secret = randomBytes(32)
    const { send } = await createGuarded(jwt({ keys: secret }))
    const token = signTestToken({ sub: 'a' }, secret)
    for (let i = 0; i < token.length; i += 7) {
      const other = token[i] === 'A' ? 'B' : 'A'
      expect((await send(token.slice(0, i) + other + token.slice(i + 1))).status, `${i}`).toBe(401)
    }
  })
})

describe('the header with the token', () => {
  const secret = randomBytes(32)
  const token = signTestToken({ sub: 'a' }, secret)

  it.each([
    [`Bearer ${token}`, 200],
    [`bearer ${token}`, 200],
    [`BEARER   ${token}`, 200],
    [token, 401],
    [`Bearer${token}`, 401],
    [`BearerX ${token}`, 401],
    [`Bearer\t${token}`, 401],
    [`Bearer: ${token}`, 401],
    [`Bearer Bearer ${token}`, 401],
    [`Bearer ${token} ${token}`, 401],
    ['Bearer', 401],
    ['Bearer  ', 401],
    [`Basic ${token}`, 401],
  ])('if it is %s, results in a %i', async (value, status) => {
    const { app } = await createGuarded(jwt({ keys: secret }))
    expect((await app.request().get('/me').set('authorization', value)).status).toBe(status)
  })

  it('must occur only once, and cannot be replaced by the query, a cookie or another header', async () => {
    const log = { lines: [], facts: [] }
    const guard = inApplication(jwt({ keys: secret }), log)
    const app = new App({
      controllers: [MeController],
      auth: { guard },
      swagger: false,
      logger: false,
    })
    const { port } = await app.listen(0, '127.0.0.1')
    const statusOf = (head: string, path = '/me') =>
      new Promise<string>((done) => {
        let text = ''
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${head}\r\n`),
        )
        socket.on('data', (chunk) => (text += chunk)).on('close', () => done(text.slice(9, 12)))
      })
    expect(await statusOf(`Authorization: Bearer ${token}\r\n`)).toBe('200')
    const twice = [`Bearer ${token}`, 'Bearer x', 'Basic YTpi', '']
    for (const other of twice) {
      const [one, two] = [`Authorization: Bearer ${token}\r\n`, `authorization: ${other}\r\n`]
      expect(await statusOf(one + two)).toBe('401')
      expect(await statusOf(two + one)).toBe('401')
    }
    expect(await statusOf('', `/me?access_token=${token}`)).toBe('401')
    expect(await statusOf(`Cookie: access_token=${token}\r\n`)).toBe('401')
    expect(await statusOf(`X-Authorization: Bearer ${token}\r\n`)).toBe('401')
    await app.close()
  })
})
