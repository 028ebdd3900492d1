import { createPublicKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { App, ConfigError } from 'blazon'
import { type JwtOptions, jwt } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { usable } from '../../support.js'
import { MeController } from './app.js'

const secret = randomBytes(32)
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const { publicKey, privateKey } = rsa(2048)
const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
const privatePem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const der = publicKey.export({ type: 'spki', format: 'der' })
const jwk = publicKey.export({ format: 'jwk' })
const pemOf = (key: JsonWebKey) =>
  String(createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }))
const modulus = Buffer.from(String(jwk.n), 'base64url')
const evenModulus = Buffer.concat([modulus.subarray(0, -1), Buffer.of(2)]).toString('base64url')
/** Points of Ed25519 of the orders 1, 2, 4 and 8, also with other signs and not reduced. */
const SMALL_ORDER = [
  `01${'0'.repeat(62)}`,
  `01${'0'.repeat(60)}80`,
  '0'.repeat(64),
  `${'0'.repeat(62)}80`,
  `ec${'f'.repeat(60)}7f`,
  `ed${'f'.repeat(60)}ff`,
  `ee${'f'.repeat(60)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((point) => Buffer.from(point, 'hex').toString('base64url'))
const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey

/** A certificate of a key for ES256. Its private key does not exist. */
const CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBejCCAR+gAwIBAgIUX50jkh6UPqObpLsVXSEJlZRnBVAwCgYIKoZIzj0EAwIw',
  'ETEPMA0GA1UEAwwGdG9rZW5zMCAXDTI2MTEzMDA2NTcyOFoYDzIxMjYxMTA2MDY1',
  'NzI4WjARMQ8wDQYDVQQDDAZ0b2tlbnMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC',
  'AATXfeDukHRIzAJzp/V1bTR/4mt5EYiPp2UW8ac6hAcShYQG67yY5OWbcX2aSyJE',
  'meFciSSSYotytaJn7s05R0tdo1MwUTAdBgNVHQ4EFgQUVbCjnnxkeOyhHID6SbTx',
  'KUbi7PowHwYDVR0jBBgwFoAUVbCjnnxkeOyhHID6SbTxKUbi7PowDwYDVR0TAQH/',
  'BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAi9hdtHmZfK4KCld/2K0KRkOzjwuT',
  'zc9xzg5uvsIFc8cCIQCH6yEY2fw4oJUa8oZAxFsks9xNv8TnkPt2skKPa9PiSA==',
  '-----END CERTIFICATE-----',
].join('\n')

/** A secret of so many bytes, as a JSON Web Key. */
function octOf(bytes: number) {
  return { kty: 'oct', k: randomBytes(bytes).toString('base64url') }
}

/** The text of the error; nothing if the options are accepted. */
function mistakesOf(options: unknown): string {
  try {
    usable(jwt(options as JwtOptions))
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.replace(/\n\s+/g, ': ')
  }
}

describe('the options of jwt()', () => {
  type Wrong = [string, unknown]
  const wrong: Wrong[] = [
    ['Its options must be an object', undefined],
    ['loaded from the issuer', {}],
    ['loaded from the issuer', { issuer: 'joe', audience: 'a' }],
    ['loaded from the issuer', { issuer: 'http://id.example.com', audience: 'a' }],
    ['loaded from the issuer', { issuer: 'http://localhost.example.com', audience: 'a' }],
    ['loaded from the issuer', { issuer: 'https://a:b@id.example.com', audience: 'a' }],
    ['loaded from the issuer', { issuer: 'https://id.example.com?x', audience: 'a' }],
    ['for other services', { issuer: 'https://id.example.com' }],
    ['for other services', { jwks: 'https://id.example.com/keys' }],
    ['neither a string', { issuer: 'https://id.example.com', audience: [] }],
    ['not an https URL, or it contains a user name', { jwks: 'ftp://localhost', audience: 'a' }],
    ['must come from one source', { keys: secret, jwks: 'https://id.example.com/keys' }],
    ['issuer: It is empty, or not a string', { keys: secret, issuer: '' }],
    ['not an option of this version', { keys: secret, audiense: 'a' }],
    ['It contains no keys', { keys: [] }],
    ['a secret of 31 bytes', { keys: secret.subarray(1) }],
    ['a secret of 0 bytes', { keys: '' }],
    ['keys[1]: It is a secret', { keys: [secret, 'short'] }],
    ['keys: It is not a key', { keys: null }],
    ['keys[0]: It is not a key', { keys: [undefined, secret] }],
    ['neither a string nor bytes', { keys: { secret: undefined } }],
    ['kid is not a string', { keys: { secret, kid: 1 } }],
    ['a key of another type', { keys: { secret: pem } }],
    ['a key of another type', { keys: { secret: Buffer.from(pem) } }],
    ['a key of another type', { keys: der }],
    ['a key of another type', { keys: der.toString('base64') }],
    ['a key of another type', { keys: JSON.stringify(jwk) }],
    ['It is a private key', { keys: privatePem }],
    ['It is a private key', { keys: { pem: privatePem.replaceAll('\n', '\\n') } }],
    ['neither a public key nor a certificate', { keys: pem.replace('MII', 'XII') }],
    ['contains a private key', { keys: privateKey.export({ format: 'jwk' }) }],
    ['not a key for signatures', { keys: { ...jwk, use: 'enc' } }],
    ['not a key for signatures', { keys: { ...jwk, key_ops: ['sign'] } }],
    ['alg ES256 does not match', { keys: { ...jwk, alg: 'ES256' } }],
    ['members are missing', { keys: { kty: 'RSA' } }],
    ['member `k` is missing', { keys: { kty: 'oct' } }],
    ['not a public key of the type', { keys: { kty: 'constructor' } }],
    ['an RSA key of 1024 bits', { keys: rsa(1024).publicKey.export({ format: 'jwk' }) }],
    // With the exponent 1, a signature is the hash itself. Even exponents have no private key.
    ...['AQ', 'AAAAAQ', 'AA', '', 'Ag', 'AQAA', `AQ${'A'.repeat(44)}`].map(
      (e): Wrong => ['whose exponent is not an odd number', { keys: { ...jwk, e } }],
    ),
    ['whose exponent is not an odd number', { keys: pemOf({ ...jwk, e: 'AQ' }) }],
    ['with an even modulus', { keys: { ...jwk, n: evenModulus } }],
    ...SMALL_ORDER.map(
      (x): Wrong => ['an Ed25519 key of small order', { keys: { kty: 'OKP', crv: 'Ed25519', x } }],
    ),
    ['uses keys of the type ec', { keys: curve.export({ format: 'jwk' }) }],
    ['does not fit any of `algorithms`', { keys: pem, algorithms: ['ES256'] }],
    ['does not fit any of `algorithms`', { keys: secret, algorithms: ['HS512'] }],
    ['none is not a signature algorithm', { keys: secret, algorithms: ['none', 'HS256'] }],
    ['not a list of names', { keys: secret, algorithms: [] }],
    ['neither the name of a claim nor a function', { keys: secret, tenant: 1 }],
    ['not a Standard Schema', { keys: secret, claims: { type: 'object' } }],
    ['user: It is not a function', { keys: secret, user: 'sub' }],
    ['fetch: It is not a function', { keys: secret, fetch: true }],
    ['not a valid scheme name', { keys: secret, scheme: 'Bearer token' }],
    ['not a valid scheme name', { keys: secret, scheme: 'Bearer\r\nX: y' }],
    ['type: It is empty, or not a string', { keys: secret, type: '' }],
    ["neither 'required' nor 'optional'", { keys: secret, expires: false }],
    ['not a list of scopes', { keys: secret, requiredScopes: ['a b'] }],
    ['not a list of scopes', { keys: secret, requiredScopes: ['a"'] }],
    ['not a valid number of tokens', { keys: secret, cacheSize: -1 }],
    ['not a duration of at most 10 minutes', { keys: secret, clockTolerance: '11m' }],
    ['not a duration of at most 10 minutes', { keys: secret, clockTolerance: 'soon' }],
    ['maxAge: It is not a duration', { keys: secret, maxAge: 0 }],
    ['must be an https URL without a query', { keys: secret, resource: '/orders' }],
    ['must be an https URL without a query', { keys: secret, resource: 'https://a.example?x' }],
    ['must be an https URL without a query', { keys: secret, resource: 'https://a.example#x' }],
    ['loaded from the issuer', { issuer: 'https://id.example.com#x', audience: 'a' }],
    ['or it contains a user name', { jwks: 'https://a@id.example.com/keys', audience: 'a' }],
    ['audience: It is empty', { keys: secret, audience: '' }],
    ['audience: It is empty', { keys: secret, audience: ['a', ''] }],
    ['roles: It is neither the name of a claim', { keys: secret, roles: 1 }],
    ['permissions: It is neither the name of a claim', { keys: secret, permissions: '' }],
    ['scope: It is neither the name of a claim', { keys: secret, scope: ['scope'] }],
    ['not a list of scopes', { keys: secret, requiredScopes: [] }],
    ['not a list of scopes', { keys: secret, requiredScopes: 'a' }],
    ['not a valid number of tokens', { keys: secret, cacheSize: 1.5 }],
    ['maxAge: It is not a duration', { keys: secret, maxAge: 'soon' }],
    ['Its pem is not a string', { keys: { pem: 7 } }],
    ['keys[1].kidd: It is not an option', { keys: [secret, { pem, kidd: 'a' }] }],
    ['alg HS384 does not match', { keys: { ...octOf(47), alg: 'HS384' } }],
    ['does not fit any of `algorithms`', { keys: octOf(63), algorithms: ['HS512'] }],
  ]

  it.each(wrong)('are refused with an error that contains "%s"', (text, options) => {
    const message = mistakesOf(options)
    expect(message).toContain(text)
    expect(message).toContain('E_OPTION_INVALID')
    for (const part of [
      secret.toString(),
      secret.toString('base64'),
      'MIIB',
      'MIIE',
      String(jwk.n),
    ]) {
      expect(message).not.toContain(part)
    }
  })

  it.each([
    { keys: pem },
    { keys: pem.replaceAll('\n', '\\n') },
    { keys: [{ pem, kid: 'a' }, { secret, kid: 'b' }, secret, 'x'.repeat(32)] },
    { issuer: 'http://localhost:1/realm', audience: ['a', 'b'] },
    { issuer: 'http://[::1]:1', audience: false },
    { issuer: 'http://id.localhost', audience: 'a' },
    { keys: CERTIFICATE, algorithms: ['ES256'] },
    { keys: [{ pem: CERTIFICATE.replaceAll('\n', '\\n') }] },
    { keys: { ...octOf(48), alg: 'HS384' } },
    { keys: octOf(64), algorithms: ['HS512'] },
    { keys: { ...jwk, use: 'sig', key_ops: ['sign', 'verify'] } },
    { keys: secret, resource: 'https://a.example/v1', scheme: "!#$%&'*+.^`|~-" },
    { keys: secret, requiredScopes: ['!#[]~'], expires: 'required', cacheSize: 1 },
    { jwks: new URL('http://127.0.0.1:1/keys'), audience: 'a' },
    { keys: secret, clockTolerance: '10m', maxAge: '1d', cacheSize: 0, type: 'at+jwt' },
  ] as JwtOptions[])('are accepted: %j', (options) => {
    expect(mistakesOf(options)).toBe('')
  })

  it('are refused with an error that lists all problems', () => {
    const message = mistakesOf({ keys: 'short', algorithms: ['none'], scheme: '' })
    for (const name of ['keys', 'algorithms', 'scheme']) expect(message).toContain(`jwt: ${name}`)
  })
})

