import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeKept, describeSchema } from '../../src/schema/describe-schema.js'

const exampleOf = (schema: object) => describeSchema(schema, { side: 'input' })
const withExample = (schema: object, example: unknown) =>
  exampleOf({ ...schema, examples: [example] })

describe('examples and defaults in a schema', () => {
  const right: [object, unknown][] = [
    [{ type: 'integer', minimum: 1, maximum: 3 }, 3],
    [{ type: 'integer', minimum: 1 }, 1],
    [{ type: 'number', minimum: 1, exclusiveMaximum: 3 }, 2.9],
    [{ type: 'number', exclusiveMinimum: 0 }, 0.5],
    [{ type: 'string', minLength: 1, maxLength: 2 }, '🙂🙂'],
    [{ type: 'string', format: 'email' }, 'a@b.example'],
    [{ type: ['string', 'null'] }, null],
    [{ enum: ['a', 'b'] }, 'b'],
    [{ type: 'array', items: { type: 'integer' } }, [1, 2]],
    [{ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] }, { a: true }],
    [{}, { any: 'thing' }],
  ]
  it.each(right)('are kept if the schema accepts them: %j', (schema, example) => {
    const { schema: described, losses } = withExample(schema, example)
    expect(described.example).toEqual(example)
    expect(losses).toEqual([])
  })

  const wrong: [object, unknown][] = [
    [{ type: 'integer' }, 1.5],
    [{ type: 'integer', maximum: 3 }, 4],
    [{ type: 'number', exclusiveMinimum: 0 }, 0],
    [{ type: 'number', exclusiveMaximum: 1 }, 1],
    [{ type: 'integer', minimum: 1 }, 0],
    [{ type: 'string', minLength: 2 }, '🙂'],
    [{ type: 'string', maxLength: 2 }, 'abc'],
    [{ type: 'string' }, 1],
    [{ type: 'boolean' }, 'true'],
    [{ type: 'string', pattern: '^a' }, 'b'],
    [{ enum: ['a', 'b'] }, 'c'],
    [{ type: 'array', items: { type: 'integer' } }, ['1']],
    [{ type: 'object', required: ['a'], properties: { a: {} } }, {}],
  ]
  it.each(wrong)('are removed if the schema rejects them: %j', (schema, example) => {
    const { schema: described, losses } = withExample(schema, example)
    expect(described).not.toHaveProperty('example')
    expect(losses).toEqual([
      {
        path: '',
        cause: expect.stringContaining(JSON.stringify(example)),
        code: 'W_EXAMPLE_INVALID',
      },
    ])
  })

  it('are removed one by one from the list of a later version of OpenAPI', () => {
    const kept = (...examples: unknown[]) =>
      describeKept({ type: 'integer', examples }, { side: 'input' }).schema
    expect(kept(1, 'x', 2)).toEqual({ type: 'integer', examples: [1, 2] })
    expect(kept('x')).toEqual({ type: 'integer' })
    const either = { type: ['string', 'integer'], examples: [1, 'x', true] }
    expect(describeKept(either, { side: 'input' }).schema.examples).toEqual([1, 'x'])
  })

  it('are reported with the path of their field if they are invalid', () => {
    const { losses } = exampleOf({
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer', default: 'x' } } },
    })
    expect(losses.map(({ path }) => path)).toEqual(['list.*'])
  })

  it('are checked against referenced schemas too', () => {
    const User = z.object({ id: z.int() }).meta({ id: 'User' })
    const { schema, losses } = exampleOf(z.array(User).meta({ examples: [[{ id: 'x' }]] }))
    expect(schema).not.toHaveProperty('example')
    expect(losses).toHaveLength(1)
  })

  it('do not prevent the description of a schema that does not compile', () => {
    const { schema } = withExample({ type: 'string', pattern: '(' }, 'x')
    expect(schema.type).toBe('string')
  })
})
