import type { SchemaSide } from '../../contracts/openapi.js'
import { ABSENT_MARK, COERCED_MARK, LOSS_MARK, toJsonValue } from '../dialect/conversion.js'
import { withoutFlags } from '../dialect/pattern.js'
import {
  BIGINT,
  BINARY,
  COMMON_FORMS,
  flagsLost,
  installed,
  ofClass,
  unknown,
} from './library-result.js'

/** The part of a zod 4 schema that this file reads. */
interface ZodNode {
  readonly _zod: {
    readonly def: {
      readonly type: string
      readonly catchall?: unknown
      readonly coerce?: unknown
      readonly in?: ZodNode
      readonly checks?: readonly {
        readonly _zod: { readonly def: { readonly pattern?: unknown } }
      }[]
      readonly pattern?: unknown
      readonly defaultValue?: unknown
      /** The property that selects the alternative of a `z.discriminatedUnion`. */
      readonly discriminator?: unknown
    }
    readonly bag: { readonly Class?: unknown }
  }
}

type Json = Record<string, unknown>

interface Override {
  readonly zodSchema: ZodNode
  readonly jsonSchema: Json
}

/** The formats that other tools support. Zod's other format names have no meaning outside zod. */
const FORMATS = new Set(`date date-time duration email hostname ipv4 ipv6 uri uuid`.split(' '))

/** The schemas of types that zod calls unrepresentable. */
const IN_JSON: Readonly<Record<string, Json>> = {
  ...COMMON_FORMS,
  transform: unknown(
    'The result type of a transform is unknown: pipe it into a schema that describes the result.',
  ),
}

/** Options for `~standard.jsonSchema` of zod 4.2 and later. */
export function zodOptions(side: SchemaSide): Record<string, unknown> {
  return {
    unrepresentable: 'any',
    override: (context: Override) => describe(context, side),
  }
}

type ToJsonSchema = (schema: object, options: object) => unknown

/**
 * Uses the installed zod to describe a schema from zod 4.0, zod 4.1 or zod/mini, which has no `~standard.jsonSchema`.
 * Returns `undefined` for a zod 3 schema, which zod 4 cannot describe, and if zod 4 is not installed.
 */
export function describeOldZod(
  schema: object,
  { side, target }: { readonly side: SchemaSide; readonly target: string },
): unknown {
  if (!('_zod' in schema)) return undefined
  const toJsonSchema = installed('zod')?.toJSONSchema as ToJsonSchema | undefined
  return toJsonSchema?.(schema, { io: side, target, ...zodOptions(side) })
}

function describe({ zodSchema, jsonSchema }: Override, side: SchemaSide): void {
  describeType(zodSchema, jsonSchema, side)
  if (isCoerced(zodSchema)) jsonSchema[COERCED_MARK] = true
  // Zod converts its result to JSON, which throws if any value is a bigint.
  if ('default' in jsonSchema) jsonSchema.default = toJsonValue(jsonSchema.default)
  if ('example' in jsonSchema) jsonSchema.example = toJsonValue(jsonSchema.example)
  if ('examples' in jsonSchema) jsonSchema.examples = toJsonValue(jsonSchema.examples)
}

/**
 * Whether a schema converts a value before validation, as `z.coerce` and `z.preprocess` do. The description of
 * `z.preprocess` describes its result instead of its input.
 */
function isCoerced({ _zod: { def } }: ZodNode): boolean {
  return def.coerce === true || (def.type === 'pipe' && def.in?._zod.def.type === 'transform')
}

function describeType(zodSchema: ZodNode, jsonSchema: Json, side: SchemaSide): void {
  const { type } = zodSchema._zod.def
  switch (type) {
    case 'string':
      return describeString(zodSchema, jsonSchema)
    case 'object':
      return describeObject(zodSchema, { jsonSchema, side })
    case 'number':
    case 'boolean':
    case 'array':
    case 'optional':
      return
    // `readOnly` in OpenAPI means that the client must not send the value. `readonly` in zod means that the
    // handler must not change it.
    case 'readonly':
      delete jsonSchema.readOnly
      return
    case 'default':
    case 'prefault':
      return describeDefault(zodSchema, jsonSchema)
  }
  if (jsonSchema.$ref === undefined) describeInline(zodSchema, jsonSchema)
  if (type === 'bigint' && side === 'output') jsonSchema[LOSS_MARK] = BIGINT
}

