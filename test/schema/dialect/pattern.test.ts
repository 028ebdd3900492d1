import { describe, expect, it } from 'vitest'
import { toPattern, withoutFlags } from '../../../src/schema/dialect/pattern.js'

describe('toPattern', () => {
  it.each([
    [String.raw`^a\d{2}\/\.$`, String.raw`^a\d{2}\/\.$`],
    [String.raw`a\:b\-c\_`, 'a:b-c_'],
    [String.raw`[\w\-\:]\-`, String.raw`[\w\-:]-`],
    [String.raw`\\-\:`, String.raw`\\-:`],
    [String.raw`\p{L}`, String.raw`\p{L}`],
  ])('converts %s to %s, which is valid in Unicode mode', (source, expected) => {
    expect(toPattern(source)).toBe(expected)
    expect(() => new RegExp(expected, 'u')).not.toThrow()
  })

  it.each(['[', '(', '*', 'a{', String.raw`\a`, String.raw`\k`])('rejects %s', (source) => {
    expect(toPattern(source)).toBeUndefined()
  })
})

describe('withoutFlags', () => {
  it.each([
    [/a/, 'a'],
    [/a/gu, 'a'],
    [/a/i, '[Aa]'],
    [/a/m, undefined],
    [/a/s, undefined],
    [/ä/i, undefined],
  ])('converts %s to %s', (expression, expected) => {
    expect(withoutFlags(expression)).toBe(expected)
  })
})
