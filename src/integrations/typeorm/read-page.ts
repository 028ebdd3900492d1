import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm'
import type { CursorPage, CursorResult } from '../../index.js'
import type { OrderField } from '../../plugin/index.js'

/** The result column with the order values. TypeORM renames the columns of entities, so no name collides with it. */
const KEYS = '~keys'

/** The prefix of the cursor's parameters, so that they do not collide with the application's parameters. */
const PARAMETER = 'blazon_cursor_'

/**
 * Reads one page of a TypeORM query on PostgreSQL. The page begins after the last row of the previous page (keyset
 * pagination), so no row is skipped or repeated while other rows are being inserted and deleted. The order values are
 * passed from PostgreSQL to the cursor and back as strings, so a `timestamptz` keeps its microseconds.
 *
 * @param page The request's `page`.
 * @param query A query builder for an entity, with its conditions. It is not changed. Its order, `take` and `skip` are
 * ignored. The order fields are properties of the entity, and their columns must not be null.
 * @returns the entities and the cursor for the next page.
 * @throws TypeError if the database is not PostgreSQL, the query joins anything other than many-to-one or one-to-one
 * relations, an order field is not a column, an order value is null, or two rows have the same order values; any error
 * from TypeORM.
 * @example
 * list({ page }: Paged<typeof NotePages>) {
 *   const notes = this.notes.createQueryBuilder('note').where('note.color = :color', { color: 'red' })
 *   return readPage(page, notes)
 * }
 */
export async function readPage<TEntity extends ObjectLiteral>(
  page: CursorPage,
  query: SelectQueryBuilder<TEntity>,
): Promise<CursorResult<TEntity>> {
  checkQuery(query)
  const columns = columnsOf(query, page.order)
  const { entities, raw } = await pageQuery(page, query, columns).getRawAndEntities()
  if (entities.length !== raw.length) throw severalRows()
  const keys = new Map(
    entities.map((entity, index) => [entity, raw[index]?.[KEYS] as readonly unknown[]]),
  )
  return page.of(entities, (entity) => keys.get(entity) ?? [])
}

function pageQuery<TEntity extends ObjectLiteral>(
  { order, after, take }: CursorPage,
  query: SelectQueryBuilder<TEntity>,
  columns: readonly string[],
): SelectQueryBuilder<TEntity> {
  const paged = query.clone()
  const { wheres } = paged.expressionMap
  // TypeORM joins conditions without parentheses, so an `or` in them would also be an alternative to the cursor's
  // condition.
  if (wheres.length > 0) {
    const condition = { operator: 'brackets', condition: wheres } as const
    paged.expressionMap.wheres = [{ type: 'simple', condition }]
  }
  const texts = columns.map((column) => `cast(${column} as text)`)
  paged.addSelect(`json_build_array(${texts.join(', ')})`, KEYS)
  if (after !== null) {
    const parameters = order.map(({ field }, index) => [`${PARAMETER}${index}`, after[field]])
    paged.andWhere(isAfter(order, columns), Object.fromEntries(parameters))
  }
  paged.orderBy()
  for (const [index, { isDescending }] of order.entries()) {
    paged.addOrderBy(columns[index] as string, isDescending ? 'DESC' : 'ASC')
  }
  return paged.skip(undefined).take(undefined).offset(undefined).limit(take)
}

/**
 * Returns the condition for the rows after the cursor. A row comparison can use an index on the same columns. It
 * compares all columns in the same direction, so an order with mixed directions needs separate comparisons.
 */
function isAfter(order: readonly OrderField[], columns: readonly string[]): string {
  const values = columns.map((_, index) => `:${PARAMETER}${index}`)
  const signs = order.map(({ isDescending }) => (isDescending ? '<' : '>'))
  if (new Set(signs).size === 1) return `(${columns.join()}) ${signs[0]} (${values.join()})`
  const cases = columns.map((last, index) => {
    const equal = columns.slice(0, index).map((column, place) => `${column} = ${values[place]}`)
    return `(${[...equal, `${last} ${signs[index]} ${values[index]}`].join(' and ')})`
  })
  return `(${cases.join(' or ')})`
}

function columnsOf<TEntity extends ObjectLiteral>(
  query: SelectQueryBuilder<TEntity>,
  order: readonly OrderField[],
): string[] {
  const { name, metadata } = query.expressionMap.mainAlias ?? {}
  return order.map(({ field }) => {
    const column = metadata?.findColumnWithPropertyPath(field)
    if (name !== undefined && column !== undefined) {
      return `${query.escape(name)}.${query.escape(column.databaseName)}`
    }
    throw new TypeError(`readPage(): the entity has no column '${field}', which orders the list.`)
  })
}

function checkQuery<TEntity extends ObjectLiteral>(query: SelectQueryBuilder<TEntity>): void {
  const { connection, expressionMap } = query
  const { type } = connection.options
  if (type !== 'postgres') {
    throw new TypeError(
      `readPage() supports only PostgreSQL, but the type of this data source is ${type}. See "TypeORM" in docs/pagination.md.`,
    )
  }
  const isOne = ({ relation }: (typeof expressionMap.joinAttributes)[number]) =>
    relation?.isManyToOne === true || relation?.isOneToOne === true
  if (!expressionMap.joinAttributes.every(isOne)) throw severalRows()
}

function severalRows(): TypeError {
  return new TypeError(
    'readPage(): the query may have several rows for one entity, but the size of a page is a number of rows. Select the primary key. Load relations with several rows in a second query, for the entities of the page.',
  )
}
