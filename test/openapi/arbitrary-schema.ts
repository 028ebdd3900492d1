import fc from 'fast-check'

type Json = Record<string, unknown>

const NAMES = ['a', 'b', 'default', 'items']
const VALUES = [null, true, false, 0, 1, 2, 1.5, '', 'a', 'ab', 'b', [], ['a'], {}, { a: 1 }]
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

const name = fc.constantFrom(...NAMES)
const small = fc.nat({ max: 3 })
const number = fc.constantFrom(-1, 0, 1, 1.5, 2, 3)

/** Valid JSON Schemas of draft 2020-12 with most keywords. Some of them contradict themselves. */
export const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const child = tie('schema')
  const children = fc.array(child, { minLength: 1, maxLength: 3 })
  const byName = fc.dictionary(name, child, { maxKeys: 3, noNullPrototype: true })
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(
      fc.constantFrom(...TYPES),
      fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
    ),
    const: fc.constantFrom(...VALUES),
    enum: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 4 }),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.5, 1, 2),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b$', '.', '^$'),
    items: child,
    prefixItems: children,
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    contains: child,
    unevaluatedItems: child,
    properties: byName,
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: child,
    patternProperties: fc.dictionary(fc.constantFrom('^a', '', 'b'), child, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    propertyNames: child,
    minProperties: small,
    maxProperties: small,
    dependentRequired: fc.constant({ a: ['b'] }),
    unevaluatedProperties: child,
    allOf: children,
    anyOf: children,
    oneOf: children,
    not: child,
    if: child,
    then: child,
    $ref: fc.constantFrom('#/$defs/d', '#/$defs/e'),
    description: fc.constant('d'),
    default: fc.constantFrom(...VALUES),
  }
  // References get a higher weight, because they matter more than their share of keywords.
  const entry = fc
    .constantFrom(...Object.keys(keywords), '$ref', '$ref', '$ref', 'anyOf', 'oneOf', 'not')
    .chain((key) => fc.tuple(fc.constant(key), keywords[key] ?? fc.constant(true)))
  const object = fc
    .array(entry, { minLength: 1, maxLength: 4 })
    .map((entries): Json => Object.fromEntries(entries))
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: fc.constantFrom<Json[]>({ type: 'string' }, { type: 'number' }) },
      { weight: 12, arbitrary: object },
    ),
  }
}).schema

/** A schema with definitions for its references. */
export const anyRootSchema: fc.Arbitrary<Json> = fc
  .tuple(anySchema, anySchema, anySchema)
  .filter(([root]) => typeof root === 'object')
  .map(([root, d, e]) => ({ ...(root as Json), $defs: { d, e } }))

/** Values that distinguish such schemas. */
export const anySmallValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.constantFrom<unknown[]>(...VALUES) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    },
  ),
})).value
