import type { Arbitrary } from 'fast-check'
import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { componentName } from '../../schema/openapi-to-json.js'
import type { IsHidden } from './hidden-fields.js'
import type { FastCheck } from './random.js'

/** The depth of values for recursive schemas. */
const DEPTH = 3
/** The depth at which an endless cycle of references is ended. */
const ABYSS = -20
/** The range of unlimited numbers. */
const SPAN = 1000
const MORE_CHARACTERS = 8
const MORE_ITEMS = 3
/**
 * Visible ASCII and a few other characters, sorted from plain to unusual, because strings shrink towards the first
 * character.
 */
const CHARACTERS = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  ...'-_.,:;!?@#$%&*+/=|~^()[]{}<>"\'`\\ éßя名',
]
/** Formats that are tried when a pattern cannot be generated. */
const FORMATS = ['date', 'date-time', 'time', 'uuid', 'email', 'uri', 'ipv4', 'ipv6', 'hostname']
/** The number of samples after which a generator counts as never matching a pattern. */
const SAMPLES = 20
/** Half of all generated integers are among the first six allowed integers. */
const FIRST = 6

/** The settings with which values are generated. `depth` is the remaining depth. */
export interface ValueContext {
  readonly fc: FastCheck
  readonly components: Readonly<Record<string, OpenApiSchema>>
  readonly depth: number
  /** Returns the string for a schema; `undefined` for a random string. */
  readonly textOf?: TextOf | undefined
  /** Whether the caller is not allowed to send the field of a schema. If omitted, every field can be sent. */
  readonly isHidden?: IsHidden
  /** The name of the innermost property, or of the parameter, that contains the value. */
  readonly name?: string
}

/** Chooses the string for a schema, by the name of the property or parameter that has the schema. */
export type TextOf = (schema: OpenApiSchema, name: string | undefined) => string | undefined

export function valueContext(
  fc: FastCheck,
  components: Readonly<Record<string, OpenApiSchema>> = {},
  textOf?: TextOf,
): ValueContext {
  return { fc, components, depth: DEPTH, textOf }
}

/**
 * Generates values for a schema. Some values do not match it (`not`, `uniqueItems`, contradicting parts of `allOf`);
 * the caller filters the values with a validator.
 */
export function valuesOf(schema: OpenApiSchema, context: ValueContext): Arbitrary<unknown> {
  const { fc, components, depth } = context
  const { $ref, allOf = [], anyOf, oneOf, ...own } = schema
  if ($ref !== undefined) {
    if (depth < ABYSS) return fc.constant(null)
    return valuesOf(components[componentName($ref)] ?? {}, { ...context, depth: depth - 1 })
  }
  const choices = anyOf ?? oneOf
  const parts = [
    ...(saysNothing(own) && (allOf.length > 0 || choices !== undefined)
      ? []
      : [ofKeywords(own, context)]),
    ...(choices === undefined ? [] : [fc.oneof(...ending(choices, context))]),
    ...allOf.map((part) => valuesOf(part, context)),
  ]
  return parts.length === 1 ? (parts[0] as Arbitrary<unknown>) : fc.tuple(...parts).map(merged)
}

/** Strings without surrounding white space, which a validator might trim. */
function anyText(
  { fc }: ValueContext,
  minLength = 0,
  maxLength = minLength + MORE_CHARACTERS,
): Arbitrary<string> {
  const unit = fc.constantFrom(...CHARACTERS)
  return fc.string({ unit, minLength, maxLength }).filter((text) => text.trim() === text)
}

function saysNothing({ type, properties, enum: values, pattern }: OpenApiSchema): boolean {
  return [type, properties, values, pattern].every((keyword) => keyword === undefined)
}

/** At the maximum depth, only choices without a reference are used, if there are any. */
function ending(choices: readonly OpenApiSchema[], context: ValueContext): Arbitrary<unknown>[] {
  const ends = choices.filter((choice) => !JSON.stringify(choice).includes('"$ref"'))
  const taken = context.depth > 0 || ends.length === 0 ? choices : ends
  return taken.map((choice) => valuesOf(choice, context))
}

