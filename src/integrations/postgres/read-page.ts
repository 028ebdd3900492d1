import type { CursorPage, CursorResult, NumberedPage, PageResult } from '../../index.js'
import type { OrderField } from '../../plugin/index.js'
import type { Database } from './database.js'
import { keysetOf, orderOf } from './keyset.js'
import { type Sql, sql } from './sql.js'

/**
 * Reads one page of a query.
 *
 * A page of `cursor` begins after the last row of the page before (keyset pagination), so no row is missing or repeated
 * while other rows are inserted and deleted, and later pages are as fast as the first, if an index has the columns of the
 * order. The values of the order go from PostgreSQL into the cursor and back as text, so a `timestamptz` keeps its
 * microseconds, and a `bigint` all of its digits.
 *
 * A page of `page` is read with `offset`. If the list has a total, the rows are counted in a second statement.
 *
 * @param db The database.
 * @param page `page` of the request.
 * @param query A `select` without `order by` and `limit`. Its columns have the names of the fields of the order. For a
 * cursor, these columns must not be null.
 * @returns the data of the response.
 * @throws TypeError if the list has no order, a column of the order of a cursor is null, or two rows have the same values
 * of that order; the errors of `Database.query`.
 * @example
 * list({ page }: Paged<typeof OrderPages>) {
 *   return readPage<Order>(db, page, sql`select id, total, placed_at as "placedAt" from orders`)
 * }
 */
export function readPage<TRow extends object = Record<string, unknown>>(
  db: Pick<Database, 'query'>,
  page: CursorPage,
  query: Sql,
): Promise<CursorResult<TRow>>
export function readPage<
  TRow extends object = Record<string, unknown>,
  TTotal extends boolean = boolean,
>(
  db: Pick<Database, 'query'>,
  page: NumberedPage<string, TTotal>,
  query: Sql,
): Promise<PageResult<TRow, TTotal>>
export function readPage(
  db: Pick<Database, 'query'>,
  page: CursorPage | NumberedPage,
  query: Sql,
): Promise<object> {
  return 'after' in page ? readAfter(db, page, query) : readNumbered(db, page, query)
}

/**
 * The rows are read as lists: the values of the order are the last column, so its name cannot equal another column's.
 */
async function readAfter(
  db: Pick<Database, 'query'>,
  page: CursorPage,
  query: Sql,
): Promise<CursorResult<object>> {
  const { keys, where, orderBy } = keysetOf<Sql>(sql, page, columnsOf(page.order))
  const condition = where === undefined ? sql`` : sql` where ${where}`
  const { text, values } =
    sql`select rows.*, ${keys} from (${query}) as rows${condition} order by ${sql.join(orderBy)} limit ${page.take}`
  const { rows, fields } = await db.query<readonly unknown[]>({ text, values, rowMode: 'array' })
  const { items, next } = page.of(rows, (row) => row.at(-1) as readonly unknown[])
  const names = fields.slice(0, -1).map(({ name }) => name)
  // `fromEntries` defines properties, so a column named `__proto__` stays a column.
  const named = items.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row[index]])),
  )
  return { items: named, next }
}

async function readNumbered(
  db: Pick<Database, 'query'>,
  page: NumberedPage,
  query: Sql,
): Promise<object> {
  const { order, take, offset, hasTotal, of } = page
  if (order.length === 0) {
    throw new TypeError("readPage() needs the order of the list: page(Item, { order: ['id'] }).")
  }
  const orderBy = sql.join(orderOf<Sql>(sql, order, columnsOf(order)))
  const rows = db.query(
    sql`select rows.* from (${query}) as rows order by ${orderBy} limit ${take} offset ${offset}`,
  )
  if (!hasTotal) return (of as NumberedPage<string, false>['of'])((await rows).rows)
  const counted = db.query<{ total: string }>(
    sql`select count(*)::text as total from (${query}) as rows`,
  )
  const [{ rows: found }, count] = await Promise.all([rows, counted])
  return (of as NumberedPage<string, true>['of'])(found, Number(count.rows[0]?.total))
}

function columnsOf(order: readonly OrderField[]): Sql[] {
  return order.map(({ field }) => sql.id('rows', field))
}
