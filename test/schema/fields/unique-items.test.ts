import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isListValid } from '../../../src/schema/fields/bounds.js'
import { countWork } from '../../count-work.js'

it('items are unique if no two of them are equal', () => {
  const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 })
  const repeated = fc.tuple(items, fc.boolean()).map(([list, isTwice]) => {
    return isTwice ? [...list, ...structuredClone(list)] : list
  })
  fc.assert(
    fc.property(repeated, (list) => {
      const isUnique = list.every((item, at) =>
        list.slice(0, at).every((before) => canonical(before) !== canonical(item)),
      )
      expect(isListValid({ uniqueItems: true }, list)).toBe(isUnique)
    }),
    { numRuns: 1000 },
  )
})

/** JSON with sorted names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

it('uniqueness is checked without comparing each item with all others', () => {
  const list = Array.from({ length: 2000 }, (_, id) => ({ id }))
  expect(countWork(() => isListValid({ uniqueItems: true }, list))).toBeLessThan(2000)
})
