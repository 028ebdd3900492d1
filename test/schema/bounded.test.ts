import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type } from 'arktype'
import type { Schema } from 'blazon'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { ValidationResult } from '../../src/contracts/schema.js'
import { findTwins } from '../../src/schema/ajv/own-keywords.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { rounds } from '../rounds.js'

const MANY = 20_000

const NAMES = 'abcdefghijklmno'.split('')

async function validate(schema: Schema, value: unknown): Promise<ValidationResult> {
  return await (await createValidatorCompiler()(schema, 'body'))(value)
}

const issuesOf = async (schema: Schema, value: unknown) => (await validate(schema, value)).issues

/** Many objects that count how often they are read. */
function watched(a: unknown) {
  const seen = { reads: 0 }
  const get = () => {
    seen.reads++
    return a
  }
  const items = Array.from({ length: MANY }, () =>
    Object.defineProperty({}, 'a', { get, enumerable: true, configurable: true }),
  )
  return { items, seen }
}

const lists: [string, Schema][] = [
  ['zod', z.array(z.object({ a: z.string() }))],
  ['zod with a callback', z.array(z.object({ a: z.string() })).refine(() => true)],
  ['zod, asynchronous', z.array(z.object({ a: z.string() })).refine(async () => true)],
  [
    'zod, a list inside lazy, nullable and default',
    z.lazy(() =>
      z
        .array(z.object({ a: z.string() }))
        .nullable()
        .default([]),
    ),
  ],
  ['zod, a tuple', z.tuple([z.unknown()], z.object({ a: z.string() }))],
  ['zod, alternatives', z.array(z.union([z.object({ a: z.string() }), z.object({ a: z.null() })]))],
  ['zod/mini', mini.array(mini.object({ a: mini.string() }))],
  ['valibot', v.array(v.object({ a: v.string() }))],
  ['arktype', type({ a: 'string' }).array()],
  ['JSON Schema', { items: { properties: { a: { type: 'string' } } } }],
  [
    'JSON Schema, a reference',
    { items: { $ref: '#/$defs/a' }, $defs: { a: { properties: { a: { type: 'string' } } } } },
  ],
  ['JSON Schema, a tuple', { prefixItems: [{}], items: { properties: { a: { type: 'string' } } } }],
]

describe('a long list', () => {
  it.each(lists)(
    'is not read to the end if all its items are invalid: %s',
    async (_library, schema) => {
      const { items, seen } = watched(1)
      const issues = await issuesOf(schema, items)
      expect(issues).toHaveLength(20)
      // Valibot itself stops after 2,000 issues.
      expect(seen.reads).toBeLessThan(6500)
    },
  )

  it.each(lists)(
    'results in the same issues as its first 21 items if all items are invalid: %s',
    async (_library, schema) => {
      const { items } = watched(1)
      expect(await issuesOf(schema, items)).toEqual(await issuesOf(schema, items.slice(0, 21)))
    },
  )

  it.each(lists)('is accepted if all items are valid: %s', async (_library, schema) => {
    const { items } = watched('x')
    const { value } = (await validate(schema, items)) as { value?: unknown[] }
    expect(value).toHaveLength(MANY)
  })

  it.each(lists)('is refused if only its last item is invalid: %s', async (_library, schema) => {
    const items: unknown[] = Array.from({ length: 300 }, () => ({ a: 'x' }))
    items[299] = { a: 1 }
    const issues = await issuesOf(schema, items)
    expect(issues?.[0]?.path[0]?.toString()).toBe('299')
  })

  it('is checked with one refinement call per item, and with no call after 20 issues', async () => {
    const calls = new Map<unknown, number>()
    const item = z.number().refine((n) => {
      calls.set(n, (calls.get(n) ?? 0) + 1)
      return false
    })
    const issues = await issuesOf(
      z.array(item),
      Array.from({ length: MANY }, (_, n) => n),
    )
    expect(issues).toHaveLength(20)
    expect([...calls.keys()]).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(new Set(calls.values())).toEqual(new Set([1]))
  })

  it('is checked without starting the asynchronous checks of all items at once', async () => {
    let calls = 0
    const item = z.number().refine(async () => {
      calls++
      return false
    })
    const items = Array.from({ length: MANY }, (_, n) => n)
    expect(await issuesOf(z.array(item), items)).toHaveLength(20)
    expect(calls).toBeLessThan(250)
  })

  it('is not passed to the refinement of the list if its items are invalid', async () => {
    const Dates = z
      .array(
        z
          .string()
          .min(3)
          .transform((text) => new Date(text)),
      )
      .refine((dates) => dates.every((date) => date.getTime() > 0))
    expect(
      await issuesOf(
        Dates,
        Array.from({ length: 100 }, () => ''),
      ),
    ).toHaveLength(20)
  })
})

