/**
 * The characters before which a `\` is kept. Before most other characters, a `\` has no effect, and Unicode mode
 * refuses it.
 */
const ESCAPED = /[\^$\\.*+?()[\]{}|/0-9A-Za-z]/

/**
 * Returns an equivalent pattern for Unicode mode; `undefined` if there is none. Readers of the document compile
 * patterns in Unicode mode, which refuses some escapes that a regular expression without flags allows.
 */
export function toPattern(source: string): string | undefined {
  if (isUnicodePattern(source)) return source
  const simpler = withoutNeedlessEscapes(source)
  return isUnicodePattern(simpler) ? simpler : undefined
}

function withoutNeedlessEscapes(source: string): string {
  let isInClass = false
  return source.replace(/\\[\s\S]|[[\]]/g, (token) => {
    if (!token.startsWith('\\')) {
      isInClass = token === '['
      return token
    }
    const character = token.slice(1)
    // Without the `\`, a hyphen in a character class could form a range.
    return ESCAPED.test(character) || (character === '-' && isInClass) ? token : character
  })
}

function isUnicodePattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Returns the source of an equivalent expression without flags, because JSON Schema does not support flags. Returns
 * `undefined` if there is no such expression.
 */
export function withoutFlags({ source, flags }: RegExp): string | undefined {
  if (/[ms]/.test(flags)) return undefined
  return flags.includes('i') ? ignoreCase(source) : source
}

/** Matches escapes that the flag `i` does not affect: character classes, boundaries and punctuation. */
const CASELESS_ESCAPE = /^\\[dDsSwWbBnrtfv0^$\\.*+?()[\]{}|/-]/

/** Matches the beginning of a group. It includes the name of the group, because the name must not be rewritten. */
const GROUP = /^\(\?(?::|=|!|<=|<!|<\w+>)/

const LETTER = /^[a-zA-Z]$/

/**
 * Rewrites the source of an expression with the flag `i` so that no flag is needed: `[a-z]` becomes `[a-zA-Z]`. Returns
 * `undefined` for characters outside ASCII, and for escapes and ranges that cannot be rewritten.
 */
export function ignoreCase(source: string): string | undefined {
  let rest = source
  let result = ''
  let isInClass = false
  while (rest !== '') {
    const token = isInClass ? classToken(rest) : outerToken(rest)
    if (token === undefined) return undefined
    if (token === '[' && !isInClass) isInClass = true
    else if (token === ']') isInClass = false
    const folded = isInClass ? foldInClass(token) : fold(token)
    if (folded === undefined) return undefined
    result += folded
    rest = rest.slice(token.length)
  }
  return result
}

function outerToken(rest: string): string | undefined {
  if (rest.startsWith('\\')) return CASELESS_ESCAPE.exec(rest)?.[0]
  return GROUP.exec(rest)?.[0] ?? asciiCharacter(rest)
}

/** Returns the first range, escape or character in the rest of a character class. */
function classToken(rest: string): string | undefined {
  if (rest.startsWith('\\')) return CASELESS_ESCAPE.exec(rest)?.[0]
  const [range] = /^[^\\\]]-[^\\\]]/.exec(rest) ?? []
  return range ?? asciiCharacter(rest)
}

function asciiCharacter(rest: string): string | undefined {
  const character = rest.charAt(0)
  return character <= '\x7f' ? character : undefined
}

function fold(token: string): string {
  return LETTER.test(token) ? `[${otherCase(token)}${token}]` : token
}

function foldInClass(token: string): string | undefined {
  if (LETTER.test(token)) return `${token}${otherCase(token)}`
  if (!isRange(token)) return token
  const isOfOneCase = /^([a-z]-[a-z]|[A-Z]-[A-Z])$/.test(token)
  if (isOfOneCase) return `${token}${otherCase(token)}`
  // Digits and punctuation have no case. A range that also includes letters or characters outside ASCII is not
  // rewritten.
  return /^([ -@]-[ -@]|[[-`]-[[-`]|[{-~]-[{-~])$/.test(token) ? token : undefined
}

function isRange(token: string): boolean {
  return token.length === 3 && token[1] === '-'
}

function otherCase(text: string): string {
  const isLower = text.toLowerCase() === text
  return isLower ? text.toUpperCase() : text.toLowerCase()
}
