import { type } from 'arktype'
import type { Schema } from 'blazon'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'

const validatorOf = (schema: Schema) => createValidatorCompiler()(schema, 'body')

/** More than the issues after which a library stops. */
const MANY = 3000

describe('a validator that has rejected a long list', () => {
  it.each<[string, Schema]>([
    ['zod', z.array(z.object({ a: z.string() }))],
    ['zod with a callback', z.array(z.object({ a: z.string() })).refine(() => true)],
    ['zod, asynchronous', z.array(z.object({ a: z.string() })).refine(async () => true)],
    ['zod, a tuple', z.tuple([z.unknown()], z.object({ a: z.string() }))],
    ['zod/mini', mini.array(mini.object({ a: mini.string() }))],
    ['valibot', v.array(v.object({ a: v.string() }))],
    ['arktype', type({ a: 'string' }).array()],
    ['JSON Schema', { items: { properties: { a: { type: 'string' } } } }],
  ])('finds all issues in the next values: %s', async (_library, schema) => {
    const validate = await validatorOf(schema)
    const few = [{ a: 'x' }, { a: 1 }, { a: 'x' }, { a: 2 }, { a: 3 }]
    for (const _time of ['first', 'second']) {
      const many = Array.from({ length: MANY }, () => ({ a: 1 }))
      expect((await validate(many)).issues).toHaveLength(20)
      const { issues } = await validate(structuredClone(few))
      expect(issues?.map(({ path }) => path.map(String).join('.'))).toEqual(['1.a', '3.a', '4.a'])
    }
    expect((await validate([{ a: 'x' }])).issues).toBeUndefined()
  })
})

describe('a large valid value whose validation takes many steps', () => {
  const Node = z.object({
    get children() {
      return z.array(Node)
    },
  })
  const node = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  }
  /** The work of zod is counted below 16 levels. */
  const deep = (children: object[], levels = 20): object =>
    levels === 0 ? { children } : deep([{ children }], levels - 1)
  const value = deep(Array.from({ length: 60_000 }, () => ({ children: [] })))

  it.each<[string, Schema]>([
    ['zod', Node.refine(() => true)],
    ['JSON Schema', { $ref: '#/$defs/node', $defs: { node } }],
  ])('is accepted each time it is validated: %s', async (_name, schema) => {
    const validate = await validatorOf(schema)
    for (const _time of ['first', 'second', 'third']) {
      expect((await validate(value)).issues).toBeUndefined()
    }
  })
})
