import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ignoreCase } from '../../../src/schema/dialect/pattern.js'

describe('ignoreCase', () => {
  it.each([
    ['^abc$', '^[Aa][Bb][Cc]$'],
    ['^[a-z0-9_-]+$', '^[a-zA-Z0-9_-]+$'],
    ['[^xY]', '[^xXYy]'],
    ['\\d{2}\\w\\.', '\\d{2}\\w\\.'],
    ['(?<year>\\d)(?:t|T)?(?=z)', '(?<year>\\d)(?:[Tt]|[tT])?(?=[Zz])'],
    ['[!-/:-@]', '[!-/:-@]'],
    ['[-a]', '[-aA]'],
    ['[\\]a]', '[\\]aA]'],
  ])('converts %s to %s', (source, expected) => {
    expect(ignoreCase(source)).toBe(expected)
  })

  it.each(['ä', '[à-ü]', '[A-z]', '[ -~]', '(a)\\1', '\\u0061', '\\x61', '\\p{L}', '\\k<a>'])(
    'returns undefined for %s',
    (source) => {
      expect(ignoreCase(source)).toBeUndefined()
    },
  )

  const part = fc.constantFrom('a', 'Z', '[b-d]', '[^Q]', '\\w', '\\d', '[x-]', '.', '-', '(?:k|L)')
  const source = fc
    .array(fc.tuple(part, fc.constantFrom('', '', '+', '?', '{1,2}')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => `^${parts.flat().join('')}$`)

  it('returns a pattern that matches the same strings as the given pattern with the flag `i`', () => {
    const text = fc.string({ maxLength: 6, unit: fc.constantFrom(...'aAbBcCdDqQxXzZkKlL1-_ ') })
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 20, maxLength: 20 }), (given, texts) => {
        const folded = new RegExp(ignoreCase(given) ?? '', 'u')
        const flagged = new RegExp(given, 'i')
        expect(texts.map((one) => folded.test(one))).toEqual(texts.map((one) => flagged.test(one)))
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})
