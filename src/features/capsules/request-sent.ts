import type { Request } from '../../contracts/handler.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import type { RecordedRequest } from '../../contracts/recorded-request.js'
import { hasBody } from '../../http/read-body.js'

const HIDDEN = '[secret]'
/** Why a body that no code has read is missing: it has not decided the response. */
export const UNREAD = 'The application did not read its body.'
/** Names of headers and fields that hold secrets in most applications, whatever their schema says. */
export const SECRET_NAME: RegExp =
  /authorization|cookie|passw|secret|token|api-?_?key|signature|credential|session|private-?_?key/i
/** `Bearer`, `Basic`: not secret, and needed to send the request again. */
const SCHEME = /^(?:basic|bearer|digest|dpop|negotiate|token)(?= )/i
const LONGEST_BODY = 65_536
const DEEPEST = 50

type Hide = RequestSecretTexts['hideIn']

/** Describes the request that a client has sent. Call it when the request is over: then its body is known. */
export function requestSent(req: Request, { hideIn }: RequestSecretTexts): RecordedRequest {
  const headers = headersOf(req).map(
    ([name, value]) => [name, headerText(name, value, hideIn)] as const,
  )
  return { headers, ...bodyOf(req, hideIn) }
}

function headersOf({ rawHeaders }: Request): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    pairs.push([(rawHeaders[i] as string).toLowerCase(), rawHeaders[i + 1] as string])
  }
  return pairs
}

function headerText(name: string, value: string, hide: Hide): string {
  if (SECRET_NAME.test(name)) {
    const [scheme] = SCHEME.exec(value) ?? []
    return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`
  }
  // The address of the page that has sent the request; its query may have a token of its own.
  if (name === 'referer') return value.replace(/[?#].*$/s, '')
  return hide(value)
}

type Body = Pick<RecordedRequest, 'body' | 'omitted'>

function omitted(why: string): Body {
  return { body: null, omitted: why }
}

function bodyOf(req: Request, hide: Hide): Body {
  if (!hasBody(req)) return { body: null, omitted: null }
  const value: unknown = req.body
  const type = req.headers['content-type'] ?? ''
  if (value === undefined) return omitted(UNREAD)
  if (/^multipart\//i.test(type)) return omitted('Its body is a form with files.')
  const text = textOf(value, type, hide)
  if (text === undefined) return omitted('Its body is no text.')
  if (text.length > LONGEST_BODY) return omitted('Its body is too long.')
  return { body: text, omitted: null }
}

function textOf(value: unknown, type: string, hide: Hide): string | undefined {
  if (Buffer.isBuffer(value)) return undefined
  if (/[/+]json\b/i.test(type)) return JSON.stringify(hidden(value, hide, 0))
  if (typeof value === 'string') return hide(value)
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined
  return formText(hidden(value, hide, 0))
}

/** Copies a value of JSON, without secrets. */
function hidden(value: unknown, hide: Hide, depth: number): unknown {
  if (depth > DEEPEST) return HIDDEN
  if (typeof value === 'string') return hide(value)
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : HIDDEN
  if (Array.isArray(value)) return value.map((item) => hidden(item, hide, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      SECRET_NAME.test(name) && field !== null ? HIDDEN : hidden(field, hide, depth + 1),
    ]),
  )
}

/** A form without nested fields. */
function formText(value: unknown): string | undefined {
  const form = new URLSearchParams()
  for (const [name, field] of Object.entries(Object(value))) {
    for (const each of [field].flat()) {
      if (typeof each === 'object') return undefined
      form.append(name, String(each))
    }
  }
  return form.toString()
}
