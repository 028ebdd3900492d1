import type { OpenApiSchema } from '../contracts/openapi.js'
import { mapChildren, someBelow } from '../schema/keywords.js'
import { setOwn } from '../schema/set-own.js'

/** The prefix of every reference to a component. */
export const COMPONENT = '#/components/schemas/'

/**
 * Renames the references in a schema at every depth, including discriminators. `rename` maps an old component name to
 * the new name. Returns a copy, or the schema itself if it has no references.
 */
export function mapReferences(
  schema: OpenApiSchema,
  rename: (name: string) => string,
): OpenApiSchema {
  const renamed = ($ref: string) => COMPONENT + rename($ref.slice(COMPONENT.length))
  const { $ref, discriminator } = schema
  if ($ref !== undefined) return { $ref: renamed($ref) }
  if (!refers(schema) && !someBelow(schema, refers)) return schema
  const mapped = mapChildren(schema, (child) => mapReferences(child, rename))
  const { mapping } = discriminator ?? {}
  if (discriminator === undefined || mapping === undefined) return mapped
  const targets = Object.entries(mapping).map(([value, target]) => [value, renamed(target)])
  return { ...mapped, discriminator: { ...discriminator, mapping: Object.fromEntries(targets) } }
}

/**
 * Returns the names of the components to which a schema refers directly. References inside these components are not
 * included.
 */
export function referencesOf(schema: OpenApiSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const note = ({ $ref, discriminator }: OpenApiSchema): boolean => {
    const targets = Object.values(discriminator?.mapping ?? {})
    for (const each of $ref === undefined ? targets : [$ref]) {
      names.add(each.slice(COMPONENT.length))
    }
    return false
  }
  note(schema)
  someBelow(schema, note)
  return names
}

function refers({ $ref, discriminator }: OpenApiSchema): boolean {
  return $ref !== undefined || discriminator?.mapping !== undefined
}

/**
 * Returns a deep copy of plain data. Tools that resolve references modify the document that they receive, so documents
 * must not share objects. For a document with 1,000 operations, this takes about half the time of a copy with
 * `JSON.stringify` and `JSON.parse`.
 */
export function deepCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => deepCopy(item)) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) {
    const child: unknown = value[key]
    // As in JSON, properties with the value `undefined` are omitted.
    if (child === undefined) continue
    setOwn(copy, key, deepCopy(child))
  }
  return copy as T
}
