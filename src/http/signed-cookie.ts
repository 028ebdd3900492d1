import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs the value of a cookie for its name: the signature of one cookie is not valid for another. */
export function sign(name: string, value: string, key: string): string {
  return `${value}.${macOf(name, value, key).toString('base64url')}`
}

/**
 * Returns the value of a signed cookie; `undefined` if no key has signed it under this name.
 *
 * @param keys All keys that may have signed the cookie. If a new key is inserted at the front, cookies that older keys
 * signed remain valid.
 */
export function unsign(
  name: string,
  signed: string | undefined,
  keys: readonly string[],
): string | undefined {
  const dot = signed?.lastIndexOf('.') ?? -1
  if (signed === undefined || dot === -1) return undefined
  const value = signed.slice(0, dot)
  const given = Buffer.from(signed.slice(dot + 1), 'base64url')
  return keys.some((key) => isEqual(macOf(name, value, key), given)) ? value : undefined
}

/**
 * Signs a value of any type. An object is written as in Express: `j:` and its JSON. Its signature is not valid for a
 * text, so a user who can choose a signed text cannot forge an object.
 */
export function signValue(name: string, value: unknown, key: string): string {
  if (typeof value !== 'object') return sign(name, String(value), key)
  return sign(objectName(name), `${JSON_MARK}${JSON.stringify(value)}`, key)
}

/**
 * Returns the argument of {@link signValue}, a text or an object; `undefined` if no key has signed it under this name.
 */
export function unsignValue(
  name: string,
  signed: string | undefined,
  keys: readonly string[],
): unknown {
  if (!signed?.startsWith(JSON_MARK)) return unsign(name, signed, keys)
  const json = unsign(objectName(name), signed, keys)
  return json === undefined ? unsign(name, signed, keys) : JSON.parse(json.slice(JSON_MARK.length))
}

const JSON_MARK = 'j:'

/** No cookie has a colon in its name (RFC 6265, section 4.1.1). */
function objectName(name: string): string {
  return `${name}:json`
}

function macOf(name: string, value: string, key: string): Buffer {
  return createHmac('sha256', key).update(`${name}=${value}`).digest()
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}
