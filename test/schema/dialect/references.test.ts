import { expect, it } from 'vitest'
import { follow } from '../../../src/schema/dialect/references.js'

const root = { $defs: { 'a~1b': 'tilde', 'a/b': 'slash', 'a b': 'space', list: ['first'] } }

it.each([
  ['#/$defs/a~01b', 'tilde'],
  ['#/$defs/a~1b', 'slash'],
  ['#/$defs/a%20b', 'space'],
  ['#/$defs/list/0', 'first'],
  ['#/$defs/toString', undefined],
  ['#/constructor', undefined],
])('the pointer %s finds %s', (pointer, value) => {
  expect(follow(root, pointer)).toBe(value)
})
