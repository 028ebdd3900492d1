import type { Request } from '../../index.js'
import type { JwtClaims } from './jwt-options.js'

/** The maximum length of a token, in characters. Node rejects request heads larger than 16 KiB. */
const LONGEST_TOKEN = 12 * 1024

const NAME = 'authorization'

/**
 * Reads a request's token. Tokens elsewhere, such as in the query, are ignored, because URLs are logged.
 *
 * @returns `null` if there is no credential of this scheme; `undefined` if the credential is not a readable token.
 */
export function readCredential(req: Request, scheme: string): string | null | undefined {
  const { authorization } = req.headers
  if (authorization === undefined || !hasScheme(authorization, scheme)) return null
  // RFC 9110, 11.4: the scheme, one or more spaces, the token.
  const token = authorization.slice(scheme.length).trimStart()
  if (token === '' || token.length > LONGEST_TOKEN || token.includes(' ')) return undefined
  return isRepeated(req.rawHeaders) ? undefined : token
}

/** Whether an `Authorization` value has the scheme, which is case-insensitive. */
function hasScheme(authorization: string, scheme: string): boolean {
  const { length } = scheme
  if (authorization.length > length && authorization[length] !== ' ') return false
  const sent = authorization.slice(0, length)
  return sent === scheme || sent.toLowerCase() === scheme.toLowerCase()
}

/**
 * Whether `Authorization` is repeated. Node keeps the first of two headers and drops the second, but a proxy may have
 * checked the second.
 */
function isRepeated(rawHeaders: readonly string[] = []): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === NAME.length && name.toLowerCase() === NAME) count++
  }
  return count > 1
}

/** The parts of a token's protected header that the guard reads. */
export interface TokenHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

/** A token whose signature has not been verified. */
export interface ParsedToken {
  readonly header: TokenHeader
  readonly claims: JwtClaims
}

/** The maximum length of a `kid`. No issuer uses longer values. */
const LONGEST_KID = 512

/**
 * Header members that change the meaning of a signature. `crit` and `b64` require extensions (RFC 7515, 4.1.11; RFC
 * 7797), `enc` and `zip` belong to encrypted tokens, and `cty` to nested tokens.
 */
const FOREIGN = ['crit', 'b64', 'enc', 'zip', 'cty']

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a token with three parts (RFC 7515, 7.1). Returns `null` for a string that cannot be parsed. Nothing is
 * verified.
 */
export function parseToken(token: string): ParsedToken | null {
  const parts = token.split('.', 4)
  if (parts.length !== 3) return null
  const [head, body, signature] = parts.map(decode)
  if (!head || !body || !signature) return null
  const [header, claims] = [readObject(head), readObject(body)]
  const known = header === null ? null : readHeader(header)
  return known === null || claims === null ? null : { header: known, claims }
}

/**
 * Decodes base64url strictly. Node ignores invalid characters, padding and excess bits, so one token would have many
 * encodings.
 */
function decode(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null
}

function readObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const json = TEXT.decode(bytes)
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && hasUniqueMembers(json) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function readHeader(header: Record<string, unknown>): TokenHeader | null {
  const { alg, kid, typ } = header
  if (FOREIGN.some((name) => Object.hasOwn(header, name))) return null
  if (typeof alg !== 'string' || !isText(kid) || !isText(typ)) return null
  return (kid?.length ?? 0) > LONGEST_KID ? null : { alg, kid, typ }
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

/** Matches a string, or a character that structures JSON. Everything else is skipped. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/**
 * Whether the members of each object in a JSON document are unique and not called `__proto__`. `JSON.parse` uses the
 * last of two equal members, while other parsers use the first, but a token must be unambiguous (RFC 7519, section 4).
 *
 * @param json A string that `JSON.parse` accepts.
 */
function hasUniqueMembers(json: string): boolean {
  const open: (Set<string> | null)[] = []
  let isName = false
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    else if (isName && token.startsWith('"') && !addName(open.at(-1), token)) return false
    isName = token === '{' || (token === ',' && open.at(-1) !== null)
  }
  return true
}

/** Adds a member name, and returns whether it is new and allowed. `"a"` and `"\u0061"` are the same name. */
function addName(names: Set<string> | null | undefined, token: string): boolean {
  const name: string = JSON.parse(token)
  if (name === '__proto__' || names?.has(name)) return false
  names?.add(name)
  return true
}
