import { expect, it } from 'vitest'
import { acceptsUndefined } from '../../src/schema/validate-now.js'

it.each([
  ['has a default', { type: 'string', default: 'a' }, true],
  ['is optional in TypeBox 1', { type: 'string', '~optional': true }, true],
  [
    'is optional in earlier versions of TypeBox',
    { type: 'string', [Symbol.for('TypeBox.Optional')]: 'Optional' },
    true,
  ],
  ['has only a type', { type: 'string' }, false],
])('accepts a missing value if a JSON Schema %s: %j', (_, schema, isAccepted) => {
  expect(acceptsUndefined(schema)).toBe(isAccepted)
})
