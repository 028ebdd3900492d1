import { randomBytes } from 'node:crypto'
import type { Request, Response } from '../../contracts/handler.js'
import type {
  CursorPage,
  CursorQuery,
  CursorValue,
  NumberedPage,
  OrderField,
  PageQuery,
  PageResult,
  PagesDefinition,
} from '../../contracts/pages.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import { Clock } from '../../di/token.js'
import { refuse } from '../../errors/refuse.js'
import { tenantOf } from '../../http/request-state.js'
import { bindingOf, type CursorSettings, readCursor, writeCursor } from './cursors.js'
import { orderFor, sortsOf } from './query-fields.js'

/**
 * Reads the requested pages on `@Paged` routes. The framework loads this plugin if an application has such a route.
 *
 * @param cookieKeys Returns the keys that sign cursors. The plugin calls it when it creates the steps of a route.
 * Without a key, a random key is used.
 */
export function pagesPlugin(cookieKeys: () => readonly string[]): Plugin {
  let used: readonly string[] | undefined
  return {
    name: 'pages',
    steps(route, { get }) {
      if (route.pages === null) return null
      const { pages } = route
      const clock = get(Clock)
      const keys = cookieKeys()
      used ??= keys.length > 0 ? keys : [randomBytes(32).toString('base64url')]
      const open: OpenPage =
        pages.kind === 'cursor'
          ? cursorPages(route, pages, { keys: used, now: () => clock.now() })
          : (req, res) => numberedPage(pages, req, res)
      const beforeHandler: StepFactory = (next) =>
        function readPage(req, res) {
          Object.assign(req, { page: open(req, res) })
          return next(req, res)
        }
      return { beforeHandler }
    },
  }
}

function numberedPage(
  { orders, hasTotal }: PagesDefinition,
  req: Request,
  res: Response,
): NumberedPage {
  const { page, pageSize } = req.validated.query as PageQuery
  const of = <T extends object>(
    rows: readonly T[],
    given?: number | bigint,
  ): PageResult<T, boolean> => {
    const total = hasTotal ? wholeTotal(given) : null
    const isLast = total === null ? rows.length <= pageSize : page * pageSize >= total
    const next = isLast ? null : page + 1
    res.append('Link', linkHeader(req, 'page', linksOf({ page, pageSize, total, next })))
    const items = rows.slice(0, pageSize)
    return { items, page, pageSize, next, ...(total !== null && { total }) }
  }
  return Object.freeze({
    page,
    pageSize,
    offset: (page - 1) * pageSize,
    take: hasTotal ? pageSize : pageSize + 1,
    order: orderFor(orders, req.validated.query as object),
    hasTotal,
    of,
  })
}

interface PageNumbers {
  readonly page: number
  readonly pageSize: number
  readonly total: number | null
  readonly next: number | null
}

function linksOf({ page, pageSize, total, next }: PageNumbers): Links {
  const last = total === null ? null : Math.max(1, Math.ceil(total / pageSize))
  return {
    first: 1,
    // If the requested page is beyond the end, `prev` links to the last page.
    prev: page === 1 ? null : Math.min(page - 1, last ?? page),
    next,
    last,
  }
}

function wholeTotal(given: number | bigint | undefined): number {
  const total = typeof given === 'bigint' ? Number(given) : given
  if (total !== undefined && Number.isSafeInteger(total) && total >= 0) return total
  const is = typeof given === 'number' ? String(given) : typeof given
  throw new TypeError(
    `page.of(rows, total): the total is not a valid number (${is}). Pass the number of items on all pages, or describe the list with \`total: false\`.`,
  )
}

type OpenPage = (req: Request, res: Response) => unknown

/**
 * Creates the function that reads the pages of one route. The created function throws a 400 error for a cursor that was
 * modified, is too old, or belongs to another list.
 */
