import type { Request } from '../contracts/handler.js'
import type { RequestSecretTexts } from '../contracts/plugin.js'
import type { CredentialPlaces } from '../http/credentials.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { hideInUrl } from '../schema/hide-values.js'
import { isSecretParameter } from '../schema/secret-name.js'

/**
 * Creates the function that hides the secrets of a request: values that are secret according to a schema, credentials
 * and cookies.
 */
export function secretTextsOf(
  secrets: RequestSecrets,
  places: CredentialPlaces,
): (req: Request) => RequestSecretTexts {
  return function secretsOf(req) {
    const hidden = secrets.hiddenWith(credentialTexts(req, places), req)
    return {
      hideIn: (text) => hidden.texts.hideIn(text),
      url: hideInUrl(req.originalUrl || req.url || '', hidden),
    }
  }
}

/** Headers that always contain credentials. */
const HEADERS = ['authorization', 'proxy-authorization', 'x-api-key', 'x-csrf-token']

/**
 * A shorter cookie value is probably a preference, such as `en` or `dark`. Hiding it would hide this word in every
 * string.
 */
const SHORTEST_COOKIE = 6
/** A shorter string is not a credential. */
const SHORTEST = 4

/**
 * Lists the credentials and cookies of a request and its response, in each form in which they can appear in other
 * strings.
 */
function credentialTexts(req: Request, places: CredentialPlaces): Set<string> {
  const found = new Set<string>()
  for (const name of [...HEADERS, ...places.headers]) {
    for (const value of [req.headers[name] ?? []].flat()) addCredential(value, found)
  }
  for (const value of cookiesOf(req)) add(value, SHORTEST_COOKIE, found)
  for (const [name, value] of queryOf(req)) {
    if (isSecretParameter(name)) add(value, SHORTEST, found)
  }
  return found
}

/** Adds the value, the part after its scheme, and the parts of a `Basic` credential. */
function addCredential(value: string, found: Set<string>): void {
  add(value, SHORTEST, found)
  const [, scheme = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(value) ?? []
  add(rest, SHORTEST, found)
  if (scheme.toLowerCase() !== 'basic') return
  const plain = Buffer.from(rest, 'base64').toString()
  add(plain, SHORTEST, found)
  add(plain.slice(plain.indexOf(':') + 1), SHORTEST, found)
}

function add(value: string, shortest: number, found: Set<string>): void {
  for (const each of [value, decoded(value)]) if (each.length >= shortest) found.add(each)
}

/** The values of the cookies that the client sent and that the response sets. */
function cookiesOf({ headers, res }: Request): string[] {
  const sent = (headers.cookie ?? '').split(';')
  const set = [res?.getHeader('set-cookie') ?? []].flat()
  const firsts = set.map((line) => String(line).split(';', 1)[0] as string)
  return [...sent, ...firsts].map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
}

function queryOf({ originalUrl, url }: Request): URLSearchParams {
  const [, query = ''] = (originalUrl || url || '').split('?', 2)
  return new URLSearchParams(query)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
