import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { loadAjv } from '../../src/schema/ajv/load-ajv.js'

const META = 'https://json-schema.org/draft/2020-12/schema'
const INVALID = { type: 'objekt', properties: { size: { minimum: 'none' } }, required: 'size' }

it('an Ajv instance does not compile the meta-schema of its draft', async () => {
  const create = await loadAjv('2020-12')
  const ajv = create({})
  ajv.compile({ type: 'object' })
  expect(ajv.schemas[META]).toBeDefined()
  expect(ajv.schemas[META]?.validate).toBeUndefined()
})

it.each([false, true])(
  'an invalid schema causes the same errors as in Ajv, with allErrors: %s',
  async (allErrors) => {
    const create = await loadAjv('2020-12')
    const own = create({ allErrors })
    const plain = new Ajv2020({ allErrors, strict: false, strictNumbers: true })
    const messageOf = (ajv: { compile(schema: object): unknown }) => {
      try {
        return ajv.compile(INVALID)
      } catch (error) {
        return (error as Error).message
      }
    }
    const message = messageOf(own)
    expect(message).toContain('schema is invalid: ')
    expect(message).toBe(messageOf(plain))
    // The errors of one schema do not reach the next one.
    expect(own.validateSchema({ type: 'object' })).toBe(true)
    expect(own.errors).toBeNull()
  },
)

it('a schema of an unknown draft is rejected', async () => {
  const create = await loadAjv('2020-12')
  const compile = () => create({}).compile({ $schema: 'https://unknown.example/schema' })
  expect(compile).toThrow('no schema with key or ref "https://unknown.example/schema"')
})
