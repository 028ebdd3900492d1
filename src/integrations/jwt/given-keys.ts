import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { ConfigError } from '../../index.js'
import { type OptionNames, type Problem, unknownOptions } from '../../plugin/index.js'
import {
  type AnyJwtOptions,
  invalid,
  type JwtJwk,
  type JwtKey,
  type JwtKeys,
  type JwtPem,
  type JwtSecret,
} from './jwt-options.js'
import {
  narrow,
  publicJwk,
  publicKey,
  secretKey,
  UnusableKey,
  type VerificationKey,
} from './verification-key.js'

const REMEDY =
  'Pass a secret of 32 random bytes or more, a public key as PEM, or a JSON Web Key with public parts.'

const SECRET: OptionNames<JwtSecret> = { secret: true, kid: true }
const PEM: OptionNames<JwtPem> = { pem: true, kid: true }

/** The result of reading the option `keys`. */
export interface GivenKeys {
  readonly keys: readonly VerificationKey[]
  readonly problems: readonly Problem[]
}

/** The result if the option `keys` is omitted, or is a function. Such a function is called at boot. */
export const NO_KEYS: GivenKeys = Object.freeze({ keys: [], problems: [] })

/**
 * Reads the keys that the function in the option `keys` returned.
 *
 * @throws ConfigError for keys that cannot verify a token.
 */
export function readKeysAtBoot(given: JwtKeys, options: AnyJwtOptions): GivenKeys['keys'] {
  const { keys, problems } = readGivenKeys(given, options)
  if (problems.length > 0) throw new ConfigError(problems)
  return keys
}

/** Reads keys. No problem message contains a part of a key. */
export function readGivenKeys(given: JwtKeys, { algorithms }: AnyJwtOptions): GivenKeys {
  const list = Array.isArray(given) ? (given as readonly JwtKey[]) : [given as JwtKey]
  const [keys, problems]: [VerificationKey[], Problem[]] = [[], []]
  if (list.length === 0) problems.push(invalid('keys', 'It contains no keys.', REMEDY))
  for (const [index, item] of list.entries()) {
    try {
      problems.push(...unknownMembers(`jwt: keys[${index}].`, item))
      const key = narrow(readKey(item), algorithms)
      if (key === null)
        throw new UnusableKey('The type of the key does not fit any of `algorithms`.')
      keys.push(key)
    } catch (error) {
      if (!(error instanceof UnusableKey)) throw error
      problems.push(invalid(list.length > 1 ? `keys[${index}]` : 'keys', error.message, REMEDY))
    }
  }
  return { keys, problems }
}

/**
 * Reports unknown members: with a misspelt `kid`, the key would also be tried for tokens with a different `kid`. A JSON
 * Web Key can have any member, so its members are not checked.
 */
function unknownMembers(path: string, given: JwtKey): Problem[] {
  const isOf = (name: string) => Object.hasOwn(Object(given), name)
  if (isOf('secret')) return unknownOptions(path, given, SECRET)
  return isOf('pem') ? unknownOptions(path, given, PEM) : []
}

function readKey(given: JwtKey): VerificationKey {
  if (typeof given === 'string') return readText(given, undefined)
  if (given instanceof Uint8Array) return readSecret(given, undefined)
  if (typeof given !== 'object' || given === null) throw new UnusableKey('It is not a key.')
  const { kid } = given
  if (kid !== undefined && typeof kid !== 'string')
    throw new UnusableKey('Its kid is not a string.')
  if ('secret' in given) return readSecret(given.secret as string | Uint8Array, kid)
  if ('pem' in given) return publicKey(readPem(given.pem), { kid })
  return readGivenJwk(given as JwtJwk, kid)
}

function readText(text: string, kid: string | undefined): VerificationKey {
  return text.includes('-----BEGIN') ? publicKey(readPem(text), { kid }) : readSecret(text, kid)
}

function readGivenJwk(jwk: JwtJwk, kid: string | undefined): VerificationKey {
  if (jwk.kty !== 'oct') return publicJwk(jwk)
  if (typeof jwk['k'] !== 'string') throw new UnusableKey('Its member `k` is missing.')
  return secretKey(Buffer.from(jwk['k'], 'base64url'), { kid, alg: jwk.alg })
}

/** Reads a secret. Refuses a public key in place of a secret, because any client could then sign tokens. */
function readSecret(secret: unknown, kid: string | undefined): VerificationKey {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new UnusableKey('Its secret is neither a string nor bytes.')
  }
  const bytes = Buffer.from(secret as string)
  if (isKeyText(bytes.toString('latin1').trim())) {
    throw new UnusableKey('It is a key of another type, which must not be used as a secret.')
  }
  return secretKey(bytes, { kid })
}

/** Whether a string is a PEM, a JSON Web Key, or a DER key, with or without base64. */
function isKeyText(text: string): boolean {
  if (text.includes('-----BEGIN') || /^\{.*"kty"/s.test(text)) return true
  return [Buffer.from(text, 'latin1'), Buffer.from(text, 'base64')].some(
    (key) => tryKey(() => createPublicKey({ key, format: 'der', type: 'spki' })) !== null,
  )
}

function readPem(pem: unknown): KeyObject {
  if (typeof pem !== 'string') throw new UnusableKey('Its pem is not a string.')
  // In environment files, line breaks are written as `\n`.
  const text = pem.replaceAll('\\n', '\n')
  if (tryKey(() => createPrivateKey(text)) !== null || text.includes('PRIVATE KEY')) {
    throw new UnusableKey('It is a private key. Pass the public key: openssl pkey -pubout.')
  }
  const key = tryKey(() => createPublicKey(text))
  if (key === null)
    throw new UnusableKey('Its PEM contains neither a public key nor a certificate.')
  return key
}

function tryKey(read: () => KeyObject): KeyObject | null {
  try {
    return read()
  } catch {
    return null
  }
}
