import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs the value of a cookie for its name: the signature of one cookie is none of another. */
export function sign(name: string, value: string, key: string): string {
  return `${value}.${macOf(name, value, key).toString('base64url')}`
}

/**
 * Returns the value of a signed cookie; `undefined` if no key has signed it under this name.
 *
 * @param keys All keys that may have signed it. With a new key in front, cookies of the older ones stay valid.
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

function macOf(name: string, value: string, key: string): Buffer {
  return createHmac('sha256', key).update(`${name}=${value}`).digest()
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}
