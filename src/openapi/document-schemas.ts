import type { OpenApiSchema } from '../contracts/openapi.js'
import { deepCopy, referencesOf } from './map-schema.js'
import type { SettledSchemas } from './schema-registry.js'

/** The schemas of one document during its construction. They do not share objects with any other document. */
export interface DocumentSchemas extends SettledSchemas {
  /** Returns a copy for the document, and registers the components to which the schema refers. */
  copy(schema: OpenApiSchema): OpenApiSchema
  /** Registers the components to which a schema refers, for a schema that is used without a copy. */
  note(schema: OpenApiSchema): void
  /** Returns the components to which a schema or another component refers, sorted by name. */
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
      return deepCopy(schema)
    },
    components() {
      const found: [string, OpenApiSchema][] = []
      // The set grows during this loop: each component adds the components to which it refers.
      for (const name of referred) {
        const schema = settled.component(name) ?? {}
        note(schema)
        found.push([name, deepCopy(schema)])
      }
      return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
