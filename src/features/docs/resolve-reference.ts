import type { OpenApiDocument, OpenApiSchema, Reference } from '../../contracts/openapi.js'

/** The name at the end of `#/components/<kind>/<name>`. */
export function referenceName({ $ref }: Reference): string {
  const escaped = $ref.slice($ref.lastIndexOf('/') + 1)
  return escaped.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** What a reference stands for, or the thing itself; `null` where the reference leads nowhere. */
export function resolveReference<T extends object>(
  given: T | Reference,
  known: Readonly<Record<string, T>> | undefined,
): T | null {
  if (!('$ref' in given) || given.$ref === undefined) return given as T
  const name = referenceName(given as Reference)
  return known !== undefined && Object.hasOwn(known, name) ? (known[name] ?? null) : null
}

/** A schema after all references at its root; `null` where they lead nowhere or in a circle. */
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
