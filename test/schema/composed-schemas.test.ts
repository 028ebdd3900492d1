import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { KeyedSchema, ListSchema } from '../../src/schema/composed-schemas.js'
import { describeOnce } from '../../src/schema/describe-schema.js'
import { MAX_ISSUES } from '../../src/schema/work-limit.js'

const keyed = (entries: ConstructorParameters<typeof KeyedSchema>[0]) =>
  new KeyedSchema(entries, { isOpen: false, createCompiler: () => createValidatorCompiler() })

describe('the schema of a list', () => {
  const list = new ListSchema(z.object({ id: z.coerce.number() }), 2, createValidatorCompiler())
  const validate = async (value: unknown) => await list['~standard'].validate(value)

  it('accepts at most its maximum of items, and converts each of them', async () => {
    expect(await validate([{ id: '1' }, { id: '2' }])).toEqual({ value: [{ id: 1 }, { id: 2 }] })
    expect(await validate([])).toEqual({ value: [] })
    expect(await validate([{ id: 1 }, { id: 2 }, { id: 3 }])).toEqual({
      issues: [{ message: 'must have at most 2 items' }],
    })
  })

  it('reports an invalid item with its index, and refuses any other value', async () => {
    expect(await validate([{ id: 1 }, { id: 'x' }])).toMatchObject({
      issues: [{ path: [1, 'id'] }],
    })
    for (const value of [{ length: 0 }, 'text', undefined]) {
      expect(await validate(value)).toEqual({ issues: [{ message: 'must be a list' }] })
    }
  })
})

describe('the schema of separate keys', () => {
  const validate = async (entries: Parameters<typeof keyed>[0], value: unknown) =>
    await keyed(entries)['~standard'].validate(value)

  it('leaves out absent optional keys and other keys, and accepts any value without a schema', async () => {
    const entries = [
      ['page', z.coerce.number()],
      ['sort', z.string().optional()],
      ['any', null],
    ] as const
    const { value } = (await validate(entries, { page: '1', x: 1 })) as { value: object }
    expect(value).toStrictEqual({ page: 1 })
    const sent = { page: '1', sort: 'a', any: null }
    expect(await validate(entries, sent)).toEqual({ value: { ...sent, page: 1 } })
  })

  it('reports the issues of each key with its name, up to a limit', async () => {
    const user = z.object({ name: z.string(), tags: z.array(z.string()) })
    const sent = { user: { tags: Array(200).fill(1) }, page: 'x' }
    const entries = [
      ['user', user],
      ['page', z.coerce.number()],
    ] as const
    const { issues = [] } = await validate(entries, sent)
    expect(issues[0]?.path).toEqual(['user', 'name'])
    expect(issues).toHaveLength(MAX_ISSUES)
    const both = await validate(entries, { user: { name: 'a', tags: [1] }, page: 'x' })
    expect(both.issues?.map(({ path }) => path)).toEqual([['user', 'tags', 0], ['page']])
  })

  it('rejects with the error of a key, while another key is still checked', async () => {
    const failing = (make: () => never) =>
      ({ '~standard': { version: 1, vendor: 'own', validate: make } }) as const
    const late = z.string().refine(() => Promise.reject(new Error('late')))
    const entries = [
      ['late', late],
      [
        'now',
        failing(() => {
          throw new Error('now')
        }),
      ],
    ] as const
    await expect(validate(entries, { late: 'a', now: 'b' })).rejects.toThrow(/late|now/)
  })

  it('cannot be changed', () => {
    const schema = keyed([['page', z.string()]])
    expect(() => Object.assign(schema.entries, { more: z.string() })).toThrow(TypeError)
    expect(() => Object.assign(schema, { isOpen: true })).toThrow(TypeError)
  })
})

describe('a schema of an unknown library inside another schema', () => {
  const own = {
    '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
  } as const

  it.each<[string, object]>([
    ['a list', new ListSchema(own, 2, createValidatorCompiler())],
    ['separate keys', keyed([['page', own]])],
  ])('is described by the converter of each application: %s', (_, schema) => {
    const describe = (text: string) =>
      describeOnce(schema, { side: 'input', converters: { own: () => ({ title: text }) } })
    expect(JSON.stringify(describe('first'))).toContain('first')
    expect(JSON.stringify(describe('second'))).toContain('second')
  })
})
