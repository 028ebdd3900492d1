import { describe, expect, it } from 'vitest'
import { isValueValid } from '../../../src/schema/fields/bounds.js'
import { createMatcher, showPath } from '../../../src/schema/fields/matcher.js'

const { matches, findMismatch } = createMatcher(() => undefined)
const text = { type: 'string' }

describe('a value of a response', () => {
  it.each<[string, object, unknown, unknown]>([
    ['a length in characters, not in UTF-16 units', { maxLength: 2 }, '🙂🙂', '🙂🙂🙂'],
    ['a minimum length', { minLength: 2 }, 'ab', '🙂'],
    ['a pattern', { pattern: '^\\p{L}$' }, 'ä', '1'],
    ['a pattern that is invalid in Unicode mode', { pattern: '^a\\-b$' }, 'a-b', 'ab'],
    ['inclusive limits', { minimum: 1, maximum: 2 }, 1, 0.9],
    ['exclusive limits', { exclusiveMinimum: 1, exclusiveMaximum: 2 }, 1.5, 1],
    ['an exclusive maximum', { exclusiveMaximum: 2 }, 1.9, 2],
    ['limits with flags', { minimum: 1, exclusiveMinimum: true }, 1.1, 1],
    ['a maximum with a flag', { maximum: 2, exclusiveMaximum: true }, 1.9, 2],
    ['a step', { multipleOf: 0.01 }, 19.99, 19.999],
    ['a step of 0, which is no limit', { multipleOf: 0, maximum: 1 }, 0.5, 2],
    ['null by the flag `nullable`', { ...text, nullable: true }, null, 1],
    ['one of several types', { type: ['integer', 'null'] }, null, 1.5],
    ['an object, which is not a list', { type: 'object' }, {}, []],
    ['a list, which is not an object', { type: 'array' }, [], {}],
    ['a constant that is an object', { const: { a: [1] } }, { a: [1] }, { a: [2] }],
    ['listed values', { enum: [[1], 'a'] }, [1], [2]],
    ['a number of properties', { minProperties: 1, maxProperties: 1 }, { a: 1 }, {}],
  ])('is compared with the keywords of its schema: %s', (_, schema, right, wrong) => {
    expect(isValueValid(schema as never, right)).toBe(true)
    expect(isValueValid(schema as never, wrong)).toBe(false)
  })

  it.each<[string, object, unknown, unknown]>([
    ['an item to find', { contains: text }, [1, 'a'], [1, 2]],
    ['no item to find', { contains: text, minContains: 0, maxContains: 1 }, [1], ['a', 'b']],
    ['at most one item to find', { contains: text, maxContains: 1 }, ['a', 1], ['a', 'b']],
    ['two items to find', { contains: text, minContains: 2 }, ['a', 'b'], ['a', 1]],
    ['dependent names', { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['dependent names of draft 07', { dependencies: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    ['a dependent schema', { dependentSchemas: { a: { required: ['b'] } } }, { b: 1 }, { a: 1 }],
    ['an exclusion', { not: { required: ['a'] } }, {}, { a: 1 }],
    [
      'a condition',
      { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
      { c: 1 },
      { a: 1, c: 1 },
    ],
    ['a pattern of names', { patternProperties: { '^x': text } }, { x: 'a', y: 1 }, { x: 1 }],
    ['the items after a tuple', { prefixItems: [text], items: text }, ['a', 'b'], ['a', 1]],
    ['both kinds of alternatives', { anyOf: [text, {}], oneOf: [text] }, 'a', 1],
    [
      'names that are allowed, as all others are left out',
      { additionalProperties: text, propertyNames: { maxLength: 1 } },
      { a: 'b', long: 1 },
      { a: 1 },
    ],
    ['unique items', { uniqueItems: true }, [1, '1', [1]], [{ a: 1 }, { a: 1 }]],
  ])('is compared with the schemas of its parts: %s', (_, schema, right, wrong) => {
    expect(matches(schema, right)).toBe(true)
    expect(matches(schema, wrong)).toBe(false)
  })

  it('that is invalid has the path of its deepest wrong part', () => {
    const user = { type: 'object', properties: { name: text, tags: { items: text } } }
    const list = { type: 'array', items: { anyOf: [text, user] } }
    expect(findMismatch(list, ['a', { name: 'b', tags: ['c', 1] }])).toEqual([1, 'tags', 1])
    expect(findMismatch(list, ['a', { name: 'b', tags: ['c'] }])).toBeNull()
    const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    expect(findMismatch(either, {})).toEqual(['a'])
  })

  it('that is invalid is shown with the names of its schema only, because others are data', () => {
    const path = ['users', 'ana@example.com', 0, 'name']
    expect(showPath(path, new Set(['users', 'name']))).toBe('users.*[0].name')
  })
})
