import type { CursorPage } from '../../index.js'
import type { OrderField } from '../../plugin/index.js'

/** A template that builds SQL, such as `sql`: of this package, or of Drizzle. */
export interface SqlBuilder<T> {
  (strings: TemplateStringsArray, ...inputs: unknown[]): T
  join(items: readonly unknown[], separator?: string): T
}

/** The parts of a `select` that begins after the values of a cursor. */
export interface Keyset<T> {
  /** A column with the values of the order, as a list of texts in JSON. */
  readonly keys: T
  /** The condition of the rows after the cursor; `undefined` for the first page. */
  readonly where: T | undefined
  /** The columns of the order, with their directions. */
  readonly orderBy: readonly T[]
}

/** Returns the parts of a `select` for one page. `columns` has a column for each field of the order. */
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

/** The columns of an order, with their directions. */
export function orderOf<T>(
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
 * The condition of the rows after some values. A comparison of rows can use an index with the same columns. It compares
 * all columns in one direction, so an order with two directions is written out.
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
