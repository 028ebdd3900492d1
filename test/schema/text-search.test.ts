import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextSearch } from '../../src/schema/text-search.js'
import { countWork } from '../count-work.js'

/** Few letters, so that texts repeat, contain and overlap each other. */
const letters = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\0'), maxLength })
const texts = fc.array(letters(6), { maxLength: 12 })

describe('TextSearch', () => {
  it('finds the same positions as indexOf', () => {
    fc.assert(
      fc.property(texts, letters(40), (searched, text) => {
        const expected = searched
          .filter((each) => each !== '' && text.includes(each))
          .map((each) => [each, text.indexOf(each)])
        expect(Object.fromEntries(new TextSearch(searched).first(text))).toEqual(
          Object.fromEntries(expected),
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('finds the longest search string that ends at each index', () => {
    fc.assert(
      fc.property(texts, letters(40), (searched, text) => {
        const expected = Array.from(text, (_, index) => {
          const ending = searched.filter((each) => each && text.slice(0, index + 1).endsWith(each))
          const length = Math.max(0, ...ending.map((each) => each.length))
          return { start: index + 1 - length, end: index + 1 }
        }).filter(({ start, end }) => start < end)
        expect([...new TextSearch(searched).longest(text)]).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('reads each character of all strings once', () => {
    const searched = Array.from({ length: 50 }, (_, n) => `${'a'.repeat(100)}${n}`)
    const text = 'a'.repeat(10_000)
    const all = searched.join('').length + text.length
    expect(countWork(() => new TextSearch(searched).first(text))).toBeLessThanOrEqual(2 * all)
    expect(countWork(() => [...new TextSearch(searched).longest(text)])).toBe(all)
  })
})
