import { constants, createHmac, type KeyObject, sign } from 'node:crypto'

/** A key, and the algorithm that it really signs with, whatever the header of a token says. */
export interface Signer {
  readonly alg: string
  readonly key: KeyObject | string | Uint8Array
}

const HASHES: Record<string, string> = { '256': 'sha256', '384': 'sha384', '512': 'sha512' }

/** Encodes a part of a token; text is taken as it is. */
export function part(value: object | string): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  )
}

/** Signs any two texts as a token. */
export function forge(header: object | string, claims: object | string, signer: Signer): string {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${signatureOf(text, signer).toString('base64url')}`
}

export function signatureOf(text: string, { alg, key }: Signer): Buffer {
  const hash = HASHES[alg.slice(2)] as string
  if (alg.startsWith('HS')) return createHmac(hash, key).update(text).digest()
  const data = Buffer.from(text)
  const privateKey = key as KeyObject
  if (alg.startsWith('Ed')) return sign(null, data, privateKey)
  if (alg.startsWith('ES')) return sign(hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  if (alg.startsWith('RS')) return sign(hash, data, privateKey)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return sign(hash, data, {
    key: privateKey,
    padding,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  })
}
