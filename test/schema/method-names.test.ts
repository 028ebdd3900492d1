import { type } from 'arktype'
import { Body, Controller, defineControllers, Post, type Schema } from 'blazon'
import { TestApp } from 'blazon/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** Names of methods that libraries call on values to compare, convert or print them. */
const NAMES =
  'valueOf toString toJSON toLocaleString constructor hasOwnProperty then length size next isPrototypeOf message'.split(
    ' ',
  )
const ODD = Object.fromEntries(NAMES.map((name) => [name, 1]))

const json = (value: object) => ({ type: 'object', properties: { value }, required: ['value'] })
const SCHEMAS: Readonly<Record<string, Schema>> = {
  'const of JSON Schema': json({ const: { a: 1 } }),
  'enum of JSON Schema': json({ enum: [{ a: 1 }, 'b', null] }),
  'const of a list': json({ const: [{ a: 1 }] }),
  'uniqueItems of JSON Schema': json({ type: 'array', uniqueItems: true }),
  'types of JSON Schema': json({ type: ['string', 'number', 'array'], format: 'date' }),
  'anyOf of JSON Schema': json({ anyOf: [{ const: { a: 1 } }, { type: 'string' }] }),
  'discriminator of zod': z.object({
    value: z.discriminatedUnion('valueOf', [z.object({ valueOf: z.literal('a') })]),
  }),
  'coercion of zod': z.object({
    value: z.union([z.coerce.number(), z.coerce.date(), z.coerce.bigint()]),
  }),
  'literals of zod': z.object({ value: z.union([z.literal('a'), z.enum(['b']), z.date()]) }),
  'records of zod': z.object({ value: z.record(z.string().regex(/^x/), z.string()) }),
  'intersections of zod': z.object({
    value: z.intersection(z.object({ valueOf: z.string() }), z.object({ toString: z.string() })),
  }),
  'lists of zod': z.object({ value: z.array(z.string()).or(z.set(z.string())) }),
  'literals of valibot': v.object({
    value: v.union([v.literal('a'), v.picklist(['b']), v.date()]),
  }),
  'variants of valibot': v.object({
    value: v.variant('valueOf', [v.object({ valueOf: v.literal('a') })]),
  }),
  'intersections of valibot': v.object({
    value: v.intersect([v.object({ valueOf: v.string() }), v.object({ toString: v.string() })]),
  }),
  'alternatives of arktype': type({ value: "'a' | string.date | number[]" }),
  'objects of arktype': type({ value: { valueOf: 'string', 'toString?': 'string' } }),
}

const EACH = NAMES.map((name) => ({ [name]: 1 }))
const VALUES: readonly unknown[] = [ODD, ...EACH].flatMap((odd) => [
  odd,
  [odd, odd],
  [odd],
  { a: odd },
  { ...odd, a: 1 },
])

describe('method names as properties of a body', () => {
  it.each(Object.entries(SCHEMAS))('do not cause a server error: %s', async (_, schema) => {
    @Controller('things')
    class ThingsController {
      @Post()
      @Body(schema)
      create() {
        return 'made'
      }
    }
    await using app = await TestApp.create({
      controllers: defineControllers(ThingsController),
      contract: 'off',
    })
    const statuses: number[] = []
    for (const value of VALUES) {
      const { status } = await app.request().post('/things').send({ value })
      statuses.push(status)
    }
    expect(statuses.filter((status) => status !== 400 && status !== 200)).toEqual([])
  })
})
