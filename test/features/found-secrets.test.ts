import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FoundSecrets } from '../../src/features/capsules/plain-value.js'
import { countWork } from '../count-work.js'

describe('FoundSecrets', () => {
  it('hides values of a statement that have at least 8 characters and are not in the URL', () => {
    const unit = fc.constantFrom('a', 'b', 'c')
    const values = fc.array(fc.string({ unit, maxLength: 10 }), { maxLength: 6 })
    fc.assert(
      fc.property(values, fc.string({ unit, maxLength: 60 }), (sent, url) => {
        const found = new FoundSecrets(url)
        found.searchValues(sent)
        for (const value of sent) {
          const isSecret = value.length >= 8 && !url.includes(value)
          const others = sent.filter((each) => each.length >= 8 && !url.includes(each))
          const isPart = others.some((each) => value.includes(each))
          expect(found.hideIn(value) !== value).toBe(isSecret || isPart)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('does not search the URL for each value separately', () => {
    const workOf = (size: number) => {
      const values = Array.from({ length: size }, (_, n) => `value-of-a-row-${n}`)
      return countWork(() =>
        new FoundSecrets('/a?'.padEnd(20 * size, 'value')).searchValues(values),
      )
    }
    expect(workOf(800)).toBeLessThanOrEqual(2.5 * workOf(400))
  })
})
