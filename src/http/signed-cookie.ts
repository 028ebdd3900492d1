import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs the value of a cookie together with its name. The signature of one cookie is not valid for another. */
export function sign(name: string, value: string, key: string): string {
  return `${value}.${macOf(name, value, key).toString('base64url')}`
}

/**
 * Returns the value of a signed cookie; `undefined` if it was not signed with one of the keys under this name.
 *
 * @param keys All keys that could have signed the cookie. If a new key is inserted at the front, cookies that were
 * signed with older keys remain valid.
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
 * string, so a user who can choose a signed string cannot forge an object.
 */
export function signValue(name: string, value: unknown, key: string): string {
  if (typeof value !== 'object') return sign(name, String(value), key)
  return sign(objectName(name), `${JSON_MARK}${JSON.stringify(value)}`, key)
}

/**
 * Returns the value that was passed to {@link signValue}, a string or an object; `undefined` if no key signed it under
 * this name.
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

/** The name of a cookie cannot contain a colon (RFC 6265, section 4.1.1), so this name cannot collide with a cookie. */
function objectName(name: string): string {
  return `${name}:json`
}

function macOf(name: string, value: string, key: string): Buffer {
  return createHmac('sha256', key).update(`${name}=${value}`).digest()
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}