/** Describes types that zod describes incorrectly or not at all. A `$ref` already points to a complete description. */
function describeInline(zodSchema: ZodNode, jsonSchema: Json): void {
  const { type, discriminator: propertyName } = zodSchema._zod.def
  const known = IN_JSON[type]
  if (typeof propertyName === 'string') jsonSchema.discriminator ??= { propertyName }
  if (known !== undefined) Object.assign(jsonSchema, known)
  if (type === 'custom') describeCustom(zodSchema, jsonSchema)
  if (type === 'file') describeFile(jsonSchema)
}

function describeCustom({ _zod: { bag } }: ZodNode, jsonSchema: Json): void {
  const cause =
    'The values that a custom check accepts are unknown: the document accepts any value.'
  Object.assign(jsonSchema, ofClass(bag.Class) ?? unknown(cause))
}

/** Describes an object. By default, zod drops unknown properties, so an additional property is not refused. */
function describeObject(
  { _zod: { def } }: ZodNode,
  { jsonSchema, side }: { readonly jsonSchema: Json; readonly side: SchemaSide },
): void {
  if (def.catchall === undefined) delete jsonSchema.additionalProperties
  if (side === 'input') return
  const properties = (jsonSchema.properties ?? {}) as Record<string, Json>
  const absent = Object.keys(properties).filter((key) => properties[key]?.[ABSENT_MARK] === true)
  if (absent.length === 0) return
  for (const key of absent) delete properties[key]
  const required = (jsonSchema.required ?? []) as string[]
  jsonSchema.required = required.filter((key) => !absent.includes(key))
}

function describeString({ _zod: { def } }: ZodNode, jsonSchema: Json): void {
  const { format } = jsonSchema
  if (typeof format === 'string' && !FORMATS.has(format)) delete jsonSchema.format
  if (def.pattern instanceof RegExp) describePattern(def.pattern, jsonSchema)
  for (const { _zod } of def.checks ?? []) {
    const { pattern } = _zod.def
    if (pattern instanceof RegExp) describePattern(pattern, jsonSchema)
  }
}

/** Describes a regular expression with its flags. Zod includes only the source of an expression. */
function describePattern(expression: RegExp, jsonSchema: Json): void {
  const pattern = withoutFlags(expression)
  const { source } = expression
  if (pattern === source) return
  if (pattern === undefined) jsonSchema[LOSS_MARK] = flagsLost(expression)
  for (const part of [jsonSchema, ...((jsonSchema.allOf ?? []) as Json[])]) {
    if (part.pattern !== source) continue
    if (pattern === undefined) delete part.pattern
    else part.pattern = pattern
  }
}

/**
 * In OpenAPI, the allowed file types are part of the form's description, so the schema contains them as an extension.
 */
function describeFile(jsonSchema: Json): void {
  const { anyOf, contentMediaType, ...others } = jsonSchema
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
  Object.assign(jsonSchema, others, BINARY)
  const types = Array.isArray(anyOf) ? anyOf.map((part: Json) => part.contentMediaType) : []
  const all = [contentMediaType, ...types].filter((type) => typeof type === 'string')
  if (all.length > 0) jsonSchema['x-content-media-type'] = all.join(', ')
}

/**
 * Removes a default that can differ on each call (a date, an identifier), because otherwise each document would be
 * different.
 */
function describeDefault({ _zod: { def } }: ZodNode, jsonSchema: Json): void {
  const [first, second] = [def.defaultValue, def.defaultValue]
  const isStable = JSON.stringify(toJsonValue(first)) === JSON.stringify(toJsonValue(second))
  if (isStable && !(first instanceof Date)) return
  delete jsonSchema.default
  delete jsonSchema._prefault
}
