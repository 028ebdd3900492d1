/** A string with shell variables in place of secrets: `['Bearer ', { secret: 'token' }]` uses `$TOKEN`. */
export type ShellText = string | readonly Piece[]

type Piece = string | { readonly secret: string }

/** A request to be sent with curl. */
export interface CurlRequest {
  readonly method: string
  readonly url: ShellText
  readonly headers: readonly (readonly [name: string, value: ShellText])[]
  /** The body; `null` if there is none, or if it is in `more`. */
  readonly body: ShellText | null
  /** Additional arguments, quoted where necessary, such as `-F 'file=@file'`. Default: none. */
  readonly more?: readonly string[]
}

/**
 * Returns a command that sends a request. Neither the shell nor curl interprets any character of the request. The
 * command runs in any POSIX shell, but headers that are not ASCII require bash.
 */
export function curlCommand({ method, url, headers, body, more = [] }: CurlRequest): string {
  const hasBody = body !== null || more.some((each) => /^-(?:F|-data|-form)/.test(each))
  const parts = [
    ['curl', ...flagsFor(textOf(url)), ...verbOf(method, hasBody), quoted(url)].join(' '),
    ...more,
    ...headers.map(([name, value]) => `-H ${quoted(headerOf(name, value), quoteBytes)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** curl interprets brackets and braces in a URL as ranges, and removes dot segments. */
function flagsFor(url: string): string[] {
  return [
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(/\/(?:\.|%2e){1,2}(?:[/?#]|$)/i.test(url) ? ['--path-as-is'] : []),
  ]
}

/** The method must be set, because a body changes the default method to POST. */
function verbOf(method: string, hasBody: boolean): string[] {
  if (method === 'GET' && !hasBody) return []
  return method === 'HEAD' ? ['--head'] : ['-X', method]
}

/** curl sends a header with an empty value only if the argument ends with a semicolon. */
function headerOf(name: string, value: ShellText): ShellText {
  if (typeof value === 'string') return value === '' ? `${name};` : `${name}: ${value}`
  return [`${name}: `, ...value]
}

function piecesOf(text: ShellText) {
  return typeof text === 'string' ? [text] : text
}

function textOf(text: ShellText): string {
  return piecesOf(text)
    .filter((piece) => typeof piece === 'string')
    .join('')
}

/** Returns the string as one shell word. */
function quoted(text: ShellText, write: (text: string) => string = quote): string {
  const pieces = piecesOf(text)
  if (pieces.length > 1 && pieces.every(isHarmless)) {
    return `"${pieces.map((each) => (typeof each === 'string' ? each : variableOf(each.secret))).join('')}"`
  }
  return pieces
    .filter((each) => each !== '' || pieces.length === 1)
    .map((each) => (typeof each === 'string' ? write(each) : `"${variableOf(each.secret)}"`))
    .join('')
}

/** Whether double quotes do not change the meaning of a string, even after a variable name. */
function isHarmless(piece: Piece, index: number, all: readonly Piece[]): boolean {
  if (typeof piece !== 'string') return true
  const isBehindName = index > 0 && typeof all[index - 1] !== 'string'
  return /^[\w .,:;/?&=%@+-]*$/.test(piece) && !(isBehindName && /^\w/.test(piece))
}

/** The variable for a name: `$X_API_KEY` for `x-api-key`, `$CARD_NUMBER` for `cardNumber`. */
function variableOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/\W+/g, '_')
  return `$${words.replace(/^(?=\d)/, '_').toUpperCase()}`
}

/** Quotes a string. A shell does not interpret characters in single quotes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes a header. Its characters are bytes, which some terminals cannot display. */
function quoteBytes(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return quote(text)
  // The result contains no quotes inside, so it is also safe in shells that do not support this syntax.
  return `$'${text.replace(/[^\x20-\x7e]|['\\]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`
}
