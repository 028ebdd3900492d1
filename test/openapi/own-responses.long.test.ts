import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Schema, ValidationResult } from '../../src/contracts/schema.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { describeSchema } from '../../src/schema/describe-schema.js'
import { rounds } from '../rounds.js'
import { valuesOf } from './arbitrary-value.js'
import { corpus } from './corpus/corpus.js'

const VALUES = rounds(60, 30)
const SEED = 7

const compileValidator = createValidatorCompiler()

const isStandard = (schema: Schema): schema is StandardSchemaV1 => '~standard' in schema
const standard = corpus.filter(({ schema }) => isStandard(schema))

/** The result of the library itself, in the form of the framework. */
async function validateByLibrary(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<ValidationResult> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { value: result.value }
  const issues = result.issues.map(({ message, path }) => {
    const steps = Array.from(path ?? [])
    return { message, path: steps.map((step) => (typeof step === 'object' ? step.key : step)) }
  })
  return { issues }
}

describe('a compiled validator and its library return the same result', () => {
  // A default value that is created at each call must be the same twice.
  beforeAll(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })

  it.each(standard.map((entry) => [`${entry.library}: ${entry.name}`, entry.schema] as const))(
    'for the schema "%s"',
    async (_, schema) => {
      const validate = await compileValidator(schema, 'body')
      const described = describeSchema(schema, { side: 'input' })
      for (const value of fc.sample(valuesOf(described), { numRuns: VALUES, seed: SEED })) {
        const [ours, theirs] = [structuredClone(value), structuredClone(value)]
        const result = await validate(ours)
        expect(result).toEqual(await validateByLibrary(schema as StandardSchemaV1, theirs))
        expect(ours).toEqual(theirs)
      }
    },
  )
})
