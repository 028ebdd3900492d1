import type { OpenApiSchema } from '../contracts/openapi.js'

export type Json = Record<string, unknown>

const COMPONENT = '#/components/schemas/'

/** Settings for the conversion from a schema of OpenAPI 3.0.3 to JSON Schema 2020-12. */
export interface Translation {
  /**
   * Returns the `$ref` to use for a component.
   *
   * @param isWhole Whether the component alone describes the value. False for a part of a combination, such
   * as a branch of `allOf`.
   */
  readonly refTo: (name: string, isWhole: boolean) => string
  /** Whether an object may have only the properties that its schema describes. */
  readonly isClosed: (schema: OpenApiSchema) => boolean
}

/** Returns the name of a component from a reference to it. */
export function componentName($ref: string): string {
  return $ref.slice(COMPONENT.length)
}

/**
 * Converts `nullable` and boolean exclusive bounds of OpenAPI 3.0.3 to their equivalents in JSON Schema
 * 2020-12, at every depth.
 */
export function toJson(schema: OpenApiSchema, translation: Translation, isWhole = true): Json {
  const { $ref, nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  // Keywords beside a reference are ignored (OpenAPI 3.0.3, section 4.7.24).
  if ($ref !== undefined) return { $ref: translation.refTo(componentName($ref), isWhole) }
  const json: Json = { ...rest }
  // These keywords constrain nothing here, and their values are not schemas. The keywords that constrain are
  // converted below.
  for (const key of ['example', 'default', 'discriminator']) delete json[key]
  if (nullable === true && schema.type !== undefined) json['type'] = [schema.type, 'null']
  if (exclusiveMinimum === true) turn(json, 'minimum', 'exclusiveMinimum')
  if (exclusiveMaximum === true) turn(json, 'maximum', 'exclusiveMaximum')
  for (const key of ['items', 'additionalProperties'] as const) {
    const child = schema[key]
    if (typeof child === 'object') json[key] = toJson(child, translation)
  }
  if (schema.not !== undefined) json['not'] = toJson(schema.not, translation, false)
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts = schema[key]
    if (parts !== undefined) json[key] = parts.map((part) => toJson(part, translation, false))
  }
  if (schema.properties !== undefined) {
    json['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, toJson(child, translation)]),
    )
  }
  if (isWhole && translation.isClosed(schema)) json['unevaluatedProperties'] = false
  return json
}

function turn(json: Json, from: string, to: string): void {
  json[to] = json[from]
  delete json[from]
}
