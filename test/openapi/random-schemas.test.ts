import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DescribedSchema } from '../../src/contracts/openapi.js'
import { describeKept, describeSchema } from '../../src/schema/describe-schema.js'
import { keepDocument } from '../../src/schema/dialect/rewrite-schema.js'
import { rounds } from '../rounds.js'
import { anyRootSchema, anySmallValue } from './arbitrary-schema.js'
import { documentValidator, laterDocumentValidator } from './document-validator.js'

const SCHEMAS = rounds(300, 60)
const VALUES = 40
const SEED = 4

type Validate = (value: unknown) => boolean

/**
 * The result of Ajv; `undefined` when Ajv itself fails: on endless references, and on some uses of
 * `unevaluatedProperties`.
 */
function tryOn(validate: Validate, value: unknown): boolean | undefined {
  try {
    return validate(value)
  } catch {
    return undefined
  }
}

const ajv = new Ajv2020({ strict: false })

function compile(schema: object): Validate {
  const validate = ajv.compile(schema)
  return (value) => validate(value) === true
}

const schemas = fc.sample(anyRootSchema, { numRuns: SCHEMAS, seed: SEED })
const values = fc.sample(anySmallValue, { numRuns: VALUES, seed: SEED })

describe('random JSON Schemas', () => {
  it('are described exactly, or by a schema that accepts more, with a reported loss', () => {
    const wrong: unknown[] = []
    let exact = 0
    let differing = 0
    for (const schema of schemas) {
      // The output side, because there a default does not make a property optional.
      const described = describeSchema(schema, { side: 'output' })
      const [isValid, isDescribed] = [compile(schema), documentValidator(described)]
      if (described.losses.length === 0) exact++
      for (const value of values) {
        const is = tryOn(isValid, value)
        if (is === undefined) continue
        const says = isDescribed(value)
        if (is === says) continue
        differing++
        if (described.losses.length > 0 && says === true) continue
        wrong.push({ schema, value, is, says, described: described.schema })
      }
    }
    expect(wrong.slice(0, 3).map((one) => JSON.stringify(one))).toEqual([])
    // Both kinds must be frequent enough for a useful test.
    expect(exact).toBeGreaterThan(SCHEMAS / 10)
    expect(differing).toBeGreaterThan(0)
  })

  it('are described exactly in OpenAPI 3.1, or by a schema that accepts more, with a reported loss', () => {
    const wrong: unknown[] = []
    let exact = 0
    for (const schema of schemas) {
      const described = describeKept(schema, { side: 'output' })
      const [isValid, isDescribed] = [compile(schema), laterDocumentValidator(described)]
      if (described.losses.length === 0) exact++
      for (const value of values) {
        const is = tryOn(isValid, value)
        const says = tryOn(isDescribed, value)
        if (is === undefined || says === undefined || is === says) continue
        if (described.losses.length > 0 && says) continue
        wrong.push({ schema, value, is, says, described: described.schema })
      }
    }
    expect(wrong.slice(0, 3).map((one) => JSON.stringify(one))).toEqual([])
    expect(exact).toBeGreaterThan(SCHEMAS / 2)
  })

  it('do not change when they are converted again', () => {
    for (const schema of schemas) {
      const { schema: root, definitions } = describeKept(schema, { side: 'output' })
      const components = Object.fromEntries(definitions.map((each) => [each.name, each.schema]))
      const document = { paths: {}, components: { schemas: { root, ...components } } } as never
      expect(keepDocument(document)).toEqual(document)
    }
  })

  it('are converted to schemas that OpenAPI 3.0.3 allows', () => {
    for (const schema of schemas) {
      const described = describeSchema(schema, { side: 'input' })
      expect(JSON.parse(JSON.stringify(described))).toEqual(described)
      expect(problemsOf(described)).toEqual([])
    }
  })
})

/** Problems that tools refuse, and that document validators sometimes miss. */
function problemsOf({ schema, definitions }: DescribedSchema): string[] {
  const names = new Set(definitions.map(({ name }) => `#/components/schemas/${name}`))
  const problems: string[] = []
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) return node.forEach(look)
    const { $ref, type, items, nullable, required, enum: values, ...others } = node as Json
    if ($ref !== undefined && Object.keys(node).length > 1) problems.push('siblings of $ref')
    if ($ref !== undefined && !names.has($ref as string)) problems.push(`${$ref} leads nowhere`)
    if (type === 'array' && items === undefined) problems.push('a list without items')
    if (nullable !== undefined && type === undefined) problems.push('nullable without type')
    if (Array.isArray(required) && required.length === 0) problems.push('empty required')
    if (Array.isArray(values) && values.length === 0) problems.push('empty enum')
    if (Array.isArray(values) && values.includes(null) && !nullable) problems.push('null in enum')
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      if (Array.isArray(others[key]) && others[key].length === 0) problems.push(`empty ${key}`)
    }
    look(items)
    for (const key of ['allOf', 'anyOf', 'oneOf', 'not', 'additionalProperties']) look(others[key])
    Object.values((others.properties ?? {}) as Json).forEach(look)
  }
  look(schema)
  for (const definition of definitions) look(definition.schema)
  return problems
}

type Json = Record<string, unknown>
