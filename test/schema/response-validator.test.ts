import { describe, expect, it } from 'vitest'
import type { OpenApiSchema } from '../../src/contracts/openapi.js'
import { createResponseCompiler } from '../../src/schema/response-validator.js'
import { countWork } from '../count-work.js'

const text: OpenApiSchema = { type: 'string' }
const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({
  type: 'object',
  properties,
})
const component = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` })
const components: Record<string, OpenApiSchema> = {
  Base: { ...object({ id: { type: 'integer' } }), required: ['id'] },
  Named: object({ name: text }),
  Both: { allOf: [component('Base'), component('Named')] },
  Tree: object({ label: text, children: { type: 'array', items: component('Tree') } }),
  Maybe: { nullable: true, allOf: [component('Base')] },
  Round: { allOf: [component('Round')] },
}
const compile = createResponseCompiler(components)
const find = (schema: OpenApiSchema, value: unknown) =>
  compile(schema)(value).map(({ path, expected, got }) => `${path}: ${expected}, ${got}`)

describe('an undocumented property', () => {
  it.each<[string, OpenApiSchema, unknown, string[]]>([
    ['an object', object({ a: text }), { a: '', b: 1 }, ['b: null, 1']],
    ['a nested object', object({ a: object({ b: text }) }), { a: { c: 1 } }, ['a.c: null, 1']],
    [
      'the items of a list',
      { type: 'array', items: component('Base') },
      [{ id: 1, x: 1 }],
      ['[0].x: null, 1'],
    ],
    ['no part of `allOf` if another part describes it', component('Both'), { id: 1, name: '' }, []],
    [
      '`allOf` if no part describes it',
      component('Both'),
      { id: 1, name: '', x: 1 },
      ['x: null, 1'],
    ],
    [
      'a property of one part of `allOf`',
      { allOf: [object({ a: component('Base') }), object({ b: text })] },
      { a: { id: 1, x: 1 }, b: '' },
      ['a.x: null, 1'],
    ],
    [
      'a component that is also a part of another component',
      component('Base'),
      { id: 1, name: '' },
      ['name: null, ""'],
    ],
    [
      'a recursive schema',
      component('Tree'),
      { label: '', children: [{ label: '', x: 1 }] },
      ['children[0].x: null, 1'],
    ],
    [
      'the matching one of two alternatives',
      { oneOf: [component('Base'), component('Named')] },
      { name: '', x: 1 },
      ['x: null, 1'],
    ],
    [
      'an object if its name has special characters',
      object({}),
      JSON.parse('{"a/b~c":1}'),
      ['a/b~c: null, 1'],
    ],
  ])('is reported in %s', (_, schema, value, mismatches) => {
    expect(find(schema, value)).toEqual(mismatches)
  })

  it.each<[string, OpenApiSchema, unknown]>([
    ['the schema lists no properties', { type: 'object' }, { a: 1 }],
    ['the schema is empty', {}, { a: 1 }],
    [
      '`additionalProperties` is true',
      { ...object({ a: text }), additionalProperties: true },
      { a: '', b: 1 },
    ],
    [
      'it matches `additionalProperties`',
      { ...object({ a: text }), additionalProperties: { type: 'number' } },
      { b: 1 },
    ],
    [
      'one part of `allOf` allows additional properties',
      { allOf: [object({ a: text }), { type: 'object', additionalProperties: true }] },
      { b: 1 },
    ],
    [
      'an alternative accepts any object',
      { anyOf: [object({ a: text }), { type: 'object' }] },
      { b: 1 },
    ],
    ['the value is not an object', { oneOf: [text, component('Base')] }, 'text'],
    [
      'its limit is not exclusive',
      { type: 'number', minimum: 1, exclusiveMinimum: false, maximum: 1, exclusiveMaximum: false },
      1,
    ],
    ['the schema refers only to itself', component('Round'), { a: 1 }],
  ])('is not reported if %s', (_, schema, value) => {
    expect(find(schema, value)).toEqual([])
  })

  it('must match `additionalProperties` if the schema has this keyword', () => {
    const numbers = { ...object({ a: text }), additionalProperties: { type: 'number' } } as const
    expect(find(numbers, { b: 'x' })).toEqual(['b: number, "x"'])
    expect(find({ ...object({ a: text }), additionalProperties: false }, { b: 1 })).toEqual([
      'b: null, 1',
    ])
  })
})

describe('an invalid value', () => {
  it.each<[string, OpenApiSchema, unknown, string]>([
    ['a wrong type', { type: 'integer' }, 1.5, ': integer, 1.5'],
    ['null instead of a string', text, null, ': string, null'],
    ['neither null nor a string', { type: 'string', nullable: true }, 1, ': string or null, 1'],
    ['a missing property', component('Base'), {}, 'id: to be present, nothing'],
    ['a value that is not in the enum', { enum: ['a', 'b'] }, 'c', ': one of "a", "b", "c"'],
    ['a wrong format', { type: 'string', format: 'date-time' }, 'today', ': date-time, "today"'],
    [
      'a number outside its bounds',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      1,
      ': to be > 1, 1',
    ],
    [
      'a list with too few items',
      { type: 'array', items: {}, minItems: 1 },
      [],
      ': not to have fewer than 1 items, []',
    ],
    [
      'a string of 80 characters as JSON, which is not shortened',
      { type: 'number' },
      'x'.repeat(78),
      `: number, "${'x'.repeat(78)}"`,
    ],
    [
      'a long string, which is shortened',
      { type: 'number' },
      'x'.repeat(200),
      `: number, "${'x'.repeat(79)}…`,
    ],
    [
      'no matching alternative',
      { oneOf: [text, { type: 'number' }] },
      true,
      ': one of its alternatives, true',
    ],
    [
      'an error in the closest alternative',
      { anyOf: [component('Base'), { enum: [null] }] },
      { id: 'x' },
      'id: integer, "x"',
    ],
    [
      'two matching alternatives of `oneOf`',
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      ': one of its alternatives, 1',
    ],
  ])('is reported: %s', (_, schema, value, mismatch) => {
    expect(find(schema, value)).toEqual([mismatch])
  })

  it.each<[string, OpenApiSchema[], string, string]>([
    [
      'with the error of the closest alternative',
      [component('Base'), { type: 'boolean' }],
      '.id',
      'integer',
    ],
    ['with no close alternative', [{ type: 'integer' }, text], '', 'one of its alternatives'],
  ])(
    'is reported under two names even if one is a prefix of the other, %s',
    (_, anyOf, at, expected) => {
      const schema = { type: 'object', additionalProperties: { anyOf } } as const
      const value = { ab: { id: 'x' }, a: { id: 'y' } }
      const found = compile(schema)(value).filter((each) => each.expected !== null)
      expect(found.map((each) => `${each.path} ${each.expected}`)).toEqual([
        `ab${at} ${expected}`,
        `a${at} ${expected}`,
      ])
      const items = Array.from({ length: 12 }, (_item, n) => (n === 1 || n === 10 ? value.a : true))
      const list = compile({ type: 'array', items: { anyOf: [...anyOf, { type: 'boolean' }] } })(
        items,
      )
      expect(list.map(({ path }) => path)).toEqual([`[1]${at}`, `[10]${at}`])
    },
  )

  it('is reported once per path, even if it violates several keywords', () => {
    const schema = {
      ...object({ a: text, b: { type: 'string', format: 'email', maxLength: 1 } }),
      required: ['c'],
    }
    expect(find(schema, { a: 1, b: 'xx' })).toEqual([
      'c: to be present, nothing',
      'a: string, 1',
      'b: not to have more than 1 characters, "xx"',
    ])
  })

  it('is not reported if the schema does not compile', () => {
    expect(find({ type: 'string', pattern: '(' }, 1)).toEqual([])
  })
})

it('two documents can use the same component name for different schemas', () => {
  const other = createResponseCompiler({ Base: object({ id: text }) })
  expect(find(component('Base'), { id: 1 })).toEqual([])
  expect(other(component('Base'))({ id: 'x' })).toEqual([])
  expect(other(component('Base'))({ id: 1 })).toHaveLength(1)
})

it('many invalid items of a list are not compared with each other', () => {
  const schema: OpenApiSchema = {
    type: 'array',
    items: { anyOf: [text, { type: 'boolean' }] },
  }
  const findIn = compile(schema)
  const wrong = Array.from({ length: 5000 }, () => 1)
  expect(findIn(wrong.slice(0, 2)).map(({ path }) => path)).toEqual(['[0]', '[1]'])
  expect(countWork(() => expect(findIn(wrong).length).toBeGreaterThan(10))).toBeLessThan(2_000_000)
})
