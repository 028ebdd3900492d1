import type { OpenApiSchema } from '../contracts/openapi.js'
import { referencesOf } from './map-schema.js'
import { ownCopy } from './own-copy.js'
import type { SettledSchemas } from './schema-registry.js'

/** The schemas of one document that is being written, which shares none with another. */
export interface DocumentSchemas extends SettledSchemas {
  /** A copy to stand in the document; what it refers to will be among the components. */
  copy(schema: OpenApiSchema): OpenApiSchema
  /** Notes what a schema refers to that stands in the document as it is. */
  note(schema: OpenApiSchema): void
  /** Everything that was referred to, and what that refers to, by name, sorted. */
  components(): Readonly<Record<string, OpenApiSchema>>
}

export function schemasOfDocument(settled: SettledSchemas): DocumentSchemas {
  const referred = new Set<string>()
  const note = (schema: OpenApiSchema): void => {
    for (const name of referencesOf(schema)) referred.add(name)
  }
  return {
    ...settled,
    note,
    copy(schema) {
      if (settled.hasReferences) note(schema)
      return ownCopy(schema)
    },
    components() {
      const found: [string, OpenApiSchema][] = []
      // Grows while it is walked, by what the components refer to.
      for (const name of referred) {
        const schema = settled.component(name) ?? {}
        note(schema)
        found.push([name, ownCopy(schema)])
      }
      return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
