import { describe, expect, it } from 'vitest'
import { readSources } from './sources.js'

/** Wordings that a reader has to read twice, with a better one. Code in a comment does not count. */
const WORDINGS: readonly (readonly [wording: RegExp, better: string])[] = [
  [/^What /, 'name the noun: "Dependencies of …", "The text that …"'],
  [/\b(?:that|those) of\b/i, 'repeat the noun, or use a possessive'],
  [/\bthe ones? (?:that|who|which|whose|of)\b/i, 'repeat the noun'],
  [/\b(?:says?|said|tells|told|hears?|heard)\b/i, '"states", "has", "reports", or the passive'],
  [/\b(?:knows|knew)\b/i, '"has", "supports", or the passive'],
  [/\basks\b(?! the person)/i, '"calls", "requests", "requires", "reads"'],
  [/\basked\b/i, '"called", "requested", "required", "read"'],
  [/\b(?:nobody|somebody|anybody|everybody)\b/i, '"no client", "other code", "is unused"'],
  [/\bnone of\b/i, '"not", "no …"'],
]

/** Files whose comments are not checked: the texts of generated clients. */
const UNCHECKED: ReadonlySet<string> = new Set(['cli/client/runtime.ts'])

const COMMENT = /\/\*\*?\s[\s\S]*?\*\/|(?<=^|[ \t])\/\/ [^\n]*(?:\n[ \t]*\/\/ [^\n]*)*/gm

/** The words of a comment on one line, without its marks and its code. */
function wordsOf(comment: string): string {
  return comment
    .replace(/\n\s*@example[\s\S]*|\n\s*\*\s*@example[\s\S]*/, '')
    .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)/gm, '')
    .replace(/\*\/$/, '')
    .replace(/```[\s\S]*?```|`[^`]*`|\{@link [^}]*\}/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The comments of a text with a banned wording, as `file:line "wording": what is better`. */
function wordings(path: string, text: string): string[] {
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const words = wordsOf(comment)
    return WORDINGS.flatMap(([wording, better]) => {
      const found = wording.exec(words)
      const line = text.slice(0, index).split('\n').length
      return found === null ? [] : [`${path}:${line} "${found[0].trim()}": ${better}`]
    })
  })
}

describe('the check of comments', () => {
  it('finds each discouraged wording', () => {
    const found = (text: string) => wordings('x.ts', text).map((each) => each.split('"')[1])
    expect(found('/** What it reads. */')).toEqual(['What'])
    expect(found('/**\n * What it reads,\n * and those\n * of others.\n */')).toEqual([
      'What',
      'those of',
    ])
    expect(found('const a = 1 // the one that\n// nobody asks')).toEqual([
      'the one that',
      'asks',
      'nobody',
    ])
    expect(found('// It says so.\n\n/** It knows none of them. */')).toEqual([
      'says',
      'knows',
      'none of',
    ])
  })

  it('ignores code', () => {
    const code =
      '/** Asks the person. `asks`, {@link asks}\n * @example\n * asks()\n */\nasks("says")'
    expect(wordings('x.ts', code)).toEqual([])
  })
})

describe('the source code', () => {
  it('contains no discouraged wording in its comments', () => {
    const checked = readSources().filter(({ path }) => !UNCHECKED.has(path))
    expect(checked.flatMap(({ path, text }) => wordings(path, text))).toEqual([])
  })
})
