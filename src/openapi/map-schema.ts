import type { OpenApiSchema } from '../contracts/openapi.js'
import { mapChildren, someBelow } from '../schema/map-children.js'

/** The beginning of every reference to a component. */
export const COMPONENT = '#/components/schemas/'

/**
 * Renames the references of a schema at every depth: `rename` maps the old component name to the new one.
 * Returns a copy, or the schema itself when it has no references.
 */
export function mapReferences(
  schema: OpenApiSchema,
  rename: (name: string) => string,
): OpenApiSchema {
  const { $ref } = schema
  if ($ref !== undefined) return { $ref: COMPONENT + rename($ref.slice(COMPONENT.length)) }
  if (!someBelow(schema, ({ $ref }) => $ref !== undefined)) return schema
  return mapChildren(schema, (child) => mapReferences(child, rename))
}

/** The names of the components that a schema refers to. References inside those components do not count. */
export function referencesOf(schema: OpenApiSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const note = ({ $ref }: OpenApiSchema): boolean => {
    if ($ref !== undefined) names.add($ref.slice(COMPONENT.length))
    return false
  }
  note(schema)
  someBelow(schema, note)
  return names
}
