import type { CursorPage, CursorResult, NumberedPage, PageResult } from '../../index.js'
import type { OrderField } from '../../plugin/index.js'
import type { Database } from './database.js'
import { type Sql, sql } from './sql.js'

/**
 * Reads one page of a query.
 *
 * With `cursor`, a page begins after the last row of the previous page (keyset pagination), so no row is skipped or
 * repeated while other rows are being inserted and deleted. Later pages are as fast as the first if an index contains
 * the order columns. The order values are passed from PostgreSQL to the cursor and back as strings, so a `timestamptz`
 * keeps its microseconds, and a `bigint` keeps all of its digits.
 *
 * With `page`, a page is read with `offset`. If the list has a total, a second statement counts the rows.
 *
 * @param db The database.
 * @param page The request's `page`.
 * @param query A `select` without `order by` and `limit`. Its columns must include the order fields by name. For a
 * cursor, these columns must not be null.
 * @returns the response data.
 * @throws TypeError if a list with page numbers has no order; with a cursor, if an order column is null or two rows
 * have the same order values; the errors of `Database.query`.
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
 * Reads the page after a cursor. The rows are read as lists, with the order values in the last column, so that its name
 * cannot collide with another column's name.
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
  // `fromEntries` defines properties, so a column named `__proto__` stays an ordinary column.
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
    throw new TypeError("readPage(): the list has no order. Set it: page(Item, { order: ['id'] }).")
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

/** A template tag that builds SQL, such as `sql` from this package or from Drizzle. */
export interface SqlBuilder<T> {
  (strings: TemplateStringsArray, ...inputs: unknown[]): T
  join(items: readonly unknown[], separator?: string): T
}

/** The parts of a `select` that begins after the values of a cursor. */
export interface Keyset<T> {
  /** A column with the order values, as a JSON list of strings. */
  readonly keys: T
  /** The condition for the rows after the cursor; `undefined` for the first page. */
  readonly where: T | undefined
  /** The order columns, with their directions. */
  readonly orderBy: readonly T[]
}

/** Returns the parts of a `select` for one page. `columns` contains a column for each order field. */
export function keysetOf<T>(
  sql: SqlBuilder<T>,
  { order, after }: Pick<CursorPage, 'order' | 'after'>,
  columns: readonly unknown[],
): Keyset<T> {
  const texts = columns.map((column) => sql`${column}::text`)
  const values = after === null ? null : order.map(({ field }) => after[field])
  return {
    keys: sql`json_build_array(${sql.join(texts)})`,
    where: values === null ? undefined : isAfter(sql, { order, columns, values }),
    orderBy: orderOf(sql, order, columns),
  }
}

/** Returns the order columns, with their directions. */
function orderOf<T>(
  sql: SqlBuilder<T>,
  order: readonly OrderField[],
  columns: readonly unknown[],
): T[] {
  return order.map(({ isDescending }, index) =>
    isDescending ? sql`${columns[index]} desc` : sql`${columns[index]}`,
  )
}

interface KeysetPosition {
  readonly order: readonly OrderField[]
  readonly columns: readonly unknown[]
  readonly values: readonly unknown[]
}

/**
 * Returns the condition for the rows after the given values. A row comparison can use an index on the same columns. It
 * compares all columns in the same direction, so an order with mixed directions needs separate comparisons.
 */
function isAfter<T>(sql: SqlBuilder<T>, { order, columns, values }: KeysetPosition): T {
  const first = order[0]?.isDescending
  if (order.every(({ isDescending }) => isDescending === first)) {
    return sql`(${sql.join(columns)}) ${first ? sql`<` : sql`>`} (${sql.join(values)})`
  }
  const cases = order.map((last, index) => {
    const equal = columns.slice(0, index).map((column, place) => sql`${column} = ${values[place]}`)
    const beyond = sql`${columns[index]} ${last.isDescending ? sql`<` : sql`>`} ${values[index]}`
    return sql`(${sql.join([...equal, beyond], ' and ')})`
  })
  return sql`(${sql.join(cases, ' or ')})`
}
