import type { Request } from '../../index.js'
import type { ApiKeysSettings } from './api-keys-options.js'

/** Returns the only credential of a request; `undefined` if there is none, or more than one. */
export type ReadCredential = (req: Request) => string | undefined

/** Node joins fields of the same name with a comma, but keeps only the first `Authorization`. */
const AUTHORIZATION = 'authorization'

/** Creates the function that reads the key of a request from its header. It never reads the URL. */
export function credentialReader({
  header,
  scheme,
}: Pick<ApiKeysSettings, 'header' | 'scheme'>): ReadCredential {
  const isKeptOnce = header === AUTHORIZATION
  return function readCredential(req) {
    const value = req.headers[header]
    if (typeof value !== 'string' || (isKeptOnce && isRepeated(req))) return undefined
    return scheme === null ? value : credentialOf(value, scheme)
  }
}

/** Returns the text after a scheme in `Authorization`; `undefined` for another scheme (RFC 9110, 11.4). */
export function credentialOf(value: string, scheme: string): string | undefined {
  const { length } = scheme
  if (value.charCodeAt(length) !== 0x20) return undefined
  if (value.slice(0, length).toLowerCase() !== scheme.toLowerCase()) return undefined
  return value.slice(length + 1).trimStart()
}

function isRepeated({ rawHeaders }: Request): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++
  }
  return count > 1
}
