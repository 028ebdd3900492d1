import { describe, expect, it } from 'vitest'
import type { SchemaConverter } from '../../src/contracts/openapi.js'
import { describeKept, describeSchema } from '../../src/schema/describe-schema.js'

const standard = (vendor: string, jsonSchema?: object) => ({
  '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }), jsonSchema },
})

describe('describeSchema', () => {
  it('calls the method of the given side in the `jsonSchema` property of a Standard Schema', () => {
    const schema = standard('some', {
      input: ({ target }: { target: string }) => ({ type: 'string', description: target }),
      output: () => ({ type: 'number' }),
    })
    expect(describeSchema(schema, { side: 'input' })).toEqual({
      schema: { type: 'string', description: 'draft-2020-12' },
      definitions: [],
      losses: [],
    })
    expect(describeSchema(schema, { side: 'output' }).schema).toEqual({ type: 'number' })
  })

  it("calls a converter instead of the library's own method", () => {
    const schema = standard('some', { input: () => ({ type: 'string' }) })
    const some: SchemaConverter = (given, { side, target }) => ({
      const: [given === schema, side, target].join(' '),
    })
    expect(describeSchema(schema, { side: 'input', converters: { some } }).schema).toEqual({
      type: 'string',
      enum: ['true input draft-2020-12'],
    })
  })

  it.each(['yup', 'constructor', '__proto__'])(
    'reports that the library %s needs a converter',
    (vendor) => {
      expect(describeSchema(standard(vendor), { side: 'input', converters: {} })).toEqual({
        schema: {},
        definitions: [],
        losses: [{ path: '', cause: expect.stringContaining(`swagger.converters['${vendor}']`) }],
      })
    },
  )

  it('reports which version to install instead of zod 3', () => {
    const [loss] = describeSchema(standard('zod'), { side: 'input' }).losses
    expect(loss?.cause).toMatch(/install zod 4/)
  })

  const thrower = () => {
    throw new Error('not today')
  }
  const circle: Record<string, unknown> = { type: 'object' }
  circle.properties = { circle }

  it.each<[string, object]>([
    ['a schema whose library throws', standard('some', { input: thrower })],
    ['a schema whose library returns undefined', standard('some', { input: () => undefined })],
    [
      'a schema whose library returns a function',
      standard('some', { input: () => Promise.reject }),
    ],
    [
      'an object with a getter that throws',
      Object.defineProperty({}, 'type', { get: thrower, enumerable: true }),
    ],
    ['an object that contains itself', circle],
    ['null', null as unknown as object],
    ['a string', 'string' as unknown as object],
    ['a class', class Dto {}],
  ])('describes %s as an empty schema, and reports the reason', (_, schema) => {
    const described = describeSchema(schema, { side: 'input' })
    expect(described.schema).toEqual({})
    expect(described.definitions).toEqual([])
    expect(described.losses).toEqual([{ path: '', cause: expect.stringMatching(/^[A-Z].*\.$/) }])
  })

  it('does not change the schema', () => {
    const schema = {
      $defs: { a: { type: 'string', default: 'x' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/a', default: 'y' } },
      required: ['a'],
    }
    const before = JSON.stringify(schema)
    describeSchema(schema, { side: 'input' })
    describeSchema(schema, { side: 'output' })
    expect(JSON.stringify(schema)).toBe(before)
  })

  it('lists a property with a default as required on the output side, but not on the input side', () => {
    const schema = {
      type: 'object',
      properties: { size: { type: 'integer', default: 1 }, name: { type: 'string' } },
      required: ['size', 'name'],
    }
    expect(describeSchema(schema, { side: 'input' }).schema.required).toEqual(['name'])
    expect(describeSchema(schema, { side: 'output' }).schema.required).toEqual(['size', 'name'])
  })

  it('keeps a property with a default as required in a union, where Ajv does not fill it in', () => {
    const schema = {
      anyOf: [{ type: 'object', properties: { a: { default: 1 } }, required: ['a'] }],
    }
    expect(describeSchema(schema, { side: 'input' }).schema.required).toEqual(['a'])
    const part = { properties: { a: { default: 1 } }, required: ['a'] }
    const condition = { if: {}, then: part, else: part }
    const { schema: kept } = describeKept(condition, { side: 'input' })
    expect([kept.then?.required, kept.else?.required]).toEqual([['a'], ['a']])
  })
})
