import { expect, it } from 'vitest'
import { toPlain } from '../../../src/schema/fields/to-plain.js'

it('an object at several places of a response is sent at each of them', () => {
  const author = { name: 'Ada' }
  const data = { author, books: [{ author }, { author }] }
  expect(toPlain(data)).toEqual(JSON.parse(JSON.stringify(data)))
})

it('an object that contains itself is refused, also after another object was sent', () => {
  const child: { self?: object } = {}
  child.self = { first: {}, child }
  expect(() => toPlain([{}, child])).toThrow(TypeError)
})
