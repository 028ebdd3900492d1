import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'

const SCHEMAS = [
  ['zod', z.object({ a: z.string() })],
  ['valibot', v.object({ a: v.string() })],
  ['arktype', type({ a: 'string' })],
  ['TypeBox', Type.Object({ a: Type.String() })],
  ['JSON Schema', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
] as const

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
