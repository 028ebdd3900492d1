import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { describeSchema } from '../../src/schema/describe-schema.js'
import { valuesOf } from './arbitrary-value.js'
import { corpus } from './corpus/corpus.js'
import type { CorpusEntry } from './corpus/entry.js'
import { documentValidator } from './document-validator.js'

const VALUES = 120
const SEED = 20_26

const compileValidator = createValidatorCompiler()

/** A value after JSON encoding and decoding. */
function viaJson(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Values on which the validator and the document differ, and outputs that the document does not allow. */
async function measure({ schema }: CorpusEntry) {
  const input = describeSchema(schema, { side: 'input' })
  const output = describeSchema(schema, { side: 'output' })
  const [isInput, isOutput] = [documentValidator(input), documentValidator(output)]
  const validate = await compileValidator(schema, 'body')
  const disagreements: string[] = []
  const unknownOutputs: string[] = []
  let accepted = 0
  for (const sample of fc.sample(valuesOf(input), { numRuns: VALUES, seed: SEED })) {
    const value = viaJson(sample)
    const result = await validate(structuredClone(value))
    const isValid = result.issues === undefined
    if (isValid) accepted++
    if (isValid !== isInput(value)) {
      disagreements.push(`${isValid ? 'accepted' : 'refused'}: ${JSON.stringify(value)}`)
    }
    if (!isValid) continue
    const out = viaJson(result.value)
    if (out !== undefined && !isOutput(out)) unknownOutputs.push(JSON.stringify(out))
  }
  return { input, output, disagreements, unknownOutputs, accepted }
}

describe('the corpus', () => {
  it('has unique names', () => {
    const names = corpus.map(({ library, name }) => `${library}: ${name}`)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    expect(names.length).toBeGreaterThan(130)
  })
})

/** Schemas that accept no JSON at all. */
const NEVER = new Set([
  'never',
  'enum that the type forbids',
  'undefined property',
  'required and closed',
])

const cases = corpus.map((entry) => [`${entry.library}: ${entry.name}`, entry] as const)
const exact = cases.filter(([, { exceptions }]) => exceptions === undefined)
const inexact = cases.filter(([, { exceptions }]) => exceptions !== undefined)

describe('the validator and the document accept the same values', () => {
  it.each(exact)('for the schema "%s"', async (_, entry) => {
    const { disagreements, unknownOutputs, input, output, accepted } = await measure(entry)
    // If no generated value is valid for the schema, the test has tested nothing.
    expect(accepted > 0, `accepted ${accepted} of ${VALUES}`).toBe(!NEVER.has(entry.name))
    expect({ disagreements, schema: input.schema }).toEqual({
      disagreements: [],
      schema: input.schema,
    })
    expect({ unknownOutputs, schema: output.schema }).toEqual({
      unknownOutputs: [],
      schema: output.schema,
    })
  })
})

describe('the validator and the document accept different values, for a documented reason', () => {
  it.each(inexact)('for the schema "%s"', async (name, entry) => {
    const { disagreements } = await measure(entry)
    expect(disagreements.length, `${name} has no need of an exception any more`).toBeGreaterThan(0)
  })
})
