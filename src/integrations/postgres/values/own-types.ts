import type { Field, QueryResult, Statement } from '../driver.js'
import { arrayOf, isKnown, type Reader, type ReaderOf, readersFor } from './read-value.js'

/** Sends a statement to the database from which the result came. */
type Ask = (statement: Statement) => Promise<QueryResult>

/** The element type of an array, and the separator. */
interface Elements {
  readonly oid: number
  readonly delimiter: string
}

/** The maximum number of cached types. There can be any number of types, because each temporary table is a type. */
const MOST_TYPES = 1000

/** Finds the element type of each array type. A domain is read as its base type. */
const FIND_ELEMENTS = `with recursive element as (
    select list.oid as list, own.oid, own.typtype, own.typbasetype, own.typdelim
    from pg_catalog.pg_type as own join pg_catalog.pg_type as list on list.oid = own.typarray
    where list.oid = any($1::oid[])
  union all
    select element.list, base.oid, base.typtype, base.typbasetype, element.typdelim
    from element join pg_catalog.pg_type as base on base.oid = element.typbasetype
    where element.typtype = 'd'
  )
  select list, oid, typdelim::text as delimiter from element where typtype <> 'd'`

/**
 * Reads arrays whose types only the database can describe: arrays of enums, domains, ranges, composite types, and
 * extension types. A driver returns them as strings. The type numbers differ between databases, so the catalog is read
 * once for each type.
 */
export class OwnTypes {
  /** The element types, by type number; `null` for a type that is not an array. */
  readonly #elements = new Map<number, Elements | null>()

  /**
   * Reads the arrays in a result, in place.
   *
   * @param ask Sends a query when a type occurs for the first time.
   */
  async read(result: QueryResult, statement: Statement, ask: Ask): Promise<QueryResult> {
    await this.#find(
      result.fields.map(({ dataTypeID }) => dataTypeID),
      ask,
    )
    const readerOf = this.#readerOf(readersFor(statement))
    if (statement.rowMode === 'array') {
      result.fields.forEach(({ dataTypeID }, index) => {
        if (!isKnown(dataTypeID)) readAll(result.rows, index, readerOf(dataTypeID))
      })
      return result
    }
    // If several columns have the same name, the last one is used.
    const types = new Map(result.fields.map(({ name, dataTypeID }) => [name, dataTypeID]))
    for (const [name, oid] of types) if (!isKnown(oid)) readAll(result.rows, name, readerOf(oid))
    return result
  }

  /** Finds the element types of arrays. An array of a domain over an array needs an additional level. */
  async #find(oids: readonly number[], ask: Ask): Promise<void> {
    const isNew = (oid: number) => !isKnown(oid) && !this.#elements.has(oid)
    const unknown = [...new Set(oids)].filter(isNew)
    if (unknown.length === 0) return
    const { rows } = await ask({ text: FIND_ELEMENTS, values: [unknown] })
    if (this.#elements.size + unknown.length > MOST_TYPES) this.#elements.clear()
    for (const oid of unknown) this.#elements.set(oid, null)
    for (const { list, oid, delimiter } of rows)
      this.#elements.set(Number(list), { oid: Number(oid), delimiter: String(delimiter) })
    await this.#find(
      rows.map(({ oid }) => Number(oid)),
      ask,
    )
  }

  #readerOf(known: ReaderOf): ReaderOf {
    return (oid) => {
      const elements = this.#elements.get(oid)
      if (elements === undefined || elements === null) return known(oid)
      return arrayOf(this.#readerOf(known)(elements.oid), elements.delimiter)
    }
  }
}

/** Whether the driver has read all values of a result: no value has a type that {@link OwnTypes} must read. */
export function isRead({ rows, fields }: QueryResult, { texts }: Statement): boolean {
  return rows.length === 0 || fields.every(isKnownField) || texts === 'all'
}

function isKnownField({ dataTypeID }: Field): boolean {
  return isKnown(dataTypeID)
}

function readAll(rows: readonly object[], key: string | number, read: Reader): void {
  for (const row of rows as Record<string | number, unknown>[]) {
    const value = row[key]
    if (typeof value === 'string') row[key] = read(value)
  }
}
