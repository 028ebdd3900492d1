import type { Schema } from '../../../src/contracts/schema.js'

/** The libraries with schemas in the corpus. */
export type Library = 'zod' | 'valibot' | 'arktype' | 'typebox' | 'json-schema'

/** A schema, and whether the document can express all of it. */
export interface CorpusEntry {
  /** Unique within its library. */
  readonly name: string
  readonly library: Library
  readonly schema: Schema
  /** Why the validator and the document accept different values; absent if they must accept the same. */
  readonly exceptions?: string
}

/** Named schemas. A schema that the document cannot express fully has a reason. */
export type Table = Readonly<Record<string, Schema | readonly [Schema, string]>>

/** The entries of one library. */
export function entriesOf(library: Library, table: Table): CorpusEntry[] {
  return Object.entries(table).map(([name, row]) => {
    if (!isPair(row)) return { name, library, schema: row }
    const [schema, exceptions] = row
    return { name, library, schema, exceptions }
  })
}

function isPair(row: Table[string]): row is readonly [Schema, string] {
  return Array.isArray(row)
}
