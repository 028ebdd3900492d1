import fc from 'fast-check'
import type { DescribedSchema, OpenApiSchema } from '../../src/contracts/openapi-3-0.js'

/** The maximal depth of values of recursive schemas. */
const DEPTH = 3

/** Names that a body cannot contain, because its parser refuses them. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

const FORMATS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'date-time': fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  byte: fc.base64String(),
}

/**
 * Numbers on which all libraries agree. For larger numbers, remainders and integer checks differ between
 * libraries.
 */
const sane: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 100),
)

/**
 * ASCII text: JSON Schema counts characters and most libraries count UTF-16 units, which differ in other
 * text.
 */
const anyText = fc.string({ maxLength: 8, unit: 'grapheme-ascii' })

/** Any JSON value that a body can be. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom(null, true, false),
      sane,
      anyText,
      fc.constantFrom('é', '名前', '2020-02-30', '2020-01-01T00:00:00Z', ' a '),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(anyText, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  .value.filter(isPlain)

const EDGES = [null, '', 'a', 0, -1, 1, 1.5, true, false, [], {}, [null], { a: null }, 2 ** 31]

/** Values that a described schema accepts, values close to those, and any others. */
export function valuesOf(described: DescribedSchema): fc.Arbitrary<unknown> {
  const named = new Map(described.definitions.map(({ name, schema }) => [name, schema]))
  const valid = fromSchema(described.schema, { named, depth: DEPTH })
  return fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 5, arbitrary: mutated(valid) },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: fc.constantFrom(...EDGES) },
  )
}

/** Values that stay the same in the recursion. */
interface Context {
  readonly named: ReadonlyMap<string, OpenApiSchema>
  readonly depth: number
}

function fromSchema(schema: OpenApiSchema, context: Context): fc.Arbitrary<unknown> {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  if ($ref !== undefined) {
    // A recursive union without an end has no values; its mutations are still tried.
    if (context.depth < -DEPTH) return fc.constant(null)
    const target = context.named.get($ref.slice('#/components/schemas/'.length)) ?? {}
    return fromSchema(target, { ...context, depth: context.depth - 1 })
  }
  const branches = anyOf ?? oneOf
  const parts = [
    ...(isEmpty(own) || (own.type === undefined && branches !== undefined)
      ? []
      : [fromKeywords(own, context)]),
    ...(branches === undefined
      ? []
      : [fc.oneof(...ending(branches, context).map((branch) => fromSchema(branch, context)))]),
    ...(allOf ?? []).map((part) => fromSchema(part, context)),
  ]
  if (parts.length === 0) return anyJson
  return fc.tuple(...parts).map(merge)
}

/** At the depth limit: the branches that do not recurse, if there are any. */
function ending(branches: readonly OpenApiSchema[], { depth }: Context): readonly OpenApiSchema[] {
  const ends = branches.filter((branch) => !JSON.stringify(branch).includes('"$ref"'))
  return depth > 0 || ends.length === 0 ? branches : ends
}

/** A value for several schemas at once: objects are merged, texts are concatenated. */
function merge(values: readonly unknown[]): unknown {
  if (values.every((value) => typeof value === 'string')) return values.join('')
  const areObjects = values.every((value) => typeof value === 'object' && value !== null)
  return values.length > 1 && areObjects && !values.some(Array.isArray)
    ? Object.assign({}, ...values)
    : values[0]
}

function fromKeywords(schema: OpenApiSchema, context: Context): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const value = fromType(schema, context)
  return schema.nullable === true ? fc.option(value, { nil: null }) : value
}

function fromType(schema: OpenApiSchema, context: Context): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
      return integer(schema)
    case 'number':
      return fc.oneof(integer(schema), number(schema))
    case 'boolean':
      return fc.boolean()
    case 'array':
      return list(schema, context)
    case 'object':
      return object(schema, context)
    default:
      if (schema.pattern !== undefined) return text(schema)
      return schema.properties === undefined ? anyJson : object(schema, context)
  }
}

function text({ format, pattern, minLength, maxLength }: OpenApiSchema): fc.Arbitrary<string> {
  const known = format === undefined ? undefined : (FORMATS[format] as fc.Arbitrary<string>)
  const length = { minLength: minLength ?? 0, maxLength: maxLength ?? (minLength ?? 0) + 8 }
  const any = fc.string({ ...length, unit: 'grapheme-ascii' })
  const matching = pattern === undefined ? undefined : fromPattern(pattern)
  if (known === undefined || matching === undefined) return known ?? matching ?? any
  // When a schema has a pattern and a format, the pattern is usually the narrower one.
  return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: matching })
}