function cursorPages(
  { method, path }: RouteModel,
  { orders, maxAgeSeconds }: PagesDefinition,
  settings: CursorSettings,
): OpenPage {
  return function openPage(req, res): CursorPage {
    const { limit, cursor, ...filter } = req.validated.query as CursorQuery
    const bind = (query: object) => {
      const order = orderFor(orders, query)
      return bindingOf([method, path, order, tenantOf(req) ?? null, req.params, query])
    }
    const read = (text: string, binding: string) =>
      readCursor(text, { binding, maxAgeSeconds }, settings)
    const order = orderFor(orders, filter)
    const binding = bind(filter)
    const values = cursor === undefined ? null : read(cursor, binding)
    if (values === undefined) {
      const isOf = (sort: string) => read(String(cursor), bind({ ...filter, sort })) !== undefined
      throw refused(sortsOf(orders).find(isOf))
    }
    return Object.freeze({
      limit,
      take: limit + 1,
      order,
      after: values === null ? null : namedValues(order, values),
      of<T extends object>(
        rows: readonly T[],
        valuesOf: (row: T) => readonly unknown[] = (row) => fieldsOf(row, order),
      ) {
        const items = rows.slice(0, limit)
        const following = rows[limit]
        if (following === undefined) return { items, next: null }
        const last = cursorValues(valuesOf(items.at(-1) as T), order)
        refuseEqual(last, cursorValues(valuesOf(following), order), order)
        const next = writeCursor(last, binding, settings)
        res.append('Link', linkHeader(req, 'cursor', { next }))
        return { items, next }
      },
    } satisfies CursorPage)
  }
}

/** @param sort The sort order in the cursor, if it is the only difference from the request. */
function refused(sort: string | undefined): Error {
  const cause =
    sort === undefined
      ? 'The cursor does not belong to this list, or has expired: read'
      : `The cursor belongs to the order '${sort}': send it with \`sort=${sort}\`, or read`
  return refuse('CURSOR_INVALID', `${cause} the list from its beginning.`)
}

function namedValues(
  order: readonly OrderField[],
  values: readonly CursorValue[],
): Readonly<Record<string, CursorValue>> {
  return Object.freeze(
    Object.fromEntries(order.map(({ field }, index) => [field, values[index] as CursorValue])),
  )
}

function fieldsOf(row: object, order: readonly OrderField[]): unknown[] {
  return order.map(({ field }) => (row as Readonly<Record<string, unknown>>)[field])
}

function cursorValues(values: readonly unknown[], order: readonly OrderField[]): CursorValue[] {
  return values.map((value, index) => {
    if (value instanceof Date) return value.toISOString()
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'number' && !Number.isFinite(value))
      throw withoutPlace(value, order[index])
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value
    throw withoutPlace(value, order[index])
  })
}

function withoutPlace(value: unknown, of: OrderField | undefined): TypeError {
  const is = value === null ? 'null' : typeof value === 'number' ? String(value) : typeof value
  return new TypeError(
    `The field '${of?.field}' of a row has no value to order by (${is}), so the position of the row is undefined. Order by fields that have a value in every row.`,
  )
}

/**
 * Throws if the last row of a page and the row after it have the same order values, because the next page would begin
 * after both rows.
 */
function refuseEqual(
  last: readonly CursorValue[],
  following: readonly CursorValue[],
  order: readonly OrderField[],
): void {
  if (last.some((value, index) => value !== following[index])) return
  const names = order.map(({ field }) => `'${field}'`).join(', ')
  throw new TypeError(
    `Two rows have the same values in ${names}, so the next page would omit one of them. End \`order\` with a unique field, such as the ID.`,
  )
}

/** The values of a query parameter, by link relation; `null` if there is no such page. */
type Links = Readonly<Partial<Record<'first' | 'prev' | 'next' | 'last', string | number | null>>>

/**
 * Returns the header with the links to other pages (RFC 8288). Each URL is relative to the request URL (RFC 3986,
 * section 4.2) and consists only of the query, so it is valid behind every proxy.
 */
function linkHeader({ originalUrl }: Request, parameter: string, links: Links): string {
  const start = originalUrl.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : originalUrl.slice(start))
  return Object.entries(links)
    .filter(([, value]) => value !== null)
    .map(([relation, value]) => {
      query.set(parameter, String(value))
      return `<?${query}>; rel="${relation}"`
    })
    .join(', ')
}
