import type { OpenApiSchema } from '../contracts/openapi.js'
import { isNode, type Node } from './dialect/conversion.js'
import { mapSubschemas, OF_MEMBERS } from './keywords.js'

export type Json = Record<string, unknown>

const COMPONENT = '#/components/schemas/'

/** Settings for converting a document's schema to JSON Schema 2020-12. */
export interface Translation {
  /**
   * Returns the `$ref` for a component.
   *
   * @param isWhole Whether only this component describes the value. False for a part of a combination, such as a branch
   * of `allOf`.
   */
  readonly refTo: (name: string, isWhole: boolean) => string
  /** Whether only the properties that the schema describes are allowed in the object. */
  readonly isClosed: (schema: OpenApiSchema) => boolean
}

/** Returns the component name in a reference. */
export function componentName($ref: string): string {
  return $ref.slice(COMPONENT.length)
}

/** Keywords that are not constraints in this conversion and contain no schemas. */
const SILENT = ['example', 'examples', 'default', 'discriminator']

/**
 * Converts a schema from a document to JSON Schema 2020-12, at every depth. `nullable` and the boolean exclusive bounds
 * of OpenAPI 3.0.3 are replaced with their equivalents. The keywords of later versions are kept.
 */
export function toJson(schema: OpenApiSchema, translation: Translation, isWhole = true): Json {
  const { $ref, nullable, exclusiveMinimum, exclusiveMaximum } = schema
  // Keywords beside a reference are ignored (OpenAPI 3.0.3, section 4.7.23). Documents of later versions contain no
  // keywords beside a reference.
  if ($ref !== undefined) return { $ref: translation.refTo(componentName($ref), isWhole) }
  // A member is described only by its own schema.
  const json = mapSubschemas(schema as Node, (child, { relation }) =>
    isNode(child) ? toJson(child, translation, OF_MEMBERS.has(relation)) : child,
  )
  for (const key of SILENT) delete json[key]
  delete json['nullable']
  if (nullable === true && schema.type !== undefined) json['type'] = [schema.type, 'null'].flat()
  turn(json, ['minimum', 'exclusiveMinimum'], exclusiveMinimum)
  turn(json, ['maximum', 'exclusiveMaximum'], exclusiveMaximum)
  if (isWhole && translation.isClosed(schema)) json['unevaluatedProperties'] = false
  return json
}

/** Converts the OpenAPI 3.0 flag that makes a bound exclusive. */
function turn(json: Json, [from, to]: [string, string], flag: unknown): void {
  if (typeof flag !== 'boolean') return
  delete json[to]
  if (!flag) return
  json[to] = json[from]
  delete json[from]
}