/** Text for a pattern; `undefined` for look-arounds and the like, which cannot be generated. */
function fromPattern(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    return undefined
  }
}

function integer({ minimum, maximum, multipleOf }: OpenApiSchema): fc.Arbitrary<number> {
  const low = Math.max(Math.ceil(minimum ?? -1000), Number.MIN_SAFE_INTEGER)
  const high = Math.min(Math.floor(maximum ?? Math.max(low, 0) + 1000), Number.MAX_SAFE_INTEGER)
  if (low > high) return fc.constant(low)
  const step = multipleOf ?? 1
  return fc.integer({ min: low, max: high }).map((value) => Math.round(value / step) * step)
}

function number({ minimum, maximum }: OpenApiSchema): fc.Arbitrary<number> {
  const min = Math.max(minimum ?? -1000, -1e9)
  const max = Math.min(maximum ?? Math.max(min, 0) + 1000, 1e9)
  const steps = 2 ** 20
  return fc.nat({ max: steps }).map((step) => min + ((max - min) * step) / steps)
}

function list(schema: OpenApiSchema, context: Context): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = minItems + 3 } = schema
  if (context.depth <= 0 && minItems === 0) return fc.constant([])
  const below = { ...context, depth: context.depth - 1 }
  return fc.array(fromSchema(items, below), { minLength: minItems, maxLength: maxItems })
}

function object(schema: OpenApiSchema, context: Context): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: rest } = schema
  const below = { ...context, depth: context.depth - 1 }
  const entries = Object.entries(properties).filter(
    ([name]) => required.includes(name) || context.depth > 0,
  )
  const known = fc.record(
    Object.fromEntries(entries.map(([name, value]) => [name, fromSchema(value, below)])),
    { requiredKeys: required.filter((name) => Object.hasOwn(properties, name)) },
  )
  if (rest === undefined || rest === false || context.depth <= 0) return known
  const name = fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme-ascii' })
  const others = fc.dictionary(name, rest === true ? anyJson : fromSchema(rest, below), {
    maxKeys: 2,
    noNullPrototype: true,
  })
  return fc.tuple(others, known).map(([some, own]) => ({ ...some, ...own }))
}

/** A value with one change somewhere in it. */
function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const choice = fc.nat({ max: 1_000_000 })
  return fc
    .tuple(values, choice, choice, anyJson)
    .map(([value, where, how, other]) => mutate(value, { where, how, other }))
    .filter(isPlain)
}

interface Change {
  readonly where: number
  readonly how: number
  readonly other: unknown
}

function mutate(value: unknown, change: Change): unknown {
  const { where, how, other } = change
  const inner = { ...change, where: Math.floor(where / 8) }
  if (Array.isArray(value)) return mutateList(value, inner, where % 8)
  if (typeof value === 'object' && value !== null) {
    return mutateObject(value as Record<string, unknown>, inner, where % 8)
  }
  const scalars: unknown[] = [null, other, [value], { value }, String(value), '', 0, true]
  if (typeof value === 'number')
    scalars.push(value + 1, value - 1, -value, value * 1000, value + 0.5)
  if (typeof value === 'string') {
    scalars.push(`${value}x`, value.slice(1), value.toUpperCase(), ` ${value} `, value.repeat(3))
  }
  return scalars[how % scalars.length]
}

function mutateList(list: readonly unknown[], change: Change, way: number): unknown {
  if (way === 0) return [...list, change.other]
  if (way === 1) return list.slice(1)
  if (way === 2) return [...list, ...list]
  if (way === 3) return change.other
  if (way === 4) return [...list].reverse()
  const at = change.how % Math.max(list.length, 1)
  return list.map((item, n) => (n === at ? mutate(item, change) : item))
}

function mutateObject(object: Record<string, unknown>, change: Change, way: number): unknown {
  const keys = Object.keys(object)
  const key = keys[change.how % Math.max(keys.length, 1)] ?? 'a'
  const { [key]: value, ...others } = object
  if (way === 0) return others
  if (way === 1) return { ...object, extra: change.other }
  if (way === 2) return { ...object, [key]: change.other }
  if (way === 3) return { ...object, [key]: null }
  if (way === 4) return change.other
  return { ...object, [key]: mutate(value, change) }
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return !/[\u{10000}-\u{10ffff}]/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([key, inner]) => !FORBIDDEN.has(key) && isPlain(key) && isPlain(inner),
  )
}

function isEmpty(schema: OpenApiSchema): boolean {
  const { title, description, default: _, example, deprecated, ...others } = schema
  return Object.keys(others).length === 0
}
