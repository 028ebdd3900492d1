import type { Schema } from '../../../src/contracts/schema.js'

/** The libraries whose schemas the corpus holds. */
export type Library = 'zod' | 'valibot' | 'arktype' | 'typebox' | 'json-schema'

/** A schema, and whether the document can say all of it. */
export interface CorpusEntry {
  /** Unique within its library. */
  readonly name: string
  readonly library: Library
  readonly schema: Schema
  /** Why the validator and the document do not accept the same values; absent where they must. */
  readonly exceptions?: string
}

/** Named schemas; with a reason where the document cannot say all of one. */
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
