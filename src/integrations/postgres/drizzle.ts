import type { CursorPage, CursorResult, FactoryProvider, Token } from '../../index.js'
import { loadPeer } from '../../plugin/index.js'
import { Database } from './database.js'
import { type Keyset, keysetOf, type SqlBuilder } from './read-page.js'

const USE = {
  subject: 'blazon/postgres',
  origin: import.meta.url,
  install: 'npm install drizzle-orm@0.45',
}

interface DrizzlePackage {
  drizzle(run: RunQuery, config?: object): unknown
}

type RunQuery = (
  text: string,
  values: unknown[],
  method: 'all' | 'execute',
) => Promise<{ rows: unknown[] }>

/**
 * Provides Drizzle on top of the application's {@link Database}. Drizzle's queries run in the request's transaction and
 * for the request's tenant, like all other queries. Begin transactions with `Database.transaction`: Drizzle's own
 * `transaction` throws, because the Drizzle driver that is used here does not support transactions. This function needs
 * the package `drizzle-orm`.
 *
 * @param token The injection token of the Drizzle object.
 * @param config Drizzle's configuration: `schema`, `casing`, `logger`.
 * @throws ConfigError at startup if the package is not installed.
 * @example
 * const Orm = new InjectionToken<PgRemoteDatabase<typeof schema>>('Orm')
 * new App({ plugins: [postgres({ url })], providers: [provideDrizzle(Orm, { schema })] })
 */
export function provideDrizzle<T>(token: Token<T>, config: object = {}): FactoryProvider<T> {
  return {
    token,
    inject: [Database],
    useFactory: async (database: Database) => {
      const { drizzle } = await loadDrizzle()
      return drizzle(runOn(database), config) as T
    },
  }
}

function loadDrizzle(): Promise<DrizzlePackage> {
  const load = () => import('drizzle-orm/pg-proxy') as Promise<unknown>
  return loadPeer('drizzle-orm', USE, load as () => Promise<DrizzlePackage>)
}

/** Runs Drizzle's queries. Drizzle parses times itself. For `all`, it expects each row as a list of values. */
function runOn(database: Database): RunQuery {
  return (text, values, method) =>
    database.query({
      text,
      values,
      texts: 'times',
      ...(method === 'all' ? { rowMode: 'array' as const } : {}),
    })
}

/** A Drizzle column, or an expression created with Drizzle's `sql`. `T` is Drizzle's class `SQL`. */
export interface DrizzleColumn<T> {
  /** Returns the expression. */
  getSQL(): T
}

/** The parts of a Drizzle `select` that reads one page. */
export interface DrizzlePage<T> {
  /** The expression to select as `keys`: the exact order values, from which the cursor is created. */
  readonly keys: T
  /** The condition for the rows of the page, for `and(…)`; `undefined` for the first page. */
  readonly where: T | undefined
  /** The arguments for `orderBy(…)`. */
  readonly orderBy: T[]
  /** The argument for `limit(…)`: one row more than the page size. */
  readonly limit: number
}

/** A row of the `select`. */
export interface DrizzleRow {
  /** The order values. */
  readonly keys: unknown
}

interface DrizzleOrm {
  readonly sql: {
    (strings: TemplateStringsArray, ...inputs: unknown[]): unknown
    join(chunks: unknown[], separator: unknown): unknown
    raw(text: string): unknown
  }
}

/**
 * Reads one page of a Drizzle `select`, like `readPage` does for `sql`: no row is skipped or repeated while other rows
 * are being inserted and deleted. It works with `provideDrizzle`, and with Drizzle on another PostgreSQL driver. This
 * function needs the package `drizzle-orm`.
 *
 * @param page The request's `page`.
 * @param columns The columns for the order fields. They must not be null.
 * @param read Runs the `select`, which must select `keys` and use the given condition, order and limit.
 * @returns the items, without `keys`, and the cursor for the next page.
 * @throws TypeError if an order field has no column, a row has no `keys`, an order column is null, or two rows have the
 * same order values; ConfigError if `drizzle-orm` is not installed.
 * @example
 * readDrizzlePage(
 *   page,
 *   { placedAt: orders.placedAt, id: orders.id },
 *   ({ keys, where, orderBy, limit }) =>
 *     db
 *       .select({ ...getTableColumns(orders), keys })
 *       .from(orders)
 *       .where(and(eq(orders.status, 'open'), where))
 *       .orderBy(...orderBy)
 *       .limit(limit),
 * )
 */
export async function readDrizzlePage<T, TRow extends DrizzleRow>(
  page: CursorPage,
  columns: Readonly<Record<string, DrizzleColumn<T>>>,
  read: (parts: DrizzlePage<T>) => PromiseLike<readonly TRow[]>,
): Promise<CursorResult<Omit<TRow, 'keys'>>> {
  const used = page.order.map(({ field }) => {
    if (Object.hasOwn(columns, field)) return columns[field]
    throw new TypeError(`readDrizzlePage(): \`columns\` lacks '${field}', which orders the list.`)
  })
  const { keys, where, orderBy } = keysetOf(await loadBuilder(), page, used) as Keyset<T>
  const rows = await read({ keys, where, orderBy: [...orderBy], limit: page.take })
  const { items, next } = page.of(rows, (row) => valuesIn(row.keys))
  return { items: items.map(({ keys: _, ...item }) => item), next }
}

/** Returns the order values of a row. Some PostgreSQL drivers return JSON as a string. */
function valuesIn(keys: unknown): readonly unknown[] {
  const values = typeof keys === 'string' ? JSON.parse(keys) : keys
  if (Array.isArray(values)) return values
  throw new TypeError('readDrizzlePage(): a row has no `keys`. Select them: select({ …, keys }).')
}

async function loadBuilder(): Promise<SqlBuilder<unknown>> {
  const load = () => import('drizzle-orm') as Promise<unknown>
  const { sql } = await loadPeer('drizzle-orm', USE, load as () => Promise<DrizzleOrm>)
  return Object.assign(
    (strings: TemplateStringsArray, ...inputs: unknown[]) => sql(strings, ...inputs),
    {
      join: (items: readonly unknown[], separator = ', ') =>
        sql.join(
          items.map((item) => sql`${item}`),
          sql.raw(separator),
        ),
    },
  )
}
