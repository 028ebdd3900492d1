import type { Request } from '../../index.js'

/** The longest token, in characters. Node refuses heads of more than 16 KiB. */
const LONGEST_TOKEN = 12 * 1024

const NAME = 'authorization'

/**
 * Reads the token of a request. Other places, such as the query, count for nothing: URLs are logged.
 *
 * @returns `null` without a credential of the scheme, `undefined` for a credential without a readable token.
 */
export function readCredential(req: Request, scheme: string): string | null | undefined {
  const { authorization } = req.headers
  if (authorization === undefined || !hasScheme(authorization, scheme)) return null
  // RFC 9110, 11.4: the scheme, one or more spaces, the token.
  const token = authorization.slice(scheme.length).trimStart()
  if (token === '' || token.length > LONGEST_TOKEN || token.includes(' ')) return undefined
  return isRepeated(req.rawHeaders) ? undefined : token
}

/** Whether a value of `Authorization` is of the scheme, whose case does not matter. */
function hasScheme(authorization: string, scheme: string): boolean {
  const { length } = scheme
  if (authorization.length > length && authorization[length] !== ' ') return false
  const sent = authorization.slice(0, length)
  return sent === scheme || sent.toLowerCase() === scheme.toLowerCase()
}

/** Node keeps the first of two headers and drops the other, which a proxy may have checked. */
function isRepeated(rawHeaders: readonly string[] = []): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === NAME.length && name.toLowerCase() === NAME) count++
  }
  return count > 1
}
