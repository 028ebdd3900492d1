import type { KeyObject } from 'node:crypto'

/** Shorter RSA keys can be broken (RFC 7518, 3.3), longer ones would only cost time. */
const RSA_BITS = { least: 2048, most: 8192 }
/** Larger exponents would only cost time (FIPS 186-5, 5.1). */
const MOST_EXPONENT = 2n ** 256n

/** The points of a small order on Ed25519, without their sign: every signature fits them. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  ...['00', '01'].map((first) => first.padEnd(64, '0')),
  ...['ec', 'ed', 'ee'].map((first) => `${first.padEnd(62, 'f')}7f`),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
])

/**
 * Returns why any client could make signatures that a public key accepts; `null` for a key without a known weakness.
 */
export function weaknessOf(key: KeyObject): string | null {
  if (key.asymmetricKeyType === 'rsa') return weaknessOfRsa(key)
  if (key.asymmetricKeyType !== 'ed25519') return null
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  point[31] = (point[31] as number) & 0x7f
  const isWeak = SMALL_ORDER.has(point.toString('hex'))
  return isWeak ? 'It is an Ed25519 key of a small order, for which anybody can sign.' : null
}

function weaknessOfRsa(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) {
    return `It is an RSA key of ${modulusLength} bits. It needs 2048 to 8192.`
  }
  const isOdd = publicExponent % 2n === 1n
  if (!isOdd || publicExponent < 3n || publicExponent >= MOST_EXPONENT) {
    return 'It is an RSA key whose exponent is not an odd number from 3 to 2^256.'
  }
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url')
  return (modulus.at(-1) ?? 0) % 2 === 0 ? 'It is an RSA key with an even modulus.' : null
}
