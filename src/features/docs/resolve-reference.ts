import type { OpenApiDocument, OpenApiSchema, Reference } from '../../contracts/openapi-3-0.js'

/** Returns the name at the end of `#/components/<kind>/<name>`. */
export function referenceName({ $ref }: Reference): string {
  const escaped = $ref.slice($ref.lastIndexOf('/') + 1)
  return escaped.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Returns the target of a reference, or the value itself if it is no reference; `null` if the target does not
 * exist.
 */
export function resolveReference<T extends object>(
  given: T | Reference,
  known: Readonly<Record<string, T>> | undefined,
): T | null {
  if (!('$ref' in given) || given.$ref === undefined) return given as T
  const name = referenceName(given as Reference)
  return known !== undefined && Object.hasOwn(known, name) ? (known[name] ?? null) : null
}

/**
 * Follows all references at the root of a schema; `null` if a target does not exist or the references form a
 * cycle.
 */
export function resolveSchema(
  schema: OpenApiSchema,
  { components }: OpenApiDocument,
): OpenApiSchema | null {
  const seen = new Set<OpenApiSchema>()
  let current: OpenApiSchema | null = schema
  while (current?.$ref !== undefined && !seen.has(current)) {
    seen.add(current)
    current = resolveReference<OpenApiSchema>(current, components.schemas)
  }
  return current?.$ref === undefined ? current : null
}
