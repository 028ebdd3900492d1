import { describe, expect, it } from 'vitest'
import { toOpenApiSchema } from '../../../src/schema/dialect/to-openapi-schema.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const namesOf = (schema: unknown) =>
  toOpenApiSchema(schema).definitions.map(({ name, isNamed }) => [name, isNamed])

describe('schema definitions', () => {
  it.each([
    ['an identifier', { $id: 'Money', type: 'string' }, 'Money'],
    ['an identifier that is a URL', { $id: 'https://example.com/a/money.schema.json' }, 'money'],
    ['an identifier with invalid characters', { $id: '#/x y', type: 'object' }, 'x_y'],
    ['the title of an object', { title: 'Money', type: 'object' }, 'Money'],
    ['the title of an enum', { title: 'Color', enum: ['red'] }, 'Color'],
    [
      'the title of a union',
      { title: 'Pet', anyOf: [{ type: 'string' }, { type: 'number' }] },
      'Pet',
    ],
    ['a key of $defs', { $defs: { Money: { type: 'string' } }, $ref: '#/$defs/Money' }, 'Money'],
    ['a key of definitions', { definitions: { m: {} }, $ref: '#/definitions/m' }, 'm'],
    ['the identifier __proto__', { $id: '__proto__', type: 'object' }, 'proto'],
  ])('are named after %s', (_, schema, name) => {
    expect(toOpenApiSchema(schema).schema).toEqual(ref(name))
    expect(namesOf(schema)).toEqual([[name, true]])
  })

  it.each([
    ['a title in prose', { title: 'An order', type: 'object' }],
    ['a title of a string', { title: 'Name', type: 'string' }],
    ['a title of a list', { title: 'Names', type: 'array' }],
    ['a key that a library has generated', { $defs: { __schema0: {} }, $ref: '#/$defs/__schema0' }],
    ['an identifier without letters', { $id: '#/', type: 'object' }],
  ])('are not created for %s', (_, schema) => {
    expect(namesOf(schema)).toEqual([])
  })

  it('are created for recursive schemas without a name, and marked as unnamed', () => {
    const { schema, definitions } = toOpenApiSchema({
      type: 'object',
      properties: { next: { $ref: '#' } },
    })
    expect(schema).toEqual(ref('Schema1'))
    expect(definitions).toEqual([
      {
        name: 'Schema1',
        isNamed: false,
        schema: { type: 'object', properties: { next: ref('Schema1') } },
      },
    ])
  })

  it('contain a repeated schema once, and two different schemas with the same title separately', () => {
    const line = (type: string) => ({ title: 'Line', type: 'object', properties: { a: { type } } })
    const schema = { prefixItems: [line('string'), line('string'), line('number')], items: false }
    expect(namesOf(schema)).toEqual([
      ['Line', true],
      ['Line_2', false],
    ])
  })

  it('contain a recursive schema once even if it occurs twice', () => {
    const tree = () => ({ $id: 'Tree', type: 'object', properties: { next: { $ref: '#' } } })
    expect(namesOf({ properties: { a: tree(), b: tree() } })).toEqual([['Tree', true]])
  })

  it('are listed in the order in which references first reach them', () => {
    const schema = {
      $defs: {
        b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } },
        a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } } },
      },
      $ref: '#/$defs/a',
    }
    expect(namesOf(schema)).toEqual([
      ['a', true],
      ['b', true],
    ])
  })

  it('are created for the objects of a cycle, and not for the lists between them', () => {
    const schema = {
      $defs: {
        '0': { type: 'object', properties: { list: { $ref: '#/$defs/1' } } },
        '1': { type: 'array', items: { $ref: '#/$defs/0' } },
      },
      $ref: '#/$defs/1',
    }
    expect(toOpenApiSchema(schema).schema).toEqual({ type: 'array', items: ref('Schema1') })
    expect(namesOf(schema)).toEqual([['Schema1', false]])
  })

  it('are created for the lists and records of a cycle without other objects', () => {
    const schema = {
      $defs: {
        '0': { type: 'array', items: { $ref: '#/$defs/1' } },
        '1': { type: 'object', additionalProperties: { $ref: '#/$defs/0' } },
      },
      $ref: '#/$defs/0',
    }
    expect(namesOf(schema)).toEqual([
      ['Schema1', false],
      ['Schema2', false],
    ])
  })

  it('have names that do not depend on schemas that were converted before', () => {
    expect(namesOf({ $id: 'A', type: 'object' })).toEqual(namesOf({ $id: 'A', type: 'object' }))
  })
})
