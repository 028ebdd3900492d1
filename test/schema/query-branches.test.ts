import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'

const compile = createValidatorCompiler()
const list = z.object({ kind: z.string().optional(), tag: z.array(z.string()) })
const text = z.object({ kind: z.string().optional(), tag: z.string() })
const none = z.object({ q: z.string() })

describe('a parameter that is a list in one branch of a union', () => {
  it.each([
    ['a string in the first branch', z.union([text, list])],
    ['a string in the last branch', z.union([list, text])],
    ['a string in a branch between two lists', z.union([list, text, list])],
    ['a string in a nested union', z.union([list, z.union([z.object({ other: z.int() }), text])])],
    [
      'also a literal string beside `null`',
      z.object({ tag: z.union([z.array(z.string()), z.literal([null, 'a'])]) }),
    ],
    [
      'a string in one part of an intersection',
      z.intersection(z.object({ tag: z.string() }), z.union([none, text])),
    ],
  ])('stays a string if it is %s', async (_, schema) => {
    const validate = await compile(schema, 'query')
    expect(validate({ tag: 'a', q: 'b' })).toMatchObject({ value: { tag: 'a' } })
  })

  it.each([
    ['absent from the first branch', z.union([none, list])],
    ['absent from the last branch', z.union([list, none])],
    ['a list in both branches', z.union([list, list.extend({ q: z.string() })])],
    ['nullable', z.union([none, z.object({ tag: z.array(z.string()).nullable() })])],
  ])('is converted to a list if it is %s', async (_, schema) => {
    const validate = await compile(schema, 'query')
    expect(validate({ tag: 'a' })).toEqual({ value: { tag: ['a'] } })
    expect(validate({ tag: ['a', 'b'] })).toEqual({ value: { tag: ['a', 'b'] } })
  })

  it('is converted without a change to the query object', async () => {
    const validate = await compile(z.union([none, list]), 'query')
    const query = Object.freeze({ tag: 'a' })
    expect(validate(query)).toEqual({ value: { tag: ['a'] } })
    expect(query).toEqual({ tag: 'a' })
  })
})
