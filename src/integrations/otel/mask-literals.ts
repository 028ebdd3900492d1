/** The mask of a value in a text. */
const MASK = '?'

/**
 * One piece of a statement that is read as a whole: a comment, a value in quotes, a name in quotes, a placeholder, a name with
 * digits, or a number. A quote without an end takes the rest of the text.
 */
const PIECES: Readonly<Record<string, RegExp>> = {
  postgresql:
    /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[a-z_]\w*)?\$)[\s\S]*?(?:\1|$)|e'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[$:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
  // A backslash escapes in every text, and double quotes surround texts, too.
  mysql:
    /--[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|$)|`[^`]*(?:`|$)|[:@]\w+|[\p{L}_][\p{L}\p{N}_$]*|(?:\d|\.\d)[\w.]*(?:(?<=e)[+-]\d+)?/giu,
}

/** Databases that read texts as another one does. */
const ALIKE: Readonly<Record<string, string>> = { cockroachdb: 'postgresql', mariadb: 'mysql' }

/**
 * Returns a statement without the values that are written in it: texts and numbers become `?`, and comments are left out.
 * Names and placeholders stay.
 *
 * @param system The database, as OpenTelemetry names it.
 * @returns `null` if the text has quotes whose meaning in this database is not known here.
 */
export function maskLiterals(text: string, system: string): string | null {
  const family = ALIKE[system] ?? system
  const pieces = PIECES[family]
  if (pieces === undefined && text.includes("'")) return null
  const isMysql = family === 'mysql'
  const masked = text.replace(pieces ?? (PIECES['postgresql'] as RegExp), (piece) =>
    maskOf(piece, isMysql),
  )
  return masked.replace(/\s+/g, ' ').trim()
}

function maskOf(piece: string, isMysql: boolean): string {
  if (/^(?:--|\/\*|#)/.test(piece)) return ' '
  if (piece.startsWith('"')) return isMysql ? MASK : piece
  // A placeholder `$1`, or a text `$tag$…$tag$`.
  if (/^\$(?:[a-z_]\w*)?\$/i.test(piece)) return MASK
  return /^(?:e?'|\.?\d)/i.test(piece) ? MASK : piece
}
