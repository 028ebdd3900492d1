/** Everything but plain visible ASCII, and what separates, globs or hashes in some store's keys. */
const SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/gu
const HAS_SPECIAL = /[^\x21-\x7e]|[%:{}*?[\]\\]/

/**
 * The key under which the cache keeps what belongs to a tenant: `<tenant>:<key>`. Ordinary ids stand as they are; in others, what
 * could be taken for a separator or a pattern is percent-encoded, so that the first `:` is always the end of the tenant and
 * no two pairs share a key.
 *
 * @param tenant The tenant's id, any string.
 * @param key The key within the tenant, any string; it stands as it is.
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
  // Half a surrogate pair has no UTF-8; `%u` cannot come from anything else, because `%` is encoded.
  const isLone = code >= 0xd800 && code <= 0xdfff
  return isLone ? `%u${code.toString(16).toUpperCase()}` : encodeURIComponent(character)
}
