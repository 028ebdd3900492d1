import type { SchemaSide } from '../../contracts/openapi.js'
import { ABSENT_MARK, LOSS_MARK, RESOURCE_MARK } from '../dialect/conversion.js'
import { withoutFlags } from '../dialect/pattern.js'
import {
  BIGINT,
  BINARY,
  COMMON_FORMS,
  DATE,
  DIGITS,
  findOldInstalled,
  flagsLost,
  installed,
  ofClass,
  unknown,
} from './library-result.js'

type Json = Record<string, unknown>

/** The part of a valibot schema that this file reads. */
interface ValibotSchema {
  readonly type: string
  readonly class?: unknown
  readonly literal?: unknown
  /** The property that selects the alternative of a `v.variant`. */
  readonly key?: unknown
  readonly default?: unknown
  readonly wrapped?: ValibotSchema
  readonly entries?: Readonly<Record<string, ValibotSchema>>
}

interface ValibotAction {
  readonly kind: string
  readonly type: string
  readonly requirement?: unknown
  readonly metadata?: unknown
}

interface ActionContext {
  readonly valibotAction: ValibotAction
  readonly jsonSchema: Json
  readonly errors?: unknown
}

/** The part of `@valibot/to-json-schema` that this file uses. */
interface Converter {
  readonly toJsonSchema: (schema: unknown, config: object) => Json
  readonly getGlobalDefs?: () => Readonly<Record<string, unknown>> | undefined
}

/**
 * Describes a valibot schema. This requires the package `@valibot/to-json-schema`, which the application must install.
 */
export function describeValibot(schema: object, side: SchemaSide): unknown {
  const old = findOldInstalled('@valibot/to-json-schema')
  if (old !== null) return unknown(`${old.cause} Run \`${old.remedy}\`.`)
  const converter = installed('@valibot/to-json-schema') as Converter | undefined
  if (converter === undefined) {
    return unknown(
      'To describe valibot schemas, install a package: npm install @valibot/to-json-schema. In a bundled application, pass its toJsonSchema function to swagger.converters.',
    )
  }
  // Without these definitions, the converter includes a recursive schema twice: inline, and as the definition to which
  // its `v.lazy` refers.
  const recursive = lazySchemas(schema).map((lazy, n) => [`__schema${n}`, lazy] as const)
  const definitions = { ...Object.fromEntries(recursive), ...converter.getGlobalDefs?.() }
  return convert(schema, { side, converter, definitions })
}

interface Conversion {
  readonly side: SchemaSide
  readonly converter: Converter
  readonly definitions?: Readonly<Record<string, unknown>>
}

function convert(schema: unknown, conversion: Conversion): Json {
  const { side, converter, definitions } = conversion
  return converter.toJsonSchema(schema, {
    ...(definitions && { definitions }),
    target: 'draft-2020-12',
    typeMode: side,
    errorMode: 'ignore',
    overrideSchema: (context: { valibotSchema: ValibotSchema; jsonSchema: Json }) =>
      describeSchema(context, conversion),
    overrideAction: (context: ActionContext) => describeAction(context, side),
  })
}

/**
 * The maximum number of nodes. A schema with more nodes probably has a `v.lazy` that creates a new schema at each call.
 */
const MAX_NODES = 10_000

/** Returns the schemas from all `v.lazy` functions anywhere in a schema. */
function lazySchemas(root: object): unknown[] {
  const lazies = new Set<unknown>()
  const seen = new Set<unknown>([root])
  for (const node of seen) {
    if (seen.size > MAX_NODES || typeof node !== 'object' || node === null) continue
    const { type, getter, class: _, default: __, '~standard': ___, ...fields } = node as Json
    for (const child of Object.values(fields)) seen.add(child)
    if (type !== 'lazy' || typeof getter !== 'function') continue
    const lazy: unknown = getter(undefined)
    lazies.add(lazy)
    seen.add(lazy)
  }
  return [...lazies]
}

