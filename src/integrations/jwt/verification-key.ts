import { createHash, createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import type { JwtAlgorithm } from './jwt-options.js'
import type { TokenHeader } from './read-token.js'

/** A key with the algorithms that it is allowed to verify. */
export interface VerificationKey {
  readonly kid: string | undefined
  readonly algorithms: readonly JwtAlgorithm[]
  readonly key: KeyObject | Uint8Array
  /** An ID that is equal for keys with the same content, `kid` and algorithms. */
  readonly id: string
  /** Whether the issuer has withdrawn the key. Tokens that it has signed are then no longer valid. */
  isRetired: boolean
}

/** The error for a key that cannot verify tokens. The message contains the reason, but no part of the key. */
export class UnusableKey extends Error {}

/** The parts of public keys (RFC 7518, 6; RFC 8037, 2). Other members are not read. */
const PUBLIC_PARTS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

/** The parts of private keys and of secret keys. */
const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const RSA: readonly JwtAlgorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

const CURVES: Readonly<Record<string, readonly JwtAlgorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
}

/** The minimum length of a secret for each algorithm: the length of the hash (RFC 7518, 3.2). */
const SECRET_BYTES: readonly (readonly [JwtAlgorithm, number])[] = [
  ['HS256', 32],
  ['HS384', 48],
  ['HS512', 64],
]

/** The ID of a key, and the algorithm to which its owner limits it. */
interface KeyFacts {
  readonly kid: string | undefined
  readonly alg?: unknown
}

/** Creates a key from a shared secret. Throws {@link UnusableKey} for a secret that is too short for its algorithm. */
export function secretKey(secret: Uint8Array, facts: KeyFacts): VerificationKey {
  const algorithms = SECRET_BYTES.filter(([, bytes]) => secret.length >= bytes)
  if (algorithms.length === 0) {
    throw new UnusableKey(`It is a secret of ${secret.length} bytes. HMAC needs at least 32.`)
  }
  const names = algorithms.map(([name]) => name)
  return keyOf({ key: secret, algorithms: names, bytes: secret }, facts)
}

/** Creates a key from a public key. Throws {@link UnusableKey} if no algorithm uses its type. */
export function publicKey(key: KeyObject, facts: KeyFacts): VerificationKey {
  const bytes = key.export({ type: 'spki', format: 'der' })
  return keyOf({ key, algorithms: algorithmsOf(key), bytes }, facts)
}

/** Creates a key from a public JSON Web Key. Throws {@link UnusableKey} for other keys. */
export function publicJwk(jwk: Readonly<Record<string, unknown>>): VerificationKey {
  const { kty, kid, alg, use, key_ops: operations } = jwk
  const parts = typeof kty === 'string' && Object.hasOwn(PUBLIC_PARTS, kty) && PUBLIC_PARTS[kty]
  if (!parts) throw new UnusableKey('It is not a public key of the type RSA, EC or OKP.')
  if (PRIVATE_PARTS.some((part) => Object.hasOwn(jwk, part))) {
    throw new UnusableKey('It contains a private key, which only the issuer may have.')
  }
  const mayVerify = !Array.isArray(operations) || operations.includes('verify')
  if ((use !== undefined && use !== 'sig') || !mayVerify) {
    throw new UnusableKey('It is not a key for signatures.')
  }
  if (kid !== undefined && typeof kid !== 'string')
    throw new UnusableKey('Its kid is not a string.')
  const members = Object.fromEntries(parts.map((part) => [part, jwk[part]]))
  return publicKey(readJwk({ key: { kty, ...members }, format: 'jwk' }), { kid, alg })
}

function readJwk(input: JsonWebKeyInput): KeyObject {
  try {
    return createPublicKey(input)
  } catch {
    throw new UnusableKey('Its members are missing or invalid.')
  }
}