describe('records with many properties', () => {
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n]))
  it.each([
    ['zod', z.record(z.string(), z.string())],
    ['zod, invalid keys', z.record(z.string().min(9), z.number())],
    ['zod with a refinement', z.record(z.string(), z.string()).refine(() => true)],
    [
      'zod, asynchronous',
      z.record(
        z.string(),
        z.string().refine(async () => true),
      ),
    ],
    ['valibot', v.record(v.string(), v.string())],
    ['arktype', type({ '[string]': 'string' })],
    ['JSON Schema', { additionalProperties: { type: 'string' } }],
    ['JSON Schema, propertyNames', { propertyNames: { minLength: 9 } }],
    ['JSON Schema, patternProperties', { patternProperties: { '^n': { type: 'string' } } }],
  ] as [string, Schema][])(
    'are refused with only their first 20 issues: %s',
    async (_library, schema) => {
      const issues = await issuesOf(schema, names(1000))
      expect(issues).toEqual(await issuesOf(schema, names(20)))
      expect(issues).toHaveLength(20)
    },
  )

  it('keep the order of their properties, and are passed to their refinement with all properties', async () => {
    let seen = 0
    const schema = z.record(z.string(), z.coerce.number()).refine((all) => {
      seen = Object.keys(all).length
      return true
    })
    const { value } = (await validate(schema, names(1000))) as { value: object }
    expect(Object.keys(value)).toEqual(Object.keys(names(1000)))
    expect(seen).toBe(1000)
  })

  it('are parsed with the same result as in zod itself if their keys are numbers', async () => {
    const schema = z.record(z.number(), z.string()).refine(() => true)
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, 'x']))
    expect(await issuesOf(schema, value)).toBeUndefined()
    expect(await issuesOf(schema, { ...value, last: 'x' })).toHaveLength(1)
  })
})

test('validation does not change a zod schema', async () => {
  const item = z.object({ a: z.string() })
  const schema = z.array(item).refine(() => true)
  const { items } = watched(1)
  await validate(schema, items)
  expect(schema.safeParse(items).error?.issues).toHaveLength(MANY)
  expect(schema.element).toBe(item)
})

test('`contains` finds a matching item after many items that do not match', async () => {
  const items: unknown[] = Array.from({ length: MANY }, () => 1)
  expect(await issuesOf({ contains: { type: 'string' } }, [...items, 'x'])).toBeUndefined()
  expect(await issuesOf({ contains: { type: 'string' } }, items)).toHaveLength(20)
  const both = { contains: { type: 'string' }, items: { enum: [1, 'x'] }, minItems: 9 ** 9 }
  expect(await issuesOf(both, [...items, 'x'])).toHaveLength(1)
})

test('no error is reported for a failed alternative if another alternative matches', async () => {
  const schema = {
    anyOf: [{ items: { type: 'string' } }, { items: { type: 'number' } }],
    maxItems: 1,
  }
  const messages = (await issuesOf(schema, Array(100).fill(1)))?.map(({ message }) => message)
  expect(messages).toEqual(['must NOT have more than 1 items'])
})

