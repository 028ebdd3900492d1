import { isUtf8 } from 'node:buffer'

/** The head of a form part. */
export interface PartHead {
  readonly name: string
  /** The file name; `null` for a text field; empty if the browser's user chose no file. */
  readonly fileName: string | null
  /** The media type in lower case, without parameters; `null` if the part has no type. */
  readonly type: string | null
  /** The encoding in which the text of a field is read. */
  readonly encoding: FieldEncoding
}

export type FieldEncoding = 'utf8' | 'latin1'

/** The header lines of a part as Latin-1, by lower-case name. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** The maximum number of header lines in a part. Browsers send two lines. */
export const MAX_HEADERS: number = 16
/** The maximum size of a part's head, in bytes. */
export const MAX_HEAD_BYTES: number = 8 * 1024

/** The maximum number of characters in a file name from the client. */
const MAX_NAME = 255
/** The maximum number of characters in a header parameter. */
const MAX_TEXT = 1024

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
// Each repetition begins with a character that the preceding part of the pattern cannot match, so the patterns do not
// backtrack.
const DISPOSITION =
  /^form-data((?:[ \t]*;[ \t]*[a-z*]+=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s";]+))+)[ \t]*(?:;[ \t]*)?$/i
const PARAMETER = /;[ \t]*([a-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/gi
const TYPE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*(;[^\\r\\n]*)?$`)
const CHARSET = /;[ \t]*charset=("?)([^\s";]*)\1/i
/**
 * The encodings, by charset. Apache HttpClient sends ISO-8859-1 by default. US-ASCII is read as UTF-8, in which each of
 * its bytes has the same meaning.
 */
const ENCODINGS: ReadonlyMap<string, FieldEncoding> = new Map([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['us-ascii', 'utf8'],
  ['iso-8859-1', 'latin1'],
])

/**
 * Reads the head of a part strictly (RFC 7578, section 4). Two programs that read the same form must not find different
 * names in it, so an ambiguous head is refused.
 *
 * @returns the head, or a description of the problem if the head is invalid.
 */
export function readHead(headers: PartHeaders): PartHead | string {
  const lines = Object.values(headers).flat()
  if (lines.length >= MAX_HEADERS || sizeOf(headers) >= MAX_HEAD_BYTES) {
    return 'has a part with too many or too long headers'
  }
  const [disposition = '', second] = headers['content-disposition'] ?? []
  if (second !== undefined) return 'has a part with two Content-Disposition headers'
  const parameters = readParameters(disposition)
  if (parameters === null) return 'has a part without a valid Content-Disposition'
  if (!isPlain(headers)) return 'has a part with a Content-Transfer-Encoding header'
  const { name, filename = null } = parameters
  if (name === undefined) return 'has a part without a name'
  const type = readType(headers, filename === null)
  if (typeof type === 'string') return type
  return { name, fileName: filename, ...type }
}

/**
 * Returns the approximate size of a head in bytes. The result is never too small. The parser cuts off the part of a
 * head that exceeds the limit.
 */
function sizeOf(headers: PartHeaders): number {
  return Object.entries(headers).reduce(
    (sum, [name, values = []]) =>
      values.reduce((total, value) => total + name.length + value.length + 4, sum),
    0,
  )
}

interface Parameters {
  readonly name?: string
  readonly filename?: string
}

function readParameters(disposition: string): Parameters | null {
  const text = DISPOSITION.exec(disposition)?.[1]
  if (text === undefined) return null
  const found: Record<string, string> = Object.create(null)
  for (const [, key = '', quoted, token] of text.matchAll(PARAMETER)) {
    const name = key.toLowerCase()
    // .NET, Spring and aiohttp send `filename*` in addition to `filename`, although forms must not contain it (RFC
    // 7578, section 4.2).
    const value = name === 'filename*' ? '' : readText(quoted ?? token ?? '')
    if (name in found || value === null) return null
    found[name] = value
  }
  const hasOnlyExtended = 'filename*' in found && !('filename' in found)
  return hasOnlyExtended || 'name*' in found ? null : found
}

/** Returns the value of a parameter; `null` if it is not UTF-8, is too long, or contains a control character. */
function readText(latin1: string): string | null {
  const bytes = Buffer.from(latin1, 'latin1')
  if (!isUtf8(bytes)) return null
  // Browsers escape a quote as `%22`. Older browsers escape it with a backslash. A Windows path also contains single
  // backslashes.
  const text = bytes.toString('utf8').replace(/\\(["\\])/g, '$1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
  return text.length > MAX_TEXT || /[\u0000-\u001f\u007f]/.test(text) ? null : text
}

/**
 * Whether the content of a part is not encoded. Content transfer encodings such as `base64` are refused, because they
 * are deprecated (RFC 7578, section 4.7).
 */
function isPlain(headers: PartHeaders): boolean {
  const encodings = headers['content-transfer-encoding'] ?? []
  return encodings.every((encoding) => /^(?:7bit|8bit|binary)$/i.test(encoding.trim()))
}

function readType(
  headers: PartHeaders,
  isField: boolean,
): Pick<PartHead, 'type' | 'encoding'> | string {
  const [type, second] = headers['content-type'] ?? []
  if (type === undefined) return { type: null, encoding: 'utf8' }
  const [, essence, parameters = ''] = TYPE.exec(type.trim()) ?? []
  if (essence === undefined || second !== undefined)
    return 'has a part with an invalid Content-Type'
  const charset = CHARSET.exec(parameters)?.[2]?.toLowerCase() ?? 'utf-8'
  const encoding = isField ? ENCODINGS.get(charset) : 'utf8'
  if (encoding === undefined) return 'has a field that is neither UTF-8 nor ISO-8859-1'
  return { type: essence.toLowerCase(), encoding }
}

/** Returns the file name without folders, for display; `null` if it is then empty. */
export function baseName(fileName: string): string | null {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  const short = Array.from(base).slice(0, MAX_NAME).join('')
  return /^\.*$/.test(short) ? null : short
}
