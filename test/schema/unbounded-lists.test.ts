import { expect, it } from 'vitest'
import { findUnboundedLists } from '../../src/schema/unbounded-lists.js'

const text = { type: 'string', minLength: 3 }
const definitions = [
  { name: 'Text', schema: text },
  {
    name: 'Tree',
    schema: {
      type: 'object',
      properties: { t: { $ref: '#/components/schemas/Tree' } },
      required: ['t'],
    },
  },
]

const find = (schema: object, bytes: number) =>
  findUnboundedLists({ schema, definitions, losses: [] } as never, bytes)

it.each<[string, object, number]>([
  ['any value', {}, 1],
  ['a number', { type: 'number' }, 1],
  ['a boolean', { type: 'boolean' }, 4],
  ['a string', { type: 'string' }, 2],
  ['a string with a minimum length', text, 5],
  ['the shortest listed value', { type: 'string', enum: ['abc', 'a'] }, 3],
  ['a list', { type: 'array', items: {} }, 2],
  ['a list with a minimum length', { type: 'array', items: text, minItems: 2 }, 14],
  ['an object', { type: 'object', properties: { a: text } }, 2],
  ['its required properties', { type: 'object', properties: { ab: text }, required: ['ab'] }, 13],
  ['a required property without a schema', { type: 'object', required: ['a', 'b'] }, 14],
  ['a reference', { $ref: '#/components/schemas/Text' }, 5],
  ['the smallest alternative', { oneOf: [text, { type: 'string', minLength: 1 }] }, 3],
  ['another smallest alternative', { anyOf: [text, { type: 'boolean' }] }, 4],
  ['the largest part', { allOf: [{ type: 'string' }, text] }, 5],
  ['null', { ...text, minLength: 20, nullable: true }, 4],
  ['a value shorter than null', { type: 'number', nullable: true }, 1],
])('the smallest item that counts is %s: %j has %i bytes', (_, items, size) => {
  const schema = { type: 'object', properties: { list: { type: 'array', items } } }
  const most = 100_000 * (size + 1)
  expect(find(schema, most)).not.toContain('list')
  expect(find(schema, most + 1)).toContain('list')
})

it('the size of a schema that contains itself is finite', () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Tree' } }
  expect(find(schema, 1e9)).toEqual([''])
  expect(find(schema, 1e6)).toEqual([])
})

it('lists with a maximum length and without a schema of their items are not found', () => {
  const open = { type: 'array', items: {} }
  const schema = {
    type: 'object',
    properties: {
      a: { ...open, maxItems: 1_000_000 },
      b: { type: 'string' },
      c: { type: 'array', maxItems: 3, items: { type: 'object', additionalProperties: open } },
    },
  }
  expect(find(schema, 1e9)).toEqual(['c.*.*'])
})