/** The schemas of types that the converter cannot describe. */
const IN_JSON: Readonly<Record<string, Json>> = {
  ...COMMON_FORMS,
  file: BINARY,
  blob: BINARY,
  custom: unknown(
    'The values that a custom check accepts are unknown: the document accepts any value.',
  ),
  promise: unknown('A promise has no JSON representation: the document accepts any value.'),
}

function describeSchema(
  {
    valibotSchema,
    jsonSchema,
  }: { readonly valibotSchema: ValibotSchema; readonly jsonSchema: Json },
  conversion: Conversion,
): Json | undefined {
  const { type, wrapped, default: fallback } = valibotSchema
  const known = IN_JSON[type]
  if (type === 'bigint' && conversion.side === 'output') return { ...DIGITS, ...unknown(BIGINT) }
  if (known !== undefined) return { ...known }
  if (type === 'instance') return ofClass(valibotSchema.class) ?? unknown(INSTANCE)
  if (type === 'literal') return literal(valibotSchema, jsonSchema)
  if (type === 'variant') {
    return { ...jsonSchema, discriminator: { propertyName: valibotSchema.key } }
  }
  // The parser accepts additional items of a tuple but drops them, so the tuple's type does not include them.
  if (type === 'tuple') return { ...jsonSchema, items: false }
  if (type === 'loose_tuple') return { ...jsonSchema, items: {} }
  if (valibotSchema.entries !== undefined) return object(valibotSchema, jsonSchema, conversion.side)
  // The value can differ on each call (a date, an identifier), so each document would be different.
  if (typeof fallback === 'function' || fallback instanceof Date)
    return without('default', jsonSchema)
  if (type.startsWith('non_') && wrapped !== undefined) {
    const inner = {
      ...convert(wrapped, { side: conversion.side, converter: conversion.converter }),
      [RESOURCE_MARK]: true,
    }
    return type === 'non_optional' ? inner : withoutNull(inner)
  }
  return undefined
}

const INSTANCE =
  'An instance of a class has no JSON representation: the document accepts any value.'

function literal({ literal: value }: ValibotSchema, jsonSchema: Json): Json {
  if (typeof value === 'bigint') return { const: `${value}` }
  return 'const' in jsonSchema ? jsonSchema : unknown('This literal has no JSON representation.')
}

/**
 * Describes an object. On the output side, a property with a default is always present. A value that JSON cannot
 * represent is never present.
 */
function object({ type, entries = {} }: ValibotSchema, jsonSchema: Json, side: SchemaSide): Json {
  const isLoose = type === 'loose_object'
  const properties = (jsonSchema.properties ?? {}) as Record<string, Json>
  const isAbsent = (key: string): boolean => properties[key]?.[ABSENT_MARK] === true
  const required = Object.keys(entries).filter((key) => {
    const isFilled = side === 'output' && entries[key]?.default !== undefined
    return isFilled || (jsonSchema.required as string[]).includes(key)
  })
  const kept = Object.entries(properties).filter(([key]) => side === 'input' || !isAbsent(key))
  return {
    ...jsonSchema,
    // The converter describes a `loose_object` like an `object`, which drops all other properties.
    ...(isLoose && { additionalProperties: {} }),
    properties: Object.fromEntries(kept),
    required: required.filter((key) => !isAbsent(key)),
  }
}

/** Matches the actions that do not change the type of their value. */
const SAME_TYPE =
  /^(brand|flavor|readonly|trim|trim_start|trim_end|to_lower_case|to_upper_case|normalize)$/

/** The result types of the actions that convert a value. */
const MADE: Readonly<Record<string, Json>> = {
  to_number: { type: 'number' },
  to_string: { type: 'string' },
  stringify_json: { type: 'string' },
  to_boolean: { type: 'boolean' },
  to_date: DATE,
  to_bigint: DIGITS,
}

