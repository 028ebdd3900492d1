import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonSchema } from '../../src/contracts/schema.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'

const compile = createValidatorCompiler()
const Tags = z.array(z.string()).min(1).meta({ id: 'QueryListTags' })

const LIST = { type: 'array', items: { type: 'string' } } as const

const NAMED = { $ref: '#/$defs/List' }

/** A schema of a library that accepts all values, and does not convert them. */
const yup = {
  '~standard': { version: 1, vendor: 'yup', validate: (value: unknown) => ({ value }) },
} as const

const SCHEMAS = [
  ['zod', z.object({ tag: z.array(z.string()) })],
  ['zod, optional', z.object({ tag: z.array(z.string()).optional() })],
  ['zod, nullable', z.object({ tag: z.array(z.string()).nullable() })],
  ['zod, a named schema', z.object({ tag: Tags.describe('Any of these') })],
  [
    'zod, a union of two lists',
    z.object({ tag: z.union([z.array(z.enum(['a'])), z.array(z.string())]) }),
  ],
  [
    'zod, in one branch of a union',
    z.union([z.object({ tag: z.array(z.string()) }), z.object({ q: z.int() })]),
  ],
  ['valibot', v.object({ tag: v.optional(v.array(v.string())) })],
  ['arktype', type({ 'tag?': 'string[]' })],
] as const

describe('a list in the query', () => {
  it.each(SCHEMAS)('can be sent as one value (%s)', async (_, schema) => {
    const validate = await compile(schema, 'query')
    expect(validate({ tag: 'a' })).toEqual({ value: { tag: ['a'] } })
    expect(validate({ tag: ['a', 'b'] })).toEqual({ value: { tag: ['a', 'b'] } })
  })

  it('is validated like any other list', async () => {
    const validate = await compile(z.object({ n: z.array(z.coerce.number()) }), 'query')
    expect(validate({ n: '1' })).toEqual({ value: { n: [1] } })
    expect(validate({ n: 'x' })).toMatchObject({ issues: [{ path: ['n', 0] }] })
    expect(validate({})).toMatchObject({ issues: [{ path: ['n'] }] })
  })

  it('is not created from one value if the schema also accepts a string', async () => {
    const schema = z.object({ tag: z.union([z.string(), z.array(z.string())]), q: z.string() })
    const validate = await compile(schema, 'query')
    expect(validate({ tag: 'a', q: 'b' })).toEqual({ value: { tag: 'a', q: 'b' } })
  })

  it('is created from one value only in the query, not in a body', async () => {
    const validate = await compile(z.object({ tag: z.array(z.string()) }), 'body')
    expect(validate({ tag: 'a' })).toMatchObject({ issues: [{ path: ['tag'] }] })
  })

  it('is created without a change to the query object', async () => {
    const query = Object.freeze({ tag: 'a' })
    const validate = await compile(z.object({ tag: z.array(z.string()) }), 'query')
    expect(validate(query)).toEqual({ value: { tag: ['a'] } })
  })

  it('is detected in a recursive schema', async () => {
    interface Node {
      tag: string[]
      node?: Node | undefined
    }
    const Node: z.ZodType<Node> = z.object({
      tag: z.array(z.string()),
      get node() {
        return Node.optional()
      },
    })
    const validate = await compile(z.union([Node, z.object({ tag: z.array(z.string()) })]), 'query')
    expect(validate({ tag: 'a' })).toEqual({ value: { tag: ['a'] } })
  })

  it('is detected in the JSON Schema that a converter returns', async () => {
    const converter = () => ({ type: 'object', properties: { tag: { type: 'array' } } })
    const validate = await createValidatorCompiler({ yup: converter })(yup, 'query')
    expect(validate({ tag: 'a' })).toEqual({ value: { tag: ['a'] } })
  })

  it('is created from an object only if all of its keys are indexes', async () => {
    const validate = await compile(z.object({ tag: z.array(z.string()) }), 'query')
    expect(validate({ tag: { 0: 'a', 1: 'b' } })).toEqual({ value: { tag: ['a', 'b'] } })
    for (const tag of [{}, { 0: 'a', x: 'b' }, { '-1': 'a' }, { '1.5': 'a' }]) {
      expect(validate({ tag })).toMatchObject({ issues: [{ path: ['tag'] }] })
    }
  })

  it.each<[string, JsonSchema, unknown, unknown]>([
    ['a union with null', { anyOf: [NAMED, { type: 'null' }] }, 'a', ['a']],
    ['a part of allOf', { allOf: [{ minItems: 1 }, NAMED] }, 'a', ['a']],
    ['a list of lists', { type: 'array', items: LIST }, ['a', ['b']], [['a'], ['b']]],
    [
      'a property of items',
      { type: 'array', items: { type: 'object', properties: { a: LIST } } },
      { 0: { a: 'x' }, 1: {} },
      [{ a: ['x'] }, {}],
    ],
    [
      'other properties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: LIST },
      { a: 'x', b: 'y' },
      { a: 'x', b: ['y'] },
    ],
  ])('is created in each place of a list: %s', async (_, schema, given, expected) => {
    const converter = () => ({ type: 'object', properties: { v: schema }, $defs: { List: LIST } })
    const validate = await createValidatorCompiler({ yup: converter })(yup, 'query')
    expect(validate({ v: given })).toEqual({ value: { v: expected } })
  })
})
