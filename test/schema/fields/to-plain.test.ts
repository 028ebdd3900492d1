import { expect, it } from 'vitest'
import { toPlain } from '../../../src/schema/fields/to-plain.js'

it('an object at several places of a response is sent at each of them', () => {
  const author = { name: 'Ada' }
  const data = { author, books: [{ author }, { author }] }
  expect(toPlain(data)).toEqual(JSON.parse(JSON.stringify(data)))
})

it('parts that JSON cannot contain are null in a list, and absent from an object', () => {
  const parts = [undefined, () => 1, Symbol('s'), Number.NaN, Number.POSITIVE_INFINITY]
  expect(toPlain(parts)).toEqual([null, null, null, null, null])
  expect(toPlain({ ...parts, last: 1 })).toStrictEqual({ 3: null, 4: null, last: 1 })
})

it('an object that contains itself is refused, also after another object was sent', () => {
  const child: { self?: object } = {}
  child.self = { first: {}, child }
  expect(() => toPlain([{}, child])).toThrow(TypeError)
})
