import { type Code, endOfLine, type Insertion } from './code-list.js'
import type { CodeStyle } from './project-style.js'

/** A static import in masked code. `import a = require('a')` is none. */
const IMPORT =
  /^import\b(?!\s*[(.])[^'"]*?(?:'[^'\n]*'|"[^"\n]*")(?:\s*with\s*\{[^}]*\})?(?!\s*\));?/gm

/** What to import. */
export interface NewImport {
  readonly name: string
  readonly specifier: string
}

/**
 * Adds an import behind those that exist: among imports of own files, if they are sorted by path, in their order.
 * Returns `undefined` for code without imports, or with other code behind them in their line.
 */
export function addImport(
  code: Code,
  { name, specifier }: NewImport,
  { quote, hasSemicolons, lineEnd }: CodeStyle,
): Insertion | undefined {
  const imports = [...code.mask.matchAll(IMPORT)].map((match) => {
    const end = match.index + match[0].length
    const text = code.text.slice(match.index, end)
    return { start: match.index, end, from: /\bfrom\s*['"]([^'"]*)/.exec(text)?.[1] ?? '' }
  })
  const last = imports.at(-1)
  if (last === undefined) return undefined
  const line = `import { ${name} } from ${quote}${specifier}${quote}${hasSemicolons ? ';' : ''}`
  const own = imports.filter(({ from }) => from.startsWith('.'))
  const isSorted = own.every(
    ({ from }, index) => index === 0 || (own[index - 1]?.from ?? '') <= from,
  )
  const next = isSorted ? own.find(({ from }) => from > specifier) : undefined
  if (next !== undefined) return { at: next.start, text: line + lineEnd }
  const at = endOfLine(code, last.end, code.text.length)
  return /^(?:\r?\n|$)/.test(code.text.slice(at)) ? { at, text: lineEnd + line } : undefined
}
