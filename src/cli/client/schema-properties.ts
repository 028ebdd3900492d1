import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { followReference } from '../component-reference.js'

/** A longer chain of references is treated as circular. */
const MAX_DEPTH = 20

/** The properties of a schema, including the properties of its references and parts. */
export function propertiesOf(
  schema: OpenApiSchema,
  document: OpenApiDocument,
  depth = 0,
): Record<string, OpenApiSchema> {
  if (depth > MAX_DEPTH) return {}
  if (schema.$ref !== undefined) {
    const target = followReference(schema.$ref, 'schemas', document.components?.schemas)
    return target === undefined ? {} : propertiesOf(target, document, depth + 1)
  }
  const inherited = (schema.allOf ?? []).map((part) => propertiesOf(part, document, depth + 1))
  return Object.assign({}, ...inherited, schema.properties)
}