/** Returns the algorithms for a key type. A token never determines how its signature is verified. */
function algorithmsOf(key: KeyObject): readonly JwtAlgorithm[] {
  const { asymmetricKeyType, asymmetricKeyDetails: { namedCurve = '' } = {} } = key
  const weakness = weaknessOf(key)
  if (weakness !== null) throw new UnusableKey(weakness)
  if (asymmetricKeyType === 'rsa') return RSA
  if (asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519']
  if (asymmetricKeyType === 'ec' && Object.hasOwn(CURVES, namedCurve)) {
    return CURVES[namedCurve] as readonly JwtAlgorithm[]
  }
  throw new UnusableKey(`No supported algorithm uses keys of the type ${asymmetricKeyType}.`)
}

interface KeyMaterial extends Pick<VerificationKey, 'key' | 'algorithms'> {
  readonly bytes: Uint8Array
}

function keyOf({ key, algorithms, bytes }: KeyMaterial, { kid, alg }: KeyFacts): VerificationKey {
  const allowed = alg === undefined ? algorithms : algorithms.filter((name) => name === alg)
  if (allowed.length === 0)
    throw new UnusableKey(`Its alg ${String(alg)} does not match its type or length.`)
  const id = createHash('sha256')
    .update(JSON.stringify([kid, allowed]))
    .update(bytes)
    .digest('hex')
  return { kid, algorithms: allowed, key, id, isRetired: false }
}

/** Limits a key to the given algorithms. Returns `null` if none is left. */
export function narrow(
  key: VerificationKey,
  algorithms: readonly JwtAlgorithm[] | undefined,
): VerificationKey | null {
  if (algorithms === undefined) return key
  const allowed = key.algorithms.filter((name) => algorithms.includes(name))
  return allowed.length === 0 ? null : { ...key, algorithms: allowed }
}

/** The allowed length of RSA keys. Shorter keys can be broken (RFC 7518, 3.3), and longer keys only take more time. */
const RSA_BITS = { least: 2048, most: 8192 }
/** The maximum exponent of RSA keys. Larger exponents only take more time (FIPS 186-5, 5.1). */
const MOST_EXPONENT = 2n ** 256n

/** The small-order points of Ed25519, without their sign. Signatures for them can be forged. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  ...['00', '01'].map((first) => first.padEnd(64, '0')),
  ...['ec', 'ed', 'ee'].map((first) => `${first.padEnd(62, 'f')}7f`),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
])

/**
 * Returns the reason why a public key is not accepted, such as a weakness that allows any client to create valid
 * signatures; `null` if there is none.
 */
function weaknessOf(key: KeyObject): string | null {
  if (key.asymmetricKeyType === 'rsa') return weaknessOfRsa(key)
  if (key.asymmetricKeyType !== 'ed25519') return null
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  point[31] = (point[31] as number) & 0x7f
  const isWeak = SMALL_ORDER.has(point.toString('hex'))
  return isWeak ? 'It is an Ed25519 key of small order, with which anyone can sign.' : null
}

function weaknessOfRsa(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) {
    return `It is an RSA key of ${modulusLength} bits. The length must be 2048 to 8192 bits.`
  }
  const isOdd = publicExponent % 2n === 1n
  if (!isOdd || publicExponent < 3n || publicExponent >= MOST_EXPONENT) {
    return 'It is an RSA key whose exponent is not an odd number from 3 to 2^256.'
  }
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url')
  return (modulus.at(-1) ?? 0) % 2 === 0 ? 'It is an RSA key with an even modulus.' : null
}

/** The source of the keys that verify tokens. */
export interface KeySource {
  /** Returns the possible keys for a token; an empty list if the key is unknown. */
  find(header: TokenHeader): readonly VerificationKey[] | Promise<readonly VerificationKey[]>
  /**
   * Reads outdated keys again in the background. The verifier calls this for each request whose token is in the cache.
   */
  keepFresh(): void
  /** Ends the work in progress. */
  close(): void
}

/** The maximum number of keys that are tried. A token without a `kid` is verified with one key after another. */
const MOST_TRIALS = 8

/** Returns the keys that match the algorithm and the `kid` of a token; none if there are too many to try. */
export function matching(
  keys: readonly VerificationKey[],
  { alg, kid }: TokenHeader,
): readonly VerificationKey[] {
  const found = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && key.algorithms.includes(alg as never),
  )
  return found.length > MOST_TRIALS ? [] : found
}

/**
 * Creates a source of keys that never change. A token whose `kid` matches no key may belong to a key without a `kid`.
 */
export function fixedKeys(keys: readonly VerificationKey[]): KeySource {
  return {
    find(header) {
      if (header.kid === undefined || keys.some(({ kid }) => kid === header.kid)) {
        return matching(keys, header)
      }
      const nameless = keys.filter(({ kid }) => kid === undefined)
      return matching(nameless, { ...header, kid: undefined })
    },
    keepFresh() {},
    close() {},
  }
}
