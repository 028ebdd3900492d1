import { isUtf8 } from 'node:buffer'
import type { Request } from '../../contracts/handler.js'
import type { RecordedRequest } from '../../contracts/request-record.js'
import { isSecretName } from '../../schema/secret-name.js'
import { isForm, isJson, type ReceivedBody } from './received-bodies.js'

const HIDDEN = '[secret]'
/** `Bearer`, `Basic`: not secret, and needed to send the request again. */
const SCHEME = /^(?:basic|bearer|digest|dpop|negotiate|token)(?= )/i
/** Texts, words and marks of JSON. Each is as long as possible, also in a body that is not JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\],:]+|[{}[\],:]/gs
const COLON = /\s*:/y
const PARAMETER = /([?&]|^)([^=&?]*)=([^&]*)/g
/** The name of a part of a form with files. */
const PART = /[; ]name="?([^"\r\n]*)/gi

/** Returns a text without secrets. */
type Hide = (text: string) => string

/** How a request is described. */
export interface SentConfig {
  readonly received: ReceivedBody
  readonly hide: Hide
  /** How many bytes of the body are described. */
  readonly most: number
}

/** Describes the request that a client has sent: all bytes that are not secrets are as they were. */
export function requestSent(req: Request, { received, hide, most }: SentConfig): RecordedRequest {
  const headers: [string, string][] = []
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] as string).toLowerCase()
    headers.push([name, headerText(name, req.rawHeaders[i + 1] as string, hide)])
  }
  const { bytes, omitted } = received
  if (bytes === null || bytes.length > most) {
    return { headers, body: null, omitted: bytes === null ? omitted : 'Its body is too long.' }
  }
  return { headers, ...bodyOf(bytes, req.headers['content-type'] ?? '', hide) }
}

/** Returns the value of a header without secrets. Its name is in lower case. */
export function headerText(name: string, value: string, hide: Hide): string {
  if (isSecretName(name)) {
    const [scheme] = SCHEME.exec(value) ?? []
    return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`
  }
  // The address of the page that has sent the request; its query may have a token of its own.
  if (name === 'referer') return value.replace(/[?#].*$/s, '')
  return hide(value)
}

/** Why a body is left out that cannot be shown in part: the parts of a form have their lengths, and bytes have their places. */
export const HAS_SECRETS = 'Its body has secrets.'

/** Describes a body: as text without secrets, or as bytes. */
export function bodyOf(bytes: Buffer, type: string, hide: Hide): Omit<RecordedRequest, 'headers'> {
  const text = bytes.toString()
  const isForText = isUtf8(bytes) && !/^multipart\//i.test(type)
  if (isForText) return { body: textOf(text, type, hide), omitted: null }
  const hasSecretPart = [...text.matchAll(PART)].some(([, name = '']) => isSecretName(name))
  if (hide(text) !== text || hasSecretPart) return { body: null, omitted: HAS_SECRETS }
  if (isUtf8(bytes)) return { body: text, omitted: null }
  return { body: null, base64: bytes.toString('base64'), omitted: 'Its body is not text.' }
}

function textOf(text: string, type: string, hide: Hide): string {
  if (isJson(type)) return hide(hideInJson(text, hide))
  return hide(isForm(type) ? hideInQuery(text, hide) : text)
}

/** A query, or a form, without values whose names look secret, and without other secrets. */
export function hideInQuery(query: string, hide: Hide): string {
  return query.replace(PARAMETER, (pair, mark: string, name: string, value: string) => {
    if (isSecretName(decoded(name))) return `${mark}${name}=${HIDDEN}`
    return hide(decoded(value)) === decoded(value) ? pair : `${mark}${name}=${HIDDEN}`
  })
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/** JSON without secrets: only their tokens are replaced. The body may also have another format. */
function hideInJson(text: string, hide: Hide): string {
  let depth = 0
  // The depth of the outermost value with the name of a secret; 0 outside of such values.
  let secretDepth = 0
  let isNamed = false
  return text.replace(TOKEN, (token, at: number) => {
    if (token === ':') return token
    const isValueOfSecret = isNamed || secretDepth > 0
    if ('{['.includes(token)) {
      depth++
      if (isNamed && secretDepth === 0) secretDepth = depth
    } else if ('}]'.includes(token)) {
      if (depth === secretDepth) secretDepth = 0
      depth--
    }
    COLON.lastIndex = at + token.length
    const isKey = token.startsWith('"') && COLON.test(text)
    const plain = plainOf(token)
    isNamed = isKey && isSecretName(plain)
    if (isKey || /^(?:[{}[\],]|null|true|false)$/.test(token)) return token
    if (isValueOfSecret) return `"${HIDDEN}"`
    return hide(plain) === plain ? token : JSON.stringify(hide(plain))
  })
}

function plainOf(token: string): string {
  if (!token.startsWith('"')) return token
  try {
    return JSON.parse(token)
  } catch {
    return token.slice(1)
  }
}
