import type { Problem } from '../../../plugin/index.js'
import { invalid } from './option-problem.js'
import { SESSION_ATTRS, serverUrls, sessionAttrsOf } from './server-urls.js'

const REMEDY = "Give 'postgres://user:password@host:5432/database'."
const ENCODE = `${REMEDY} A password with special characters must be percent-encoded.`

/**
 * Returns the problems of a database URL. No message contains the URL, because it may contain a
 * password.
 */
export function checkUrl(url: unknown): Problem[] {
  if (url === undefined) return []
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//i.test(url)) {
    return [invalid('url', 'Its scheme is not postgres:// or postgresql://.', REMEDY)]
  }
  if (!serverUrls(url).every(isReadable)) return [invalid('url', 'It is not a URL.', ENCODE)]
  return isOneOf(SESSION_ATTRS, sessionAttrsOf(url)) ? [] : [WRONG_ATTRS]
}

const WRONG_ATTRS = invalid(
  'url',
  'Its target_session_attrs has a value that this version does not have.',
  `Give one of ${SESSION_ATTRS.join(', ')}.`,
)

function isOneOf(values: readonly string[], value: string): boolean {
  return values.includes(value)
}

function isReadable(url: string): boolean {
  // A URL without a host may name a socket: postgres://user@/database?host=/run/postgresql
  const named = url.replace('@/', '@localhost/')
  if (/[\s\0]/.test(url) || !URL.canParse(named)) return false
  const { username, password, host, pathname, search, hash } = new URL(named)
  return canDecode(username, password, host, pathname) && !looksCut(pathname + search + hash)
}

// `pg` decodes these parts only when it connects, which is too late for a clear error.
function canDecode(...parts: string[]): boolean {
  try {
    parts.forEach(decodeURIComponent)
    return true
  } catch {
    return false
  }
}

// An unencoded slash, question mark or hash in the password ends the host part too early. The `@`
// then comes after it.
function looksCut(rest: string): boolean {
  return /[@#]/.test(rest)
}
