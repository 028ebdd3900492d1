import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Request } from '../../contracts/handler.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import type { RecordedRequest } from '../../contracts/request-record.js'
import { hasBody } from '../../http/read-body.js'
import { isSecretName } from '../../schema/secret-name.js'

/** The maximum number of bytes that are stored for each body. */
const MOST = 1_000_000
/** The maximum total size, in bytes, of the bodies that are stored for running requests. */
const MOST_TOGETHER = 32_000_000

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** The request body after its `Content-Encoding` was decoded. */
export interface ReceivedBody {
  /** `null` if the request had no body, or if the body was not stored. */
  readonly bytes: Buffer | null
  /** The reason why the body was not stored, as a sentence; otherwise `null`. */
  readonly omitted: string | null
  /** Whether a part of the body is missing. The request then cannot be repeated exactly. */
  readonly isMissed: boolean
}

interface BufferedBody {
  readonly chunks: Buffer[]
  length: number
  isWhole: boolean
  omitted: string | null
}

/** Stores the bytes of bodies while their requests are running, without affecting code that reads the body. */
export class ReceivedBodies {
  readonly #bodies = new WeakMap<Request, BufferedBody>()
  #length = 0

  /** Follows a request's body. Call it before any code reads the body. Later calls have no effect. */
  follow(req: Request): void {
    if (this.#bodies.has(req) || !hasBody(req)) return
    const isLate = req.readableLength > 0 || req.readableDidRead
    const omitted = isLate
      ? 'Its body had arrived before the application received the request.'
      : null
    const kept: BufferedBody = { chunks: [], length: 0, isWhole: false, omitted }
    this.#bodies.set(req, kept)
    const { push } = req
    req.push = (chunk: unknown, encoding?: BufferEncoding) => {
      this.#note(kept, chunk)
      return push.call(req, chunk, encoding)
    }
    // These listeners run after the observers of the response, so the observers can still read the body.
    const release = () => {
      this.#drop(kept, 'The request had ended, so its body was no longer stored.')
    }
    req.res?.once('finish', release).once('close', release)
  }

  #note(kept: BufferedBody, chunk: unknown): void {
    if (chunk === null) kept.isWhole = true
    if (kept.omitted !== null || !(chunk instanceof Uint8Array)) return
    kept.chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    kept.length += chunk.length
    this.#length += chunk.length
    if (kept.length > MOST) this.#drop(kept, `Its body has more than ${MOST} bytes.`)
    else if (this.#length > MOST_TOGETHER)
      this.#drop(kept, 'Too many bodies arrived at the same time.')
  }

  #drop(kept: BufferedBody, why: string): void {
    kept.omitted ??= why
    this.#length -= kept.length
    kept.length = kept.chunks.length = 0
  }

  /** Returns a request's body. Call it at the end of the response. */
  of(req: Request): ReceivedBody {
    const kept = this.#bodies.get(req)
    if (kept === undefined) return { bytes: null, omitted: null, isMissed: false }
    if (kept.omitted !== null) return missed(kept.omitted)
    // The last byte may have arrived before Node detects the end of the message.
    const isWhole = kept.isWhole || kept.length === Number(req.headers['content-length'])
    if (!isWhole && !req.readableDidRead) {
      const omitted = 'The application did not read its body.'
      return { bytes: null, omitted, isMissed: false }
    }
    if (!isWhole) return missed('Its body had not arrived completely.')
    try {
      const bytes = decoded(Buffer.concat(kept.chunks), req.headers['content-encoding'])
      return { bytes, omitted: null, isMissed: false }
    } catch {
      return missed('Its body cannot be decompressed.')
    }
  }

  /**
   * Returns the function that hides the secrets of a request, including secrets that a handler or a schema has removed
   * from the body.
   */
  hiderOf(req: Request, secretsOf: (req: Request) => RequestSecretTexts): (text: string) => string {
    const { hideIn } = secretsOf(req)
    const { body } = req
    req.body = bodyValueOf(this.of(req), req)
    const { hideIn: hideSent } = secretsOf(req)
    req.body = body
    return (text) => hideSent(hideIn(text))
  }
}

function missed(omitted: string): ReceivedBody {
  return { bytes: null, omitted, isMissed: true }
}

function decoded(bytes: Buffer, coding = 'identity'): Buffer {
  if (coding.toLowerCase() === 'identity') return bytes
  const decode = DECODERS[coding.toLowerCase()] as typeof gunzipSync
  return decode(bytes, { maxOutputLength: MOST })
}

/** Returns the parsed value of a JSON or form body; `undefined` for all other bodies. */
export function bodyValueOf({ bytes }: ReceivedBody, { headers }: Request): unknown {
  const type = headers['content-type'] ?? ''
  try {
    if (bytes === null) return undefined
    if (isJson(type)) return JSON.parse(bytes.toString())
    if (isForm(type)) return Object.fromEntries(new URLSearchParams(bytes.toString()))
  } catch {}
  return undefined
}

/** Whether a `Content-Type` value means JSON. */
export function isJson(type: string): boolean {
  return /[/+]json\b/i.test(type)
}

/** Whether a `Content-Type` value means a form without files. */
export function isForm(type: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type)
}

const HIDDEN = '[secret]'
/** An authentication scheme such as `Bearer`. It is not secret, and it is needed to send the request again. */
const SCHEME = /^(?:basic|bearer|digest|dpop|negotiate|token)(?= )/i
/** JSON strings, words and punctuation. Each match is as long as possible, even in a body that is not JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\],:]+|[{}[\],:]/gs
const COLON = /\s*:/y
const PARAMETER = /([?&]|^)([^=&?]*)=([^&]*)/g
/** The name of a part in a multipart form. */
const PART = /[; ]name="?([^"\r\n]*)/gi

/** Returns a string with its secrets removed. */
type Hide = (text: string) => string

interface SentConfig {
  readonly received: ReceivedBody
  readonly hide: Hide
  /** The maximum number of body bytes in the description. */
  readonly most: number
}

/** Describes the client's request. Only secrets are changed. */
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

/** Returns a header value with its secrets removed. The name must be in lower case. */
export function headerText(name: string, value: string, hide: Hide): string {
  if (isSecretName(name)) {
    const [scheme] = SCHEME.exec(value) ?? []
    return scheme === undefined ? HIDDEN : `${scheme} ${HIDDEN}`
  }
  // The URL of the page that sent the request. Its query may contain a token.
  if (name === 'referer') return value.replace(/[?#].*$/s, '')
  return hide(value)
}

/**
 * The reason that is recorded for an omitted form or binary body. Hiding only its secrets would change the lengths of
 * form parts and the positions of bytes.
 */
export const HAS_SECRETS = 'Its body contains secrets.'

/**
 * Describes a body: as text with its secrets removed, or as bytes. A multipart form or a binary body that contains
 * secrets is omitted.
 */
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

/**
 * Hides the secrets in a query or a form: values whose names indicate a secret, and values that contain a known secret.
 */
export function hideInQuery(query: string, hide: Hide): string {
  return query.replace(PARAMETER, (pair, mark: string, name: string, value: string) => {
    if (isSecretName(unescaped(name))) return `${mark}${name}=${HIDDEN}`
    return hide(unescaped(value)) === unescaped(value) ? pair : `${mark}${name}=${HIDDEN}`
  })
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/**
 * Returns JSON with its secrets hidden. Only the tokens that contain secrets are replaced. The text may also be invalid
 * JSON.
 */
function hideInJson(text: string, hide: Hide): string {
  let depth = 0
  // The depth of the outermost value whose name is secret; 0 outside such values.
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