function describeAction(
  { valibotAction, jsonSchema, errors }: ActionContext,
  side: SchemaSide,
): Json | undefined {
  const { type, metadata } = valibotAction
  if (type === 'metadata') {
    const { secret, visibleTo } = (metadata ?? {}) as Json
    if (secret === true) return { ...jsonSchema, secret, ...visibilityIn({ visibleTo }) }
    if (visibleTo !== undefined) return { ...jsonSchema, visibleTo }
  }
  const described = describeCheck({ valibotAction, jsonSchema, errors }, side)
  return described && { ...described, ...visibilityIn(jsonSchema) }
}

/** Returns the `visibleTo` mark of a field, which all actions keep. */
function visibilityIn({ visibleTo }: Json): Json {
  return visibleTo === undefined ? {} : { visibleTo }
}

function describeCheck(
  { valibotAction, jsonSchema, errors }: ActionContext,
  side: SchemaSide,
): Json | undefined {
  const { kind, type, requirement } = valibotAction
  // The result type of the transform is unknown, so earlier keywords no longer apply.
  if (LOSS_MARK in jsonSchema && jsonSchema.type === undefined) {
    return { [LOSS_MARK]: jsonSchema[LOSS_MARK] }
  }
  if (kind === 'transformation') return transformed(type, jsonSchema, side)
  if (type === 'mime_type' && Array.isArray(requirement)) {
    return { ...jsonSchema, 'x-content-media-type': requirement.join(', ') }
  }
  const expression = expressionOf(valibotAction)
  if (expression !== undefined) {
    return matching(expression, { type, jsonSchema, isSecond: errors !== undefined })
  }
  // The document is correct without a check that only code can perform, so omitting the check is not a loss.
  return errors === undefined ? undefined : jsonSchema
}

function transformed(type: string, jsonSchema: Json, side: SchemaSide): Json {
  if (side === 'input' || SAME_TYPE.test(type)) return jsonSchema
  return { ...(MADE[type] ?? unknown(TRANSFORM)) }
}

const TRANSFORM =
  'The result type of a transform is unknown: pipe it into a schema that describes the result.'

/** Returns the regular expression of an action, or an equivalent expression. */
function expressionOf({ type, requirement }: ValibotAction): RegExp | undefined {
  if (requirement instanceof RegExp) return requirement
  if (typeof requirement !== 'string') return undefined
  const text = requirement.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  if (type === 'starts_with') return new RegExp(`^${text}`)
  if (type === 'ends_with') return new RegExp(`${text}$`)
  return type === 'includes' ? new RegExp(text) : undefined
}

/**
 * Matches valibot formats without seconds or without a time zone. The JSON Schema formats with the same names require
 * both.
 */
const OTHER_FORMAT = /^iso_(date_time|time)$/

function matching(
  expression: RegExp,
  {
    type,
    jsonSchema,
    isSecond,
  }: { readonly type: string; readonly jsonSchema: Json; readonly isSecond: boolean },
): Json {
  const { source } = expression
  if (OTHER_FORMAT.test(type)) return { ...without('format', jsonSchema), pattern: source }
  // The converter describes this action's expression with a `format`.
  if (jsonSchema.pattern !== source && !isSecond) return jsonSchema
  const others = jsonSchema.pattern === source ? without('pattern', jsonSchema) : jsonSchema
  const pattern = withoutFlags(expression)
  if (pattern === undefined) return { ...others, ...unknown(flagsLost(expression)) }
  if (others.pattern === undefined) return { ...others, pattern }
  return { ...others, allOf: [...((others.allOf as unknown[]) ?? []), { pattern }] }
}

function without(keyword: string, { [keyword]: _, ...others }: Json): Json {
  return others
}

function withoutNull(schema: Json): Json {
  if (!Array.isArray(schema.anyOf)) return { allOf: [schema], not: { type: 'null' } }
  return { ...schema, anyOf: schema.anyOf.filter(({ type }: Json) => type !== 'null') }
}