test('validation limits the work for nested alternatives', async () => {
  const tree = {
    $ref: '#/$defs/tree',
    $defs: {
      tree: {
        anyOf: ['left', 'right'].map((side) => ({
          properties: { child: { $ref: '#/$defs/tree' } },
          required: [side],
        })),
      },
    },
  }
  let value: object = {}
  for (let depth = 0; depth < 60; depth++) value = { child: value, left: 1 }
  await expect(validate(tree, value)).rejects.toMatchObject({
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  })
  // The next validation starts its count from zero.
  expect(await issuesOf(tree, { left: 1 })).toBeUndefined()
})

test.each<[string, Schema]>([
  ['zod', z.object(Object.fromEntries(NAMES.map((name) => [name, z.string()])))],
  ['valibot', v.object(Object.fromEntries(NAMES.map((name) => [name, v.string()])))],
  ['arktype', type(Object.fromEntries(NAMES.map((name) => [name, 'string'])))],
  ['JSON Schema', { type: 'object', required: NAMES }],
])('each of many invalid values has all of its issues: %s', async (_library, schema) => {
  const check = await createValidatorCompiler()(schema, 'body')
  for (let n = 0; n < 300; n++) expect((await check({})).issues).toHaveLength(NAMES.length)
})

test('the work for earlier values does not count for later values of a JSON Schema', async () => {
  const schema = {
    items: { $ref: '#/$defs/item' },
    maxItems: MANY - 1,
    $defs: { item: { properties: { a: { $ref: '#/$defs/item' } } } },
  }
  const check = await createValidatorCompiler()(schema, 'body')
  const list = Array.from({ length: MANY }, () => ({ a: 'x' }))
  for (const _time of ['first', 'second', 'third', 'fourth']) {
    expect((await check(list)).issues).toHaveLength(1)
  }
})

test('errors that a callback throws do not limit later values', async () => {
  let isBroken = true
  const item = z.string().refine(() => {
    if (isBroken) throw new Error('no database')
    return true
  })
  const check = await createValidatorCompiler()(z.array(z.array(item)), 'body')
  for (let n = 0; n < 20; n++) {
    await expect((async () => check([['x']]))()).rejects.toThrow('no database')
  }
  isBroken = false
  const list = Array.from({ length: 60_000 }, () => ['x'])
  expect((await check(list)).issues).toBeUndefined()
})

const CODES = Array.from({ length: 250 }, (_, n) => `C${n}`)

test.each<[string, Schema]>([
  ['zod', z.array(z.union(CODES.map((code) => z.literal(code))))],
  ['zod, refined', z.array(z.union(CODES.map((code) => z.literal(code)))).refine(() => true)],
  ['valibot', v.array(v.union(CODES.map((code) => v.literal(code))))],
  ['arktype', type.enumerated(...CODES).array()],
  ['JSON Schema', { items: { anyOf: CODES.map((code) => ({ const: code })) } }],
])(
  'a long list is accepted if each item matches one of many alternatives: %s',
  async (_library, schema) => {
    const list = [...CODES, ...CODES, ...CODES, ...CODES]
    expect(await validate(schema, list)).toEqual({ value: list })
  },
)

test('validation limits the work for nested valibot alternatives, for each kind of recursion', async () => {
  interface Node {
    child?: Node
    left?: number
    right?: number
  }
  const lazy: v.GenericSchema<Node> = v.lazy(() => {
    const child = v.optional(lazy)
    return v.union([
      v.object({ child, left: v.string() }),
      v.object({ child, right: v.string() }),
    ]) as never
  })
  const getters = v.union(
    ['left', 'right'].map((side) =>
      v.object({
        get child(): v.GenericSchema {
          return v.optional(getters)
        },
        [side]: v.string(),
      }),
    ),
  ) as v.GenericSchema
  let value: object = {}
  for (let depth = 0; depth < 60; depth++) value = { child: value, left: 1 }
  for (const schema of [lazy, v.array(lazy), getters]) {
    const [sent, small] =
      schema.type === 'array' ? [[value], [{ left: 'x' }]] : [value, { left: 'x' }]
    const check = await createValidatorCompiler()(schema, 'body')
    for (const _time of ['first', 'second']) {
      await expect((async () => check(sent))()).rejects.toMatchObject({
        code: 'VALIDATION_TOO_COMPLEX',
      })
      expect((await check(small)).issues).toBeUndefined()
    }
  }
})

