import type { OpenApiSchema } from '../contracts/openapi.js'
import { mapChildren, someBelow } from '../schema/map-children.js'

/** How a reference to a component begins. */
export const COMPONENT = '#/components/schemas/'

/** A copy of a schema whose references, however deep, point to what `rename` says of the component's name; itself, where it has none. */
export function mapReferences(
  schema: OpenApiSchema,
  rename: (name: string) => string,
): OpenApiSchema {
  const { $ref } = schema
  if ($ref !== undefined) return { $ref: COMPONENT + rename($ref.slice(COMPONENT.length)) }
  if (!someBelow(schema, ({ $ref }) => $ref !== undefined)) return schema
  return mapChildren(schema, (child) => mapReferences(child, rename))
}

/** Names of the components that a schema refers to itself. */
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
