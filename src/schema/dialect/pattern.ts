import { ignoreCase } from './ignore-case.js'

/** What `\` may stand before in a pattern of a JSON Schema, which is a Unicode one. */
const ESCAPED = /[\^$\\.*+?()[\]{}|/0-9A-Za-z]/

/**
 * A pattern as all readers of the document understand it, or `undefined`: they compile it in Unicode mode, which
 * refuses some escapes that a plain regular expression allows.
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
    // Between brackets, a bare hyphen would be a range.
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

/** The source of an expression that means the same without its flags, for which JSON Schema has no place. */
export function withoutFlags({ source, flags }: RegExp): string | undefined {
  if (/[ms]/.test(flags)) return undefined
  return flags.includes('i') ? ignoreCase(source) : source
}
