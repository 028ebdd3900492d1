import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { compileZod } from '../../src/schema/compile-zod.js'

const Item = z.object({ sku: z.string().trim().min(1), quantity: z.int().min(1).default(1) })
const Order = z.object({
  email: z.email().toLowerCase(),
  items: z.array(Item).min(1).max(3),
  kind: z.discriminatedUnion('is', [
    z.object({ is: z.literal('gift'), note: z.string().optional() }),
    z.strictObject({ is: z.literal('sale'), total: z.coerce.number().catch(0) }),
  ]),
  tags: z.record(z.string(), z.union([z.boolean(), z.null()])).optional(),
})
const valid = {
  email: 'Ada@Example.com',
  items: [{ sku: ' a ', unknown: 1 }],
  kind: { is: 'sale', total: '7' },
  tags: { hot: true, cold: null },
}

describe('compileZod', () => {
  it.each([
    ['a valid value', valid],
    ['an empty object', {}],
    ['a string instead of an object', 'text'],
    ['undefined', undefined],
    ['nested errors', { ...valid, items: [{ sku: '' }, { sku: 'b', quantity: 1.5 }] }],
    ['too many items', { ...valid, items: Array.from({ length: 4 }, () => ({ sku: 'a' })) }],
    ['an unknown key of a strict object', { ...valid, kind: { is: 'sale', more: 1 } }],
    ['an unknown discriminator', { ...valid, kind: { is: 'loan' } }],
    ['keys that reach prototypes', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    ['NaN', { ...valid, items: [{ sku: 'a', quantity: Number.NaN }] }],
  ])(
    'creates a validator that returns the same result as the schema for %s',
    async (_name, value) => {
      const validate = await compileZod(Order)
      const { issues, ...rest } = await Order['~standard'].validate(value)
      const expected = issues?.map(({ path, message }) => ({ path, message }))
      expect(await validate?.(value)).toEqual({ ...rest, ...(expected && { issues: expected }) })
    },
  )

  it('creates a validator that returns new values, and does not change its input', async () => {
    const given = structuredClone(valid)
    const result = (await (await compileZod(Order))?.(given)) as { value: typeof valid }
    expect(given).toEqual(valid)
    expect(result.value.items).not.toBe(given.items)
    expect(result.value.items).toEqual([{ sku: 'a', quantity: 1 }])
  })

  it('keeps the error messages of the schema', async () => {
    const Named = z.object({ a: z.string({ error: 'Give a name' }) })
    const result = await (await compileZod(Named))?.({})
    expect(result?.issues?.[0]?.message).toBe('Give a name')
  })

  it('compiles schemas of zod/mini', async () => {
    const validate = await compileZod(mini.object({ a: mini.string() }))
    expect(await validate?.({ a: 'x', b: 1 })).toEqual({ value: { a: 'x' } })
  })

  it('compiles a recursive schema', async () => {
    const Tree = z.object({
      id: z.number(),
      get nodes() {
        return z.array(Tree)
      },
    })
    const tree = { id: 1, nodes: [{ id: 2, nodes: [] }] }
    expect(await (await compileZod(Tree))?.(tree)).toEqual({ value: tree })
  })

  it('does not read the properties of a schema before the first value is validated', async () => {
    let asked = 0
    const Lazy = z.object({
      get a() {
        asked++
        return z.string()
      },
    })
    const before = asked
    const validate = await compileZod(Lazy)
    expect(asked).toBe(before)
    expect(await validate?.({ a: 'x' })).toEqual({ value: { a: 'x' } })
  })

  it('creates a validator that calls each callback once, even for an invalid value', async () => {
    const Tagged = z.preprocess(
      (value) => {
        const given = value as { tags: unknown }
        given.tags = (given.tags as string).split(',')
        return given
      },
      z.object({ tags: z.array(z.string()), n: z.number() }),
    )
    const result = await (await compileZod(Tagged))?.({ tags: 'a,b', n: 'none' })
    expect(result?.issues?.map(({ path }) => path)).toEqual([['n']])
  })

  it.each([
    ['another library', v.object({ a: v.string() })],
    [
      'an older zod version',
      { ...mini.string(), _zod: { version: { major: 4, minor: 0, patch: 0 } } },
    ],
  ])('returns undefined for schemas of %s', async (_name, schema) => {
    expect(await compileZod(schema)).toBeUndefined()
  })
})
