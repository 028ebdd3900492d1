import type { CursorPage, CursorResult, OrderField } from '../../index.js'
import type { Database } from './database.js'
import { type Sql, sql } from './sql.js'

/** The column that has the values of the order as text. No other name of a column begins like this. */
const KEYS = '~keys'

type Keyed = { [KEYS]: readonly string[] }

/**
 * Reads one page of a query. The page begins after the last row of the page before (keyset pagination), so no row is
 * missing or repeated while other rows are inserted and deleted, and later pages are as fast as the first, if an index
 * has the columns of the order.
 *
 * The values of the order go from PostgreSQL into the cursor and back as text, so a `timestamptz` keeps its microseconds,
 * and a `bigint` all of its digits.
 *
 * @param db The database.
 * @param page The page of the request: `OrderPages.of(req)`.
 * @param query A `select` without `order by` and `limit`. Its columns have the names of the fields of the order, and
 * these columns must not be null.
 * @returns the items and the cursor of the next page.
 * @throws TypeError if a column of the order is null, or two rows have the same values of the order; the errors of
 * `Database.query`.
 * @example
 * list(req: Req<{ query: typeof OrderPages.query }>) {
 *   return readPage<Order>(db, OrderPages.of(req), sql`select id, total, placed_at as "placedAt" from orders`)
 * }
 */
export async function readPage<TRow extends object = Record<string, unknown>>(
  db: Pick<Database, 'query'>,
  page: CursorPage,
  query: Sql,
): Promise<CursorResult<TRow>> {
  const { rows } = await db.query<TRow & Keyed>(keyset(page, query))
  const { items, next } = page.make(rows, (row) => row[KEYS])
  for (const item of items) delete (item as Partial<Keyed>)[KEYS]
  return { items, next }
}

function keyset({ order, after, take }: CursorPage, query: Sql): Sql {
  const columns = order.map(({ field }) => columnOf(field))
  const texts = sql.join(columns.map((column) => sql`${column}::text`))
  const values = after === null ? null : order.map(({ field }) => after[field])
  const where = values === null ? sql`` : sql` where ${isAfter(order, values)}`
  const by = sql.join(
    order.map(({ isDescending }, index) =>
      isDescending ? sql`${columns[index]} desc` : sql`${columns[index]}`,
    ),
  )
  return sql`select rows.*, json_build_array(${texts}) as ${sql.id(KEYS)} from (${query}) as rows${where} order by ${by} limit ${take}`
}

function columnOf(field: string): Sql {
  return sql.id('rows', field)
}

/**
 * The condition of the rows after some values. A comparison of rows can use an index with the same columns. It compares
 * all columns in one direction, so an order with two directions is written out.
 */
function isAfter(order: readonly OrderField[], values: readonly unknown[]): Sql {
  const first = order[0]?.isDescending
  if (order.every(({ isDescending }) => isDescending === first)) {
    const columns = sql.join(order.map(({ field }) => columnOf(field)))
    return sql`(${columns}) ${first ? sql`<` : sql`>`} (${sql.join(values)})`
  }
  const cases = order.map((last, index) => {
    const equal = order
      .slice(0, index)
      .map(({ field }, place) => sql`${columnOf(field)} = ${values[place]}`)
    const beyond = sql`${columnOf(last.field)} ${last.isDescending ? sql`<` : sql`>`} ${values[index]}`
    return sql`(${sql.join([...equal, beyond], ' and ')})`
  })
  return sql`(${sql.join(cases, ' or ')})`
}
