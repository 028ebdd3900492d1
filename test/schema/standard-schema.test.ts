import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { compileStandard } from '../../src/schema/standard-schema.js'

const schemaOf = (validate: (value: unknown) => unknown): StandardSchemaV1 => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: validate as StandardSchemaV1.Props['validate'],
  },
})

describe('a validator that compileStandard returns', () => {
  it('returns a result if the schema is synchronous', async () => {
    const validate = await compileStandard(schemaOf((value) => ({ value: [value] })))
    expect(validate('a')).toEqual({ value: ['a'] })
  })

  it('returns a promise if the schema is asynchronous', async () => {
    const validate = await compileStandard(schemaOf(async (value) => ({ value })))
    const result = validate('a')
    expect(result).toBeInstanceOf(Promise)
    expect(await result).toEqual({ value: 'a' })
  })

  it('waits for a thenable that is not a native promise', async () => {
    const thenable = {
      then: (resolve: (result: unknown) => void) => resolve({ issues: [{ message: 'no' }] }),
    }
    const validate = await compileStandard(schemaOf(() => thenable))
    expect(await validate('a')).toEqual({ issues: [{ path: [], message: 'no' }] })
  })

  it('reads path segments that are keys or objects', async () => {
    const path = ['items', { key: 0 }, { key: 'price' }, Symbol.for('tag')]
    const validate = await compileStandard(schemaOf(() => ({ issues: [{ message: 'no', path }] })))
    expect(validate('a')).toEqual({
      issues: [{ path: ['items', 0, 'price', Symbol.for('tag')], message: 'no' }],
    })
  })

  it('treats an empty list of issues as a rejection', async () => {
    const validate = await compileStandard(schemaOf(() => ({ issues: [], value: 1 })))
    expect(validate('a')).toEqual({ issues: [] })
  })

  it('reports an empty path for an issue of arktype at the root', async () => {
    const result = (await compileStandard(type({ a: 'string' })))(undefined)
    expect(result).toMatchObject({ issues: [{ path: [] }] })
  })

  it('does not catch errors that the schema throws', async () => {
    const validate = await compileStandard(
      schemaOf(() => {
        throw new RangeError('broken')
      }),
    )
    expect(() => validate('a')).toThrow(RangeError)
  })

  it.each([undefined, null])('throws if the schema returns %s', async (answer) => {
    const validate = await compileStandard(schemaOf(() => answer))
    expect(() => validate('a')).toThrow(TypeError)
  })
})
