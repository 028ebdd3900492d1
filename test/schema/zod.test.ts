import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { zodValidate } from '../../src/schema/standard-schema.js'

const isTrue = async () => true

describe('zodValidate', () => {
  it.each([
    ['an object', z.object({ a: z.string().min(2).trim(), b: z.coerce.number().default(1) })],
    ['formats', z.object({ a: z.email({ error: () => 'no' }), b: z.iso.datetime(), c: z.uuid() })],
    [
      'unions',
      z.discriminatedUnion('a', [z.object({ a: z.literal(1) }), z.object({ a: z.null() })]),
    ],
    ['containers', z.record(z.string(), z.array(z.tuple([z.enum(['x']), z.boolean()])))],
    ['defaults that are computed', z.object({ at: z.date().default(() => new Date()) })],
    ['fallbacks', z.object({ a: z.number().catch(0).optional().readonly() })],
    [
      'strict objects of zod/mini',
      mini.strictObject({ a: mini.string().check(mini.minLength(1)) }),
    ],
  ])('returns undefined for a schema that zod parses synchronously: %s', (_name, schema) => {
    expect(zodValidate(schema)).toBeUndefined()
  })

  it.each([
    ['refine', z.string().refine(isTrue)],
    ['superRefine', z.string().superRefine(async () => {})],
    ['check', z.string().check(async () => {})],
    ['transform', z.string().transform(async (text) => text)],
    ['preprocess', z.preprocess(async (text) => text, z.promise(z.string()))],
    ['codec', z.codec(z.string(), z.string(), { decode: async (a) => a, encode: async (a) => a })],
    ['custom', z.custom<string>(isTrue)],
    ['lazy', z.lazy(() => z.string().refine(isTrue))],
    [
      'a deeply nested refined field',
      z.object({ a: z.array(z.object({ b: z.string().refine(isTrue) })) }),
    ],
    ['a refined catchall', z.object({}).catchall(z.string().refine(isTrue))],
    ['a refined union', z.union([z.number(), z.string().refine(isTrue)])],
    ['refine of zod/mini', mini.string().check(mini.refine(isTrue))],
  ])('returns an asynchronous validator for a schema with %s', (_name, schema) => {
    expect(zodValidate(schema)).toBeTypeOf('function')
  })

  it('visits recursive schemas once', () => {
    const Tree = z.object({
      id: z.number(),
      get nodes() {
        return z.array(Tree)
      },
    })
    expect(zodValidate(Tree)).toBeUndefined()
  })

  it('ignores schemas of other libraries', () => {
    expect(zodValidate(v.pipeAsync(v.string(), v.checkAsync(isTrue)))).toBeUndefined()
  })

  it('runs an asynchronous refinement once per value', async () => {
    let runs = 0
    const schema = z.string().refine(async () => {
      runs++
      return true
    })
    await zodValidate(schema)?.('a')
    expect(runs).toBe(1)
  })
})
