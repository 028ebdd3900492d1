import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Validator } from '../../src/contracts/schema.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { KeyedSchema } from '../../src/schema/composed-schemas.js'
import { describeSchema } from '../../src/schema/describe-schema.js'
import { toJsonSchema } from '../../src/schema/to-json-schema.js'
import { findUnsendable } from '../../src/schema/unsendable.js'
import { valueContext, valuesOf } from '../../src/testing/fuzz/valid-values.js'
import { corpus } from './corpus/corpus.js'
import type { CorpusEntry } from './corpus/entry.js'
import { documentValidator } from './document-validator.js'

const VALUES = 12
const compile = createValidatorCompiler()

/** Values that the document allows for a query parameter, as a client writes them. */
function textsOf({ schema }: CorpusEntry): (string | string[])[] {
  const input = describeSchema(schema, { side: 'input' })
  const { schema: described, definitions } = input
  const isValid = documentValidator(input)
  const components = Object.fromEntries(definitions.map(({ name, schema: body }) => [name, body]))
  const values = valuesOf(described, valueContext(fc, components))
  return fc.sample(values, { numRuns: VALUES, seed: 1 }).flatMap((value) => {
    const items = [value].flat()
    const isPlain = items.every((item) => ['string', 'number', 'boolean'].includes(typeof item))
    if (!isPlain || items.length === 0 || !isValid(value)) return []
    return [Array.isArray(value) && items.length > 1 ? items.map(String) : String(items[0])]
  })
}

async function isAccepted(validate: Validator, a: string | string[]): Promise<boolean> {
  return (await validate({ a })).issues === undefined
}

/** Whether the texts are accepted, and whether boot finds that none can be; `null` without texts. */
async function judge(entry: CorpusEntry) {
  const { schema } = entry
  const texts = textsOf(entry)
  if (texts.length === 0) return null
  const keyed = new KeyedSchema([['a', schema]], { isOpen: false, createCompiler: () => compile })
  const validate = await compile(keyed, 'query')
  const results = await Promise.all(texts.map((text) => isAccepted(validate, text)))
  const coerces = !('~standard' in schema)
  const json = toJsonSchema(schema, { side: 'input' })
  const found = findUnsendable(json, { carrier: 'nested', hasFields: false, coerces })
  return { accepted: results.some(Boolean), refused: results.some((each) => !each), found }
}

describe('a boot warning about a query parameter', () => {
  const entries = corpus.map((entry) => [`${entry.library}: ${entry.name}`, entry] as const)

  it('appears only if a documented value is refused, and always if no documented value is accepted', async () => {
    const wrong: string[] = []
    let judged = 0
    let warned = 0
    for (const [name, entry] of entries) {
      const judgement = await judge(entry).catch(() => null)
      if (judgement === null) continue
      judged++
      const { accepted, refused, found } = judgement
      if (found.length > 0) warned++
      // A warning needs a refused value, and the absence of one an accepted value, where the document is exact.
      const isRight = found.length > 0 ? refused : accepted || entry.exceptions !== undefined
      if (!isRight) wrong.push(`${name} ${JSON.stringify(judgement)}`)
    }
    expect(wrong).toEqual([])
    expect(judged).toBeGreaterThan(100)
    expect(warned).toBeGreaterThan(20)
  })
})
