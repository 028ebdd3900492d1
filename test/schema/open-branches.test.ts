import { describe, expect, it } from 'vitest'
import type { OpenApiSchema } from '../../src/contracts/openapi.js'
import { createResponseCompiler } from '../../src/schema/response-validator.js'

const text: OpenApiSchema = { type: 'string' }
const any: OpenApiSchema = { type: 'object' }
const object = (...names: string[]): OpenApiSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
})
const components: Record<string, OpenApiSchema> = { Any: any, Named: object('name') }
const ref = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` })
const compile = createResponseCompiler(components)
const pathsOf = (schema: OpenApiSchema, value: unknown) =>
  compile(schema)(value).map(({ path }) => path)

const value = { a: '', x: '' }

describe('an object schema with branches', () => {
  it.each<[string, OpenApiSchema]>([
    ['the last branch of anyOf', { ...object('a'), anyOf: [object('b'), any] }],
    ['the first branch of anyOf', { ...object('a'), anyOf: [any, object('b')] }],
    ['the only branch of anyOf', { ...object('a'), anyOf: [any] }],
    ['anyOf, without properties of its own', { anyOf: [object('a'), any] }],
    ['oneOf', { oneOf: [{ ...object('b'), required: ['b'] }, any] }],
    ['a component', { ...object('a'), anyOf: [object('b'), ref('Any')] }],
    ['a branch within a branch', { ...object('a'), anyOf: [{ anyOf: [object('b'), any] }] }],
  ])('accepts unknown properties if one branch accepts any property: %s', (_, schema) => {
    expect(pathsOf(schema, value)).toEqual([])
    expect(pathsOf(schema, value)).toEqual([])
  })

  it.each<[string, OpenApiSchema]>([
    ['anyOf', { ...object('a'), anyOf: [object('b'), object('c')] }],
    ['oneOf', { ...object('a'), oneOf: [object('b')] }],
    ['allOf', { allOf: [object('a'), object('b')] }],
    ['allOf, with one branch without properties', { allOf: [object('a'), any] }],
    ['a component', { ...object('a'), anyOf: [ref('Named')] }],
  ])('rejects properties that no branch lists: %s', (_, schema) => {
    expect(pathsOf(schema, value)).toContain('x')
    expect(pathsOf(schema, { a: '' })).toEqual([])
  })
})
