import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../src/contracts/openapi.js'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { describeKept, describeSchema } from '../../src/schema/describe-schema.js'
import { lowerSchema } from '../../src/schema/dialect/rewrite-schema.js'
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

describe('a schema for OpenAPI 3.1', () => {
  it('keeps all keywords from the library', () => {
    const schema = {
      type: ['object', 'null'],
      properties: {
        kind: { const: 'point', examples: ['point', 'other'] },
        at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
        step: { type: 'number', exclusiveMinimum: 0 },
        names: { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
      },
      if: { required: ['step'] },
      then: { required: ['at'] },
      unevaluatedProperties: false,
    }
    const { schema: kept, losses } = describeKept(schema, { side: 'input' })
    const kind = { const: 'point', examples: ['point'] }
    expect(kept).toEqual({ ...schema, properties: { ...schema.properties, kind } })
    // The example that its own schema refuses is not in the document.
    expect(losses.map(({ code, path }) => [code, path])).toEqual([['W_EXAMPLE_INVALID', 'kind']])
  })

  it('replaces the keywords of earlier drafts and OpenAPI 3.0 with those of 2020-12', () => {
    const old = {
      definitions: { Old: { $id: 'Old', type: 'string', nullable: true, example: 'a' } },
      type: 'object',
      properties: {
        old: { $ref: '#/definitions/Old' },
        pair: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
        low: { type: 'number', minimum: 1, exclusiveMinimum: true },
        bytes: { type: 'string', format: 'byte' },
      },
      dependencies: { old: ['low'], low: { required: ['pair'] } },
    }
    const { schema, definitions } = describeKept(old, { side: 'input' })
    expect(definitions).toEqual([
      { name: 'Old', isNamed: true, schema: { type: ['string', 'null'], examples: ['a'] } },
    ])
    expect(schema).toEqual({
      type: 'object',
      properties: {
        old: { $ref: '#/components/schemas/Old' },
        pair: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
        low: { type: 'number', exclusiveMinimum: 1 },
        bytes: { type: 'string', contentEncoding: 'base64' },
      },
      dependentRequired: { old: ['low'] },
      dependentSchemas: { low: { required: ['pair'] } },
    })
  })

  it('becomes less exact, with a warning, if the document cannot contain one of its patterns', () => {
    const { schema, losses } = describeKept(
      {
        not: { type: 'string', pattern: '[' },
        oneOf: [{ type: 'string', pattern: '[' }, { type: 'string' }],
        patternProperties: { '[': { type: 'string' } },
        additionalProperties: false,
        if: { pattern: '[' },
        unevaluatedProperties: false,
      },
      { side: 'input' },
    )
    expect(schema).toEqual({ anyOf: [{ type: 'string' }, { type: 'string' }] })
    expect(losses.map(({ cause }) => cause)).toEqual([
      'The pattern [ is not in the document: it is not a Unicode regular expression.',
      "'not' is not in the document, which cannot express this exclusion.",
      'The name pattern [ is not in the document: it is not a Unicode regular expression.',
      "'if' is not in the document, which cannot express this condition.",
      'Its unevaluated properties or items are not restricted, because the document cannot describe another part of the schema exactly.',
    ])
  })

  it('can be converted to a 3.0 schema that keeps the positions of its tuples', () => {
    const tuple = { type: 'array', prefixItems: [{ const: 1 }], items: false } as const
    const document = { openapi: '3.1.2' } as OpenApiDocument
    expect(lowerSchema({ type: ['array', 'null'], items: tuple }, document)).toEqual({
      type: 'array',
      nullable: true,
      items: {
        type: 'array',
        prefixItems: [{ type: 'number', enum: [1] }],
        items: { type: 'number', enum: [1] },
        maxItems: 1,
      },
    })
  })
})
