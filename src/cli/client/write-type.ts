import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { componentName } from '../component-reference.js'
import { comment, propertyKey } from './identifiers.js'

/** Settings of {@link writeType}. */
export interface TypeContext {
  /** The TypeScript type names, by key in `components/schemas`. */
  readonly names: ReadonlyMap<string, string>
  /** The type for `format: binary`: `Blob` if the client sends files, otherwise `string`. */
  readonly binary: 'Blob' | 'string'
  readonly indent: string
  /**
   * Whether the client sends the value. If so, an optional field can be `undefined`, even with
   * `exactOptionalPropertyTypes`, and the client omits it. Default: `false`.
   */
  readonly isSent?: boolean
}

/** Returns a schema as a TypeScript type. */
export function writeType(schema: OpenApiSchema, context: TypeContext): string {
  const type = intersect(partsOf(schema, context))
  // OpenAPI 3.0 ignores `nullable` beside `allOf`, but documents use it to allow null.
  return schema.nullable === true ? union([type, 'null']) : type
}

/** Returns the types that a value must match at the same time. */
function partsOf(schema: OpenApiSchema, context: TypeContext): string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref, context)]
  if (schema.enum !== undefined) return [union(schema.enum.map(literal))]
  const parts = [ownType(schema, context)]
  for (const part of schema.allOf ?? []) parts.push(writeType(part, context))
  for (const choice of [schema.oneOf, schema.anyOf]) {
    if (choice !== undefined) parts.push(union(choice.map((each) => writeType(each, context))))
  }
  return parts
}

function nameOf(ref: string, { names }: TypeContext): string {
  return names.get(componentName(ref, 'schemas')) ?? 'unknown'
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function ownType(schema: OpenApiSchema, context: TypeContext): string {
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? context.binary : 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return schema.prefixItems === undefined
        ? arrayOf(writeType(schema.items ?? {}, context))
        : tupleOf(schema.prefixItems, schema, context)
    default:
      return schema.type === 'object' || schema.properties !== undefined
        ? objectType(schema, context)
        : 'unknown'
  }
}

function objectType(schema: OpenApiSchema, context: TypeContext): string {
  const rest = restType(schema, context)
  const inner = { ...context, indent: `${context.indent}  ` }
  const required = new Set(schema.required)
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    writeProperty({ name, schema: property, isOptional: !required.has(name) }, inner),
  )
  if (properties.length === 0) return rest === null ? '{ [key: string]: unknown }' : rest
  // The type of an index signature must be compatible with every property. Only `unknown` is always compatible.
  const open = isOpen(schema) ? [`${inner.indent}[key: string]: unknown;\n`] : []
  return `{\n${[...properties, ...open].join('')}${context.indent}}`
}

/** Returns the type of an object without known properties; `null` if the schema has no `additionalProperties`. */
function restType(schema: OpenApiSchema, context: TypeContext): string | null {
  const { additionalProperties: rest } = schema
  if (rest === undefined) return null
  if (rest === false) return '{ [key: string]: never }'
  const type = rest === true ? 'unknown' : writeType(rest, context)
  // `Record<string, …>` is not used, because a type alias that refers to itself through `Record` does not compile.
  return `{ [key: string]: ${type} }`
}

function isOpen({ additionalProperties: rest }: OpenApiSchema): boolean {
  return rest === true || typeof rest === 'object'
}

/** A property of an object type. */
export interface PropertyFacts {
  readonly name: string
  readonly schema: OpenApiSchema
  readonly isOptional: boolean
}

/** Returns a property with its comment, as complete lines. */
export function writeProperty(property: PropertyFacts, context: TypeContext): string {
  const { name, schema, isOptional } = property
  const note = comment(
    { text: schema.description, isDeprecated: schema.deprecated },
    context.indent,
  )
  const type = writeType(schema, context)
  const full = isOptional && context.isSent === true ? union([type, 'undefined']) : type
  return `${note}${context.indent}${propertyKey(name)}${isOptional ? '?' : ''}: ${full};\n`
}

/** Returns a union such as `A | B`, without duplicates. */
export function union(types: readonly string[]): string {
  const members = new Set(types)
  if (members.size === 0) return 'never'
  if (members.has('unknown')) return 'unknown'
  return [...members].join(' | ')
}

function intersect(types: readonly string[]): string {
  const members = new Set(types)
  members.delete('unknown')
  if (members.size === 0) return 'unknown'
  if (members.size === 1) return [...members].join('')
  return [...members].map((type) => (joinsWith('|', type) ? `(${type})` : type)).join(' & ')
}

function arrayOf(type: string): string {
  return joinsWith('|', type) || joinsWith('&', type) ? `(${type})[]` : `${type}[]`
}

/**
 * Returns a tuple type. Items beyond `minItems` are optional. `items` is the schema of additional items. It also
 * includes the schemas of the positions.
 */
function tupleOf(
  places: readonly OpenApiSchema[],
  { items = {}, minItems = 0, maxItems }: OpenApiSchema,
  context: TypeContext,
): string {
  const types = places.map((place, at) => {
    const type = writeType(place, context)
    if (at < minItems) return type
    return `${joinsWith('|', type) || joinsWith('&', type) ? `(${type})` : type}?`
  })
  const isOpen = maxItems === undefined || maxItems > places.length
  const rest = isOpen ? [`...${arrayOf(writeType(items, context))}`] : []
  return `[${[...types, ...rest].join(', ')}]`
}

/** Whether a type is a union (`|`) or an intersection (`&`) at its outermost level. */
function joinsWith(operator: '|' | '&', type: string): boolean {
  const outer = type.replace(/"(?:[^"\\]|\\.)*"/g, '')
  let depth = 0
  for (const character of outer) {
    if ('{([<'.includes(character)) depth++
    if ('})]>'.includes(character)) depth--
    if (character === operator && depth === 0) return true
  }
  return false
}
