import { ignoreCase } from './ignore-case.js'

/** The characters that may follow `\` in a pattern of JSON Schema, which is compiled in Unicode mode. */
const ESCAPED = /[\^$\\.*+?()[\]{}|/0-9A-Za-z]/

/**
 * Returns a pattern that is valid in Unicode mode, or `undefined`. Readers of the document compile patterns
 * in this mode, and it refuses some escapes that a regular expression without flags allows.
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
    // In a character class, a hyphen without `\` could form a range.
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
 * Returns the source of an expression that has the same meaning without flags, which JSON Schema does not
 * support; `undefined` when there is none.
 */
export function withoutFlags({ source, flags }: RegExp): string | undefined {
  if (/[ms]/.test(flags)) return undefined
  return flags.includes('i') ? ignoreCase(source) : source
}
