import { isUtf8 } from 'node:buffer'

/** The head of a part of a form. */
export interface PartHead {
  readonly name: string
  /** `null` for a text field; empty if the user of a browser has chosen no file. */
  readonly fileName: string | null
  /** In lower case, without parameters; `null` if the part has no type. */
  readonly type: string | null
  /** How the text of a field is read. */
  readonly encoding: FieldEncoding
}

export type FieldEncoding = 'utf8' | 'latin1'

/** The header lines of a part, by name in lower case, as Latin-1. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** More lines than a part may have: browsers send two. */
export const MAX_HEADERS: number = 16
/** The maximum size of the head of a part, in bytes. */
export const MAX_HEAD_BYTES: number = 8 * 1024

/** The maximum number of characters of a file name from the client. */
const MAX_NAME = 255
/** The maximum number of characters of a header parameter. */
const MAX_TEXT = 1024

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
// Each repetition starts with a character that the part before it cannot match, so the patterns do not backtrack.
const DISPOSITION =
  /^form-data((?:[ \t]*;[ \t]*[a-z*]+=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s";]+))+)[ \t]*(?:;[ \t]*)?$/i
const PARAMETER = /;[ \t]*([a-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/gi
const TYPE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*(;[^\\r\\n]*)?$`)
const CHARSET = /;[ \t]*charset=("?)([^\s";]*)\1/i
/** By charset. Apache HttpClient sends ISO-8859-1 by default. Each byte of US-ASCII is the same in UTF-8. */
const ENCODINGS: ReadonlyMap<string, FieldEncoding> = new Map([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['us-ascii', 'utf8'],
  ['iso-8859-1', 'latin1'],
])

/**
 * Reads the head of a part strictly (RFC 7578, section 4). Two readers of one form must not find different names in it:
 * whatever could be read in another way is refused.
 *
 * @returns a text for a wrong head: its mistake.
 */
export function readHead(headers: PartHeaders): PartHead | string {
  const lines = Object.values(headers).flat()
  if (lines.length >= MAX_HEADERS || sizeOf(headers) >= MAX_HEAD_BYTES) {
    return 'has a part with too many headers'
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

/** The bytes of a head, a little too many rather than too few. The parser cuts off the part beyond the limit. */
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
    // .NET, Spring and aiohttp write `filename*` beside `filename`. Forms do not have it (RFC 7578, section 4.2).
    const value = name === 'filename*' ? '' : readText(quoted ?? token ?? '')
    if (name in found || value === null) return null
    found[name] = value
  }
  const hasOnlyExtended = 'filename*' in found && !('filename' in found)
  return hasOnlyExtended || 'name*' in found ? null : found
}

/** The text of a parameter; `null` if it is not UTF-8, too long, or has a control character. */
function readText(latin1: string): string | null {
  const bytes = Buffer.from(latin1, 'latin1')
  if (!isUtf8(bytes)) return null
  // Browsers escape a quote as `%22`, older ones with a backslash. A folder of Windows has single backslashes, too.
  const text = bytes.toString('utf8').replace(/\\(["\\])/g, '$1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
  return text.length > MAX_TEXT || /[\u0000-\u001f\u007f]/.test(text) ? null : text
}

/** Files are sent unencoded: all other encodings are obsolete (RFC 7578, section 4.7). */
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

/** The file name without folders, for people; `null` if nothing is left. */
export function baseName(fileName: string): string | null {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  const short = Array.from(base).slice(0, MAX_NAME).join('')
  return /^\.*$/.test(short) ? null : short
}
