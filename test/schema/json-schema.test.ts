import { describe, expect, it } from 'vitest'
import type { ValidationIssue } from '../../src/contracts/schema.js'
import { createJsonSchemaCompiler } from '../../src/schema/json-schema.js'

const object = { type: 'object', properties: { size: { type: 'integer', default: 1 } } }

describe('createJsonSchemaCompiler', () => {
  it('compiles a validator that does not coerce a body', async () => {
    const validate = await createJsonSchemaCompiler()(object, 'body')
    expect(validate({ size: 2 })).toEqual({ value: { size: 2 } })
    expect(validate({ size: '2' })).toEqual({
      issues: [{ path: ['size'], message: 'must be integer' }],
    })
  })

  it.each(['params', 'query', 'headers'] as const)(
    'compiles a validator that coerces a copy of the %s',
    async (source) => {
      const validate = await createJsonSchemaCompiler()(object, source)
      const sent = Object.freeze({ size: '2' })
      expect(validate(sent)).toEqual({ value: { size: 2 } })
      expect(validate(Object.freeze({}))).toEqual({ value: { size: 1 } })
    },
  )

  it('compiles a validator that reports every error with its path', async () => {
    const schema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'string' } },
        'a/b~1c': { type: 'null' },
      },
      required: ['name'],
      additionalProperties: false,
    }
    const validate = await createJsonSchemaCompiler()(schema, 'body')
    const { issues } = (await validate({ list: [1, 'a', 2], 'a/b~1c': 1, extra: 1 })) as {
      issues: readonly ValidationIssue[]
    }
    expect(issues.map(({ path }) => path)).toEqual([
      ['name'],
      ['extra'],
      ['list', '0'],
      ['list', '2'],
      ['a/b~1c'],
    ])
  })

  it('compiles a validator that reports names with tildes as they were sent', async () => {
    const schema = { properties: { '~1': { type: 'null' }, '~0/': { type: 'null' } } }
    const validate = await createJsonSchemaCompiler()(schema, 'body')
    const issues = [['~1'], ['~0/']].map((path) => ({ path, message: 'must be null' }))
    expect(validate({ '~1': 1, '~0/': 1 })).toEqual({ issues })
  })

  it.each<[object, unknown, unknown]>([
    [{ enum: [1, null] }, '1', 1],
    [{ enum: [1, null] }, '', null],
    [{ const: null }, '', null],
    [{ enum: [true, 2] }, 'true', true],
    [{ enum: [1, '1'] }, '1', '1'],
  ])(
    'compiles a validator that converts a text to the constants of %j',
    async (size, text, value) => {
      const schema = { type: 'object', properties: { size } }
      const validate = await createJsonSchemaCompiler()(schema, 'query')
      expect(validate({ size: text })).toEqual({ value: { size: value } })
    },
  )

  it.each<[string, unknown, readonly unknown[], readonly unknown[]]>([
    ['a list', [1, [2]], [[1, [2]]], [{ 0: 1, 1: [2] }, [1], [1, [2], 3], [1, [3]]]],
    ['an object', { a: 1, b: {} }, [{ b: {}, a: 1 }], [{ a: 1 }, { a: 1, b: {}, c: 1 }, [], null]],
    ['an empty object', {}, [{}], [[], null, { a: undefined }]],
    ['a number', 0, [0, -0], ['0', false, null]],
  ])('compares a constant as data: %s', async (_, constant, right, wrong) => {
    for (const schema of [{ const: constant }, { enum: ['other', constant] }]) {
      const validate = await createJsonSchemaCompiler()(schema, 'body')
      for (const value of right) expect(validate(value)).toEqual({ value })
      for (const value of wrong) expect(validate(value)).toHaveProperty('issues')
    }
  })

  it('compiles a validator whose results do not affect each other', async () => {
    const validate = await createJsonSchemaCompiler()(object, 'body')
    const first = validate({ size: 'x' })
    expect(validate({ size: 1 })).toEqual({ value: { size: 1 } })
    expect(first).toMatchObject({ issues: [{ path: ['size'] }] })
  })

  it('compiles a validator that rejects an absent value', async () => {
    const validate = await createJsonSchemaCompiler()(object, 'body')
    expect(validate(undefined)).toEqual({ issues: [{ path: [], message: 'must be object' }] })
  })

  it.each([
    [{ type: 'strng' }, /must be equal to one of the allowed values/],
    [{ $ref: '#/nowhere' }, /can't resolve reference/],
    [{ $schema: 'https://example.com/draft' }, /no schema with key or ref/],
    [{ type: 'array', items: [{ type: 'strng' }] }, /items must be object,boolean/],
  ])('rejects the invalid schema %j', async (schema, message) => {
    await expect(createJsonSchemaCompiler()(schema, 'body')).rejects.toThrow(message)
  })

  it('treats a list of schemas in `items` as a tuple', async () => {
    const schema = { type: 'array', items: [{ type: 'string' }], additionalItems: false }
    const validate = await createJsonSchemaCompiler()(schema, 'body')
    expect(validate(['a'])).toEqual({ value: ['a'] })
    expect(validate([1])).toMatchObject({ issues: [{ path: ['0'] }] })
    expect(validate(['a', 'b'])).toMatchObject({ issues: [{ path: [] }] })
  })

  it('allows two compilers to compile different schemas with the same $id', async () => {
    const [first, second] = [createJsonSchemaCompiler(), createJsonSchemaCompiler()]
    await first({ $id: 'a', type: 'string' }, 'body')
    const validate = await second({ $id: 'a', type: 'number' }, 'body')
    expect(validate(1)).toEqual({ value: 1 })
  })
})