describe('a guard created with jwt()', () => {
  it('declares its security scheme, credentials, errors and scopes for the document', () => {
    const remote = jwt({ issuer: 'https://id.example.com', audience: 'a', requiredScopes: ['b'] })
    expect(remote.security).toEqual({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    expect(remote.credentials).toEqual(['authorization'])
    expect(remote.contract()).toEqual({ errors: [403, 503] })
    expect(remote.scopes()).toEqual(['b'])
    const local = jwt({ keys: secret, scheme: 'Token' })
    expect(local.security).toMatchObject({ type: 'apiKey', in: 'header', name: 'Authorization' })
    expect(local.contract()).toEqual({ errors: [] })
    expect(local.challenge).toBe('Token')
    expect(local.security.description).toBe('`Token`, a space, and a JSON Web Token')
    expect(local.scopes()).toEqual([])
    expect(jwt({ keys: secret, scheme: 'bearer' }).security).toEqual(remote.security)
    const scoped = jwt({ keys: secret, requiredScopes: ['b'] })
    expect(scoped.contract()).toEqual({ errors: [403] })
    const jwks = jwt({ jwks: 'https://id.example.com/keys', audience: 'a' })
    expect(jwks.contract()).toEqual({ errors: [503] })
  })

  it('does not prevent startup if its issuer is not available', async () => {
    const guard = jwt({ issuer: 'http://127.0.0.1:1', audience: 'a' })
    const app = new App({
      controllers: [MeController],
      auth: { guard },
      logger: false,
      swagger: false,
    })
    await app.init()
    const response = await app.fetch(new Request('http://localhost/me'))
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    await app.close()
  })
})
