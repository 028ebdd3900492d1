import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import { KeyedSchema } from './composed-schemas.js'
import { isNode, LOSS_MARK } from './dialect/conversion.js'
import { namesIn } from './fields/matcher.js'
import { jsonIfDescribed } from './json-once.js'
import { partsOf, zodOf } from './schema-parts.js'
import { isStandard, validateNow } from './validate-now.js'

/** The schemas of each field of an object, by name. In a union, a field can have several schemas. */
export type ObjectFields = ReadonlyMap<string, readonly unknown[]>

/**
 * Lists the fields in the schema of an object.
 *
 * @returns `null` if the fields cannot be read, because the schema describes another kind of value, or because its
 * library is unknown and cannot describe it.
 */
export function objectFields(schema: Schema): ObjectFields | null {
  // The result of a transform can have other field names. These names are used only if no other part of the schema has
  // names, as in `z.preprocess`.
  const fields = fieldsOf(schema, false) ?? fieldsOf(schema, true)
  if (fields !== null) return fields
  const properties = describedProperties(schema)
  return properties && new Map(Object.entries(properties).map(([name, json]) => [name, [json]]))
}

function fieldsOf(schema: Schema, withResults: boolean): ObjectFields | null {
  const fields = new Map<string, unknown[]>()
  let isObject = false
  for (const part of partsOf(schema, { withResults })) {
    const entries = entriesOf(part)
    isObject ||= entries !== null
    for (const [name, field] of entries ?? []) {
      fields.set(name, [...(fields.get(name) ?? []), field])
    }
  }
  return isObject ? fields : null
}

type Entries = readonly (readonly [string, unknown])[]

/** Returns the fields of an object schema from zod, valibot or arktype, or of a JSON Schema. */
function entriesOf(part: Readonly<Record<string, unknown>>): Entries | null {
  const named = zodOf(part).def?.['shape'] ?? (zodOf(part).def ? undefined : part['entries'])
  const properties = named ?? ('~standard' in part ? undefined : part['properties'])
  // In arktype, the fields are in `props`, whose getter throws for schemas that do not describe objects.
  if (properties === undefined && typeof part === 'function') return propsOf(part)
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : null
}

/** A field of an arktype type. Only a field with a default value has `default`. */
interface Prop {
  readonly key: unknown
  readonly value: unknown
  readonly default?: unknown
}

function propsOf(type: { readonly props?: readonly Prop[] }): Entries | null {
  const props = readProps(type)
  // An arktype list also has `props`, which are empty.
  return props.length === 0 ? null : props.map(({ key, value }) => [String(key), value] as const)
}

function readProps(type: { readonly props?: readonly Prop[] }): readonly Prop[] {
  try {
    return type.props ?? []
  } catch {
    return []
  }
}

function describedProperties(schema: Schema): object | null {
  const json = jsonIfDescribed(schema, { side: 'input' }) as
    | { properties?: unknown }
    | null
    | undefined
  const properties = json?.properties
  return typeof properties === 'object' ? properties : null
}

/**
 * Lists the names of all fields in a schema.
 *
 * @returns `null` if the library cannot describe the schema.
 */
export function fieldNames(
  schema: Schema,
  converters: SchemaConverters | undefined,
): ReadonlySet<string> | null {
  const fields = objectFields(schema)
  const json = jsonIfDescribed(schema, { side: 'input', converters })
  if (fields === null && (!isNode(json) || LOSS_MARK in json)) return null
  return new Set([...(fields?.keys() ?? []), ...namesIn(json)])
}

/**
 * Returns the fields of an object that have a value after validation even if the input omits them. If the validation is
 * asynchronous, only defaults that are visible in the schema count.
 */
export function defaultedFields(schema: Schema): readonly string[] {
  if (schema instanceof KeyedSchema) {
    const entries = Object.entries(schema.entries)
    return entries.flatMap(([name, part]) => (part !== null && isFilled(part) ? [name] : []))
  }
  if (!isStandard(schema)) return withDefault(schema)
  const fields = objectFields(schema) ?? new Map<string, readonly unknown[]>()
  const whole = validateNow(schema, {})
  if (whole !== undefined) {
    const made = Object(whole.value)
    return [...fields.keys()].filter(
      (name) => Object.hasOwn(made, name) && made[name] !== undefined,
    )
  }
  // The validation is asynchronous, or it refuses an empty object, for example because a required field is missing.
  if (schema['~standard'].vendor === 'arktype') {
    const filled = readProps(schema as object).filter((prop) => 'default' in prop)
    return filled.map(({ key }) => String(key))
  }
  return [...fields].flatMap(([name, alternatives]) =>
    alternatives.some((each) => isFilled(each as Schema)) ? [name] : [],
  )
}

/** Whether a field's schema provides a value when the field is missing. */
function isFilled(field: Schema): boolean {
  if (!isStandard(field)) return field['default'] !== undefined
  // For valibot, only a default counts: without one, valibot refuses an object that lacks the field.
  if (field['~standard'].vendor === 'valibot')
    return (field as { default?: unknown }).default !== undefined
  return validateNow(field, undefined)?.value !== undefined
}

/** Returns the properties of a JSON Schema that have a default. Ajv does not apply defaults in alternatives. */
function withDefault(json: unknown): readonly string[] {
  const { properties = {}, allOf = [] } = Object(json) as {
    readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>
    readonly allOf?: readonly unknown[]
  }
  const own = Object.entries(properties).filter(([, field]) => field.default !== undefined)
  return [...own.map(([name]) => name), ...allOf.flatMap(withDefault)]
}
