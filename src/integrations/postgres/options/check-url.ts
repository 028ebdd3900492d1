import type { Problem } from '../../../index.js'
import { invalid } from './option-problem.js'

const REMEDY = "Give 'postgres://user:password@host:5432/database'."
const ENCODE = `${REMEDY} A password with special characters must be percent-encoded.`

/** What is wrong with the URL of a database. It is in no message: it may have a password in it. */
export function checkUrl(url: unknown): Problem[] {
  if (url === undefined) return []
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\//i.test(url)) {
    return [invalid('url', 'Its scheme is not postgres:// or postgresql://.', REMEDY)]
  }
  return isReadable(url) ? [] : [invalid('url', 'It is not a URL.', ENCODE)]
}

function isReadable(url: string): boolean {
  // Without a host it names a socket: postgres://user@/database?host=/run/postgresql
  const named = url.replace('@/', '@localhost/')
  if (/[\s\0]/.test(url) || !URL.canParse(named)) return false
  const { username, password, host, pathname, search, hash } = new URL(named)
  return canDecode(username, password, host, pathname) && !looksCut(pathname + search + hash)
}

// pg decodes them when it connects, which is too late to say so.
function canDecode(...parts: string[]): boolean {
  try {
    parts.forEach(decodeURIComponent)
    return true
  } catch {
    return false
  }
}

// A password with a slash, a question mark or a hash ends where the host is thought to: the rest of it, and the @, are behind that.
function looksCut(rest: string): boolean {
  return /[@#]/.test(rest)
}