/** Merges the values of several schemas that must all match: objects are merged; otherwise, the last value is used. */
function merged(values: readonly unknown[]): unknown {
  const areObjects = values.every((value) => typeof value === 'object' && value !== null)
  return areObjects ? Object.assign({}, ...values) : values.at(-1)
}

function ofKeywords(schema: OpenApiSchema, context: ValueContext): Arbitrary<unknown> {
  const { fc } = context
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const value = ofType(schema, context)
  return schema.nullable === true && schema.type !== undefined ? fc.option(value) : value
}

function ofType(schema: OpenApiSchema, context: ValueContext): Arbitrary<unknown> {
  const { fc } = context
  switch (schema.type) {
    case 'string':
      return ofText(schema, context)
    case 'integer':
      return ofInteger(schema, context)
    case 'number':
      return fc.oneof(ofInteger(schema, context), ofNumber(schema, context))
    case 'boolean':
      return fc.boolean()
    case 'array':
      return ofArray(schema, context)
    case 'object':
      return ofObject(schema, context)
    default:
      if (schema.properties !== undefined) return ofObject(schema, context)
      if (schema.pattern !== undefined) return ofText(schema, context)
      return fc.oneof(anyText(context), fc.integer({ min: -SPAN, max: SPAN }), fc.boolean())
  }
}

function ofText(schema: OpenApiSchema, context: ValueContext): Arbitrary<string> {
  const { format = '', pattern, minLength = 0, maxLength } = schema
  const { fc } = context
  // A random tag would match no version, so `*` is sent, which matches every version.
  const given = context.name === 'If-Match' ? '*' : context.textOf?.(schema, context.name)
  if (given !== undefined) return fc.constant(given)
  const known = ofFormat(format, fc)
  const matching = pattern === undefined ? undefined : ofPattern(pattern, fc)
  // If a schema has both a format and a pattern, the pattern usually narrows the format.
  if (known !== undefined && matching !== undefined) {
    return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: matching })
  }
  const most = Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + MORE_CHARACTERS)
  return known ?? matching ?? anyText(context, minLength, most)
}

/**
 * Returns a generator of strings that match a pattern. If no strings can be generated from the pattern itself
 * (lookarounds, backreferences), it uses the matching values of the first possible format in `FORMATS`; `undefined` if
 * there is none.
 */
export function ofPattern(pattern: string, fc: FastCheck): Arbitrary<string> | undefined {
  const candidates = [() => fc.stringMatching(new RegExp(pattern))]
  for (const format of FORMATS) candidates.push(() => ofFormat(format, fc) as Arbitrary<string>)
  return candidates.map((make) => matchingOf(make, pattern, fc)).find((each) => each !== undefined)
}

/** Keeps the strings that match a pattern; `undefined` if no sample matches. */
function matchingOf(
  make: () => Arbitrary<string>,
  pattern: string,
  fc: FastCheck,
): Arbitrary<string> | undefined {
  try {
    const [expression, values] = [new RegExp(pattern), make()]
    const isMatch = (text: string) => expression.test(text)
    return fc.sample(values, { seed: 1, numRuns: SAMPLES }).some(isMatch)
      ? values.filter(isMatch)
      : undefined
  } catch {
    return undefined
  }
}

/** Common e-mail addresses. RFC 5322 also allows unusual addresses, which many validators reject intentionally. */
function emails(fc: FastCheck): Arbitrary<string> {
  const name = fc.stringMatching(/^[a-z]([a-z0-9._-]{0,8}[a-z0-9])?$/)
  return fc
    .tuple(name, fc.domain({ size: 'small' }))
    .map(([local, domain]) => `${local.replace(/[._-]{2,}/g, '.')}@${domain}`)
}

function ofFormat(format: string, fc: FastCheck): Arbitrary<string> | undefined {
  const dates = () =>
    fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  const formats: Readonly<Record<string, () => Arbitrary<string>>> = {
    'date-time': dates,
    date: () => dates().map((text) => text.slice(0, 10)),
    time: () => dates().map((text) => text.slice(11)),
    uuid: () => fc.uuid(),
    email: () => emails(fc),
    uri: () => fc.webUrl(),
    url: () => fc.webUrl(),
    hostname: () => fc.domain(),
    ipv4: () => fc.ipV4(),
    ipv6: () => fc.ipV6(),
    byte: () => fc.base64String(),
  }
  return Object.hasOwn(formats, format) ? formats[format]?.() : undefined
}

