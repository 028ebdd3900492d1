import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { describeKept, describeSchema } from '../../src/schema/describe-schema.js'
import { rounds } from '../rounds.js'
import { valuesOf } from './arbitrary-value.js'
import { corpus } from './corpus/corpus.js'
import type { CorpusEntry } from './corpus/entry.js'
import { documentValidator, laterDocumentValidator } from './document-validator.js'

const VALUES = rounds(120, 30)
const SEED = 20_31

const compileValidator = createValidatorCompiler()

/** A value after JSON encoding and decoding. */
function viaJson(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

/** The values on which the validator of the library, the schema of 3.1 and the schema of 3.0 differ. */
async function measure({ schema }: CorpusEntry) {
  const [kept, lowered] = [describeKept, describeSchema].map((describe) =>
    describe(schema, { side: 'input' }),
  ) as [ReturnType<typeof describeKept>, ReturnType<typeof describeSchema>]
  const isOutput = laterDocumentValidator(describeKept(schema, { side: 'output' }))
  const [isKept, isLowered] = [laterDocumentValidator(kept), documentValidator(lowered)]
  const validate = await compileValidator(schema, 'body')
  const differing: string[] = []
  const looser: string[] = []
  const stricter: string[] = []
  for (const sample of fc.sample(valuesOf(lowered), { numRuns: VALUES, seed: SEED })) {
    const value = viaJson(sample)
    const result = await validate(structuredClone(value))
    const isValid = result.issues === undefined
    const text = JSON.stringify(value)
    if (isValid !== isKept(value)) differing.push(`${isValid ? 'accepted' : 'refused'}: ${text}`)
    if (isLowered(value) !== isKept(value)) (isKept(value) ? stricter : looser).push(text)
    const out = isValid ? viaJson(result.value) : undefined
    if (out !== undefined && !isOutput(out)) differing.push(`not an output: ${JSON.stringify(out)}`)
  }
  return { kept, lowered, differing, looser, stricter }
}

/** What only OpenAPI 3.0 cannot express: the later versions are exact. */
const isOf30 = ({ exceptions = '' }: CorpusEntry) => exceptions.startsWith('OpenAPI 3.0')

const cases = corpus.map((entry) => [`${entry.library}: ${entry.name}`, entry] as const)
const exact = cases.filter(([, entry]) => entry.exceptions === undefined || isOf30(entry))
const only31 = cases.filter(([, entry]) => isOf30(entry))

describe('the validator and the schema of OpenAPI 3.1 accept the same values', () => {
  it.each(exact)('for the schema "%s"', async (_, entry) => {
    const { differing, kept } = await measure(entry)
    expect({ differing, schema: kept.schema }).toEqual({ differing: [], schema: kept.schema })
  })
})

/** `format: byte` is checked, and `contentEncoding` of 3.1 only says how to read the text. */
const ONLY_SAID = new Set(['text that is encoded'])

describe('the values that the schemas of OpenAPI 3.0 and 3.1 accept', () => {
  it.each(cases)('are the same if 3.0 can express the schema: %s', async (_, entry) => {
    const { looser, stricter, lowered } = await measure(entry)
    // A constraint that 3.0 cannot express makes its schema accept more, never less.
    if (!ONLY_SAID.has(entry.name)) expect(stricter).toEqual([])
    if (lowered.losses.length === 0) expect(looser).toEqual([])
  })

  it('are more numerous in OpenAPI 3.0 if it cannot express the schema', async () => {
    expect(only31.length).toBeGreaterThan(15)
    for (const [name, entry] of only31) {
      const { looser, kept } = await measure(entry)
      expect({ name, isLooser: looser.length > 0 }).toEqual({ name, isLooser: true })
      expect(kept.losses).toEqual([])
    }
  })
})
