import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeOnce } from '../../src/schema/describe-schema.js'

const side = 'input'

it('describeOnce describes a library schema once for each side', () => {
  const schema = z.object({ at: z.string().default('now') })
  const described = describeOnce(schema, { side })
  expect(describeOnce(schema, { side, converters: {} })).toBe(described)
  expect(describeOnce(schema, { side: 'output' }).schema.required).toEqual(['at'])
  expect(described.schema.required).toBeUndefined()
})

it('describeOnce describes a JSON Schema again after a change', () => {
  const schema: { type: string; maxLength?: number } = { type: 'string' }
  expect(describeOnce(schema, { side }).schema.maxLength).toBeUndefined()
  schema.maxLength = 3
  expect(describeOnce(schema, { side }).schema.maxLength).toBe(3)
})

it('describeOnce calls the converter of each application', () => {
  const schema = z.string()
  const describeWith = (title: string) =>
    describeOnce(schema, { side, converters: { zod: () => ({ type: 'string', title }) } })
  expect(describeOnce(schema, { side }).schema.title).toBeUndefined()
  expect(
    [describeWith('one'), describeWith('two')].map((described) => described.schema.title),
  ).toEqual(['one', 'two'])
})
