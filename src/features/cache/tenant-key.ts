/**
 * All characters except visible ASCII, and the ASCII characters that are separators, patterns or hash tags in
 * the keys of a store.
 */
const SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/gu
const HAS_SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/

/**
 * Returns the key under which the cache stores an entry of a tenant: `<tenant>:<key>`. In the id of the tenant,
 * characters that a store could read as a separator or a pattern are percent-encoded; ordinary ids stay as they
 * are. So the first `:` always ends the tenant, and no two pairs of tenant and key give the same result.
 *
 * @param tenant The id of the tenant, any string.
 * @param key The key within the tenant, any string; it is not encoded.
 * @example
 * tenantKey('acme', 'products') // 'acme:products'
 * tenantKey('a:b', 'c') // 'a%3Ab:c'
 */
export function tenantKey(tenant: string, key: string): string {
  return HAS_SPECIAL.test(tenant) ? `${tenant.replace(SPECIAL, encode)}:${key}` : `${tenant}:${key}`
}

function encode(character: string): string {
  const code = character.codePointAt(0) as number
  if (code < 0x80) return `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  // A lone surrogate has no UTF-8 encoding. `%u` is unambiguous, because `%` itself is always encoded.
  const isLone = code >= 0xd800 && code <= 0xdfff
  return isLone ? `%u${code.toString(16).toUpperCase()}` : encodeURIComponent(character)
}
