import type { OpenApiSchema } from '../contracts/openapi.js'

export type Json = Record<string, unknown>

const COMPONENT = '#/components/schemas/'

/** How a schema of OpenAPI 3.0.3 becomes one of JSON Schema 2020-12. */
export interface Translation {
  /**
   * Where a component is found.
   *
   * @param isWhole Whether the component alone says what the value may be; a branch of `allOf` is a part of that.
   */
  readonly refTo: (name: string, isWhole: boolean) => string
  /** Whether an object may have only the properties that are described. */
  readonly isClosed: (schema: OpenApiSchema) => boolean
}

/** The name of a component, from a reference to it. */
export function componentName($ref: string): string {
  return $ref.slice(COMPONENT.length)
}

/** Version 3.0's words for `null` and exclusive bounds in those of JSON Schema 2020-12. */
export function toJson(schema: OpenApiSchema, translation: Translation, isWhole = true): Json {
  const { $ref, nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  // Whatever stands beside a reference is ignored (4.7.24).
  if ($ref !== undefined) return { $ref: translation.refTo(componentName($ref), isWhole) }
  const json: Json = { ...rest }
  // They may be called anything; what constrains is translated below.
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
