import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Schema } from '../../src/contracts/schema.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { KeyedSchema } from '../../src/schema/composed-schemas.js'

const SCHEMAS = [
  ['zod', z.object({ a: z.string() })],
  ['valibot', v.object({ a: v.string() })],
  ['arktype', type({ a: 'string' })],
  ['TypeBox', Type.Object({ a: Type.String() })],
  ['JSON Schema', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
] as const

describe('the validator of separate keys', () => {
  const compiled = (schema: Schema) =>
    createValidatorCompiler()(
      new KeyedSchema([['n', schema]], {
        isOpen: false,
        createCompiler: () => createValidatorCompiler(),
      }),
      'query',
    )

  it('refuses a text that becomes an infinite number', async () => {
    const validate = await compiled(v.pipe(v.string(), v.toNumber()))
    expect(await validate({ n: '15' })).toEqual({ value: { n: 15 } })
    expect(await validate({ n: '1e400' })).toEqual({
      issues: [{ path: ['n'], message: 'must be a finite number' }],
    })
  })

  it('uses a default only for an absent value, not for null', async () => {
    const validate = await compiled({ type: ['integer', 'null'], default: 7 })
    expect(await validate({})).toEqual({ value: { n: 7 } })
    expect(await validate({ n: null })).toEqual({ value: { n: null } })
    expect(await validate({ n: '' })).toEqual({ value: { n: null } })
  })

  it('creates a new default for each value', async () => {
    const validate = await compiled({ type: 'array', items: {}, default: ['a'] })
    const { value } = (await validate({})) as { value: { n: string[] } }
    value.n.push('b')
    expect(await validate({})).toEqual({ value: { n: ['a'] } })
  })
})

describe('createValidatorCompiler', () => {
  it.each(SCHEMAS)(
    'compiles a %s schema to a function that returns its result synchronously',
    async (_, schema) => {
      const validate = await createValidatorCompiler()(schema, 'body')
      expect(validate({ a: 'b' })).toEqual({ value: { a: 'b' } })
      expect(validate({ a: 1 })).toMatchObject({ issues: [{ path: ['a'] }] })
    },
  )
})
