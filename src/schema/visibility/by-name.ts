import type { Node } from '../dialect/conversion.js'
import type { FoundMarks, Mark } from './marks.js'

/**
 * A schema of any value, in which all properties with the name of a marked field have its marks, at every depth. It finds
 * marked fields at places that no schema describes.
 */
export function markByName(schemas: readonly FoundMarks[]): Node {
  const marks = new Map<string, Mark[]>()
  for (const { name, mark } of schemas.flatMap(({ places }) => places)) {
    if (name !== null) marks.set(name, [...(marks.get(name) ?? []), mark])
  }
  const anywhere: Record<string, unknown> = {}
  const properties = [...marks].map(([name, of]) => {
    return [name, { allOf: [...of.map((visibleTo) => ({ visibleTo })), anywhere] }] as const
  })
  return Object.assign(anywhere, {
    properties: Object.fromEntries(properties),
    additionalProperties: anywhere,
    items: anywhere,
  })
}