describe('uniqueItems', () => {
  const equal = createRequire(import.meta.url)('ajv/dist/runtime/equal.js').default as (
    a: unknown,
    b: unknown,
  ) => boolean
  const scalar = fc.constantFrom(
    0,
    -0,
    1,
    1.5,
    '1',
    '',
    'a',
    true,
    false,
    null,
    'true',
    'null',
    '{}',
  )
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('json')),
      fc.dictionary(fc.constantFrom('a', 'b', '"', 'a:1'), tie('json'), { noNullPrototype: true }),
    ),
  }))

  it('reports the same pair of equal items as Ajv, which compares all pairs', () => {
    const pairOf = (items: readonly unknown[]) => {
      for (let i = items.length - 1; i > 0; i--) {
        for (let j = i - 1; j >= 0; j--) if (equal(items[i], items[j])) return [i, j]
      }
      return undefined
    }
    fc.assert(
      fc.property(fc.array(json, { maxLength: 12 }), (items) => {
        expect(findTwins(items)).toEqual(pairOf(items))
      }),
    )
  })

  const plain = new Ajv2020({ allErrors: true, strict: false })
  it.each([
    ['anything', {}],
    ['strings', { type: 'string' }],
    ['numbers or null', { type: ['number', 'null'] }],
  ])('reports the same error as Ajv for lists of %s', async (_what, items) => {
    const schema = { type: 'array', uniqueItems: true, items }
    const check = plain.compile(schema)
    await fc.assert(
      fc.asyncProperty(fc.array(scalar, { maxLength: 8 }), async (list) => {
        fc.pre(plain.validate({ items }, list))
        const expected = check(list) ? undefined : check.errors?.map(({ message }) => message)
        expect((await issuesOf(schema, list))?.map(({ message }) => message)).toEqual(expected)
      }),
      { numRuns: rounds(100, 10) },
    )
  })

  it('compares properties that are named like inherited members, such as `toString`', async () => {
    const twins = () => [{ valueOf: 1 }, { toString: 2 }, { constructor: 3 }]
    expect(await issuesOf({ uniqueItems: true }, twins())).toBeUndefined()
    expect(await issuesOf({ uniqueItems: true }, [...twins(), ...twins()])).toHaveLength(1)
  })
})

test('validation with a JSON Schema reports the same first 20 errors as Ajv', async () => {
  const leaf = fc.constantFrom<object>(
    { type: 'string' },
    { minimum: 2 },
    { required: ['a', 'b'] },
    { enum: [1] },
    { maxItems: 1 },
  )
  const { schema } = fc.letrec((tie) => {
    const sub = tie('schema') as fc.Arbitrary<object>
    const subs = fc.array(sub, { minLength: 1, maxLength: 3 })
    return {
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        sub.map((items) => ({ items })),
        sub.map((additionalProperties) => ({ additionalProperties })),
        sub.map((a) => ({ properties: { a }, unevaluatedProperties: false })),
        sub.map((propertyNames) => ({ propertyNames })),
        sub.map((not) => ({ not })),
        fc.record({ contains: sub, items: sub }),
        fc.record({ if: sub, then: sub, else: sub }),
        subs.map((anyOf) => ({ anyOf })),
        subs.map((oneOf) => ({ oneOf })),
        subs.map((allOf) => ({ allOf })),
      ),
    }
  })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(1, 3, 'x', null),
      fc.array(tie('value'), { maxLength: 30 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(schema, value, async (json, data) => {
      const check = new Ajv2020({ allErrors: true, strict: false }).compile(json as object)
      const expected = check(data) ? undefined : check.errors?.slice(0, 20).map((e) => e.message)
      expect((await issuesOf(json as Schema, data))?.map(({ message }) => message)).toEqual(
        expected,
      )
    }),
    { numRuns: rounds(60, 6) },
  )
})
