/** Escapes that mean the same whatever the case: classes of characters, boundaries, and punctuation. */
const CASELESS_ESCAPE = /^\\[dDsSwWbBnrtfv0^$\\.*+?()[\]{}|/-]/

/** The beginnings of groups; a name is no text to match. */
const GROUP = /^\(\?(?::|=|!|<=|<!|<\w+>)/

const LETTER = /^[a-zA-Z]$/

/**
 * The source of an expression that means without the flag `i` what the given one means with it: `[a-z]` becomes
 * `[a-zA-Z]`. `undefined` where that takes more than letters of ASCII.
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

/** A range, an escape or a character. */
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
  // Digits and punctuation have no case; a range from the one into the other, or out of ASCII, has some letters.
  return /^([ -@]-[ -@]|[[-`]-[[-`]|[{-~]-[{-~])$/.test(token) ? token : undefined
}

function isRange(token: string): boolean {
  return token.length === 3 && token[1] === '-'
}

function otherCase(text: string): string {
  const isLower = text.toLowerCase() === text
  return isLower ? text.toUpperCase() : text.toLowerCase()
}