function ofInteger(schema: OpenApiSchema, { fc }: ValueContext): Arbitrary<number> {
  const step = schema.multipleOf ?? 1
  const { min, max } = boundsOf(schema)
  const low = Math.ceil(min / step) + (schema.exclusiveMinimum && min % step === 0 ? 1 : 0)
  const high = Math.floor(max / step) - (schema.exclusiveMaximum && max % step === 0 ? 1 : 0)
  const top = Math.max(low, high)
  // Small numbers are often IDs of records that an earlier request has created.
  const first = Math.min(Math.max(low, 0), top)
  const small = fc.integer({ min: first, max: Math.min(first + FIRST - 1, top) })
  return fc.oneof(small, fc.integer({ min: low, max: top })).map((count) => {
    // Only 15 decimal digits of a product are exact.
    return Number.isInteger(step) ? count * step : Number((count * step).toPrecision(15))
  })
}

function ofNumber(schema: OpenApiSchema, context: ValueContext): Arbitrary<number> {
  if (schema.multipleOf !== undefined) return ofInteger(schema, context)
  const { min, max } = boundsOf(schema)
  const steps = 2 ** 20
  const inside = {
    min: schema.exclusiveMinimum ? 1 : 0,
    max: schema.exclusiveMaximum ? steps - 1 : steps,
  }
  return context.fc.integer(inside).map((step) => min + ((max - min) * step) / steps)
}

function boundsOf({ minimum, maximum }: OpenApiSchema): { min: number; max: number } {
  const min = Math.max(minimum ?? Math.min(maximum ?? 0, 0) - SPAN, Number.MIN_SAFE_INTEGER)
  // A distant bound is usually the bound of the type, and sums of such numbers would not be exact.
  const far = Math.max(min, 0) + SPAN
  return { min, max: Math.min(maximum ?? far, far) }
}

function ofArray(schema: OpenApiSchema, context: ValueContext): Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = minItems + MORE_ITEMS, uniqueItems } = schema
  const { fc, depth } = context
  if (depth <= 0 && minItems === 0) return fc.constant([])
  const below = { ...context, depth: depth - 1 }
  if (schema.prefixItems !== undefined) {
    const places = schema.prefixItems.slice(0, maxItems).map((place) => valuesOf(place, below))
    const more = Math.max(minItems - places.length, 0)
    const rest = fc.array(valuesOf(items, below), { minLength: more, maxLength: more })
    return fc.tuple(fc.tuple(...places), rest).map(([first, others]) => [...first, ...others])
  }
  const length = { minLength: minItems, maxLength: Math.min(maxItems, minItems + MORE_ITEMS) }
  const item = valuesOf(items, below)
  if (uniqueItems !== true) return fc.array(item, length)
  return fc.uniqueArray(item, { ...length, selector: (value) => JSON.stringify(value) })
}

function ofObject(schema: OpenApiSchema, context: ValueContext): Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties: rest } = schema
  const { fc, depth } = context
  const below = { ...context, depth: depth - 1 }
  const known = Object.entries(properties)
    .filter(([name, { readOnly }]) => required.includes(name) || (depth > 0 && readOnly !== true))
    .filter(([, child]) => context.isHidden?.(child) !== true)
    .map(([name, child]) => [name, valuesOf(child, { ...below, name })] as const)
  const requiredKeys = required.filter((name) => known.some(([other]) => other === name))
  const record = fc.record(Object.fromEntries(known), { requiredKeys })
  if (rest === undefined || rest === false) return record
  const { minProperties = 0, maxProperties = minProperties + 2 } = schema
  const bounds = { minKeys: minProperties, maxKeys: maxProperties, noNullPrototype: true }
  const name = fc.stringMatching(/^[a-z]{1,5}$/)
  const others = fc.dictionary(name, valuesOf(rest === true ? {} : rest, below), bounds)
  return fc.tuple(others, record).map(([some, own]) => ({ ...some, ...own }))
}
