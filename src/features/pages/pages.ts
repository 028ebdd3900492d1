import type {
  CursorOptions,
  CursorPages,
  FieldOf,
  FieldOrder,
  ListOrder,
  NumberedPages,
  PageFilter,
  PageOptions,
  PagesDefinition,
  SortOf,
} from '../../contracts/pages.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { createValidatorCompiler } from '../../schema/compile-validator.js'
import { KeyedSchema, ListSchema } from '../../schema/composed-schemas.js'
import {
  checkOrder,
  count,
  cursorField,
  nextField,
  nextNumber,
  ordersOf,
  sortNames,
  sortParameter,
  wholeNumber,
} from './query-fields.js'

const MOST_ITEMS = 1000

interface CommonOptions {
  readonly order?: ListOrder
  readonly max?: number
  readonly filter?: PageFilter
}

/** The input of {@link definePages}. */
export interface PagesParts extends Pick<PagesDefinition, 'kind' | 'maxAgeSeconds' | 'hasTotal'> {
  readonly order: ListOrder
  readonly query: Readonly<Record<string, Schema>>
  readonly filter: PageFilter | undefined
  readonly response: Readonly<Record<string, Schema>>
}

/** Creates the parts that the results of `cursor` and `page` have in common. */
export function definePages({ order, query, filter, response, ...rest }: PagesParts): {
  readonly query: Schema
  readonly response: Schema
  readonly definition: PagesDefinition
} {
  const schemas = {
    query: keyed({ ...query, ...sortParameter(order), ...filter }),
    response: keyed(response),
  }
  const definition: PagesDefinition = Object.freeze({
    ...rest,
    ...schemas,
    orders: ordersOf(order),
  })
  return Object.freeze({ ...schemas, definition })
}

/** Creates the schema for the list of items on a page. */
export function listOf(item: Schema, max: number): ListSchema {
  return new ListSchema(item, max, (schema, source) => createValidatorCompiler()(schema, source))
}

/** Whether a value is an integer from 1 to `most`. */
export function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

/** Checks the options that all paged lists have. `own` contains the query parameters that the pages themselves need. */
export function checkCommon(
  { order = [], max = 1, filter = {} }: CommonOptions,
  own: readonly string[],
  fail: (cause: string) => never,
): void {
  checkOrder(order, fail)
  if (!isCount(max, MOST_ITEMS)) fail(`\`max\` must be a whole number from 1 to ${MOST_ITEMS}.`)
  const taken = [...own, ...sortNames(order)].find((name) => Object.hasOwn(filter, name))
  if (taken !== undefined)
    fail(`\`filter\` cannot contain \`${taken}\`, because pages use this parameter.`)
}

/** Returns a function that throws an error. The message of the error begins with the given function name. */
export function failOf(name: string): (cause: string) => never {
  return (cause) => {
    throw new TypeError(`${name}(): ${cause}`)
  }
}

function keyed(entries: Readonly<Record<string, Schema>>): KeyedSchema {
  return new KeyedSchema(Object.entries(entries), {
    isOpen: false,
    createCompiler: () => createValidatorCompiler(),
  })
}

const PAGE_QUERY = ['page', 'pageSize']
const LAST_PAGE = 1_000_000

/**
 * Describes a list with numbered pages from which a user chooses. The result contains the schemas of the query and of
 * the response for `@Paged`. A client sends `page` and `pageSize`, and receives `{ items, page, pageSize, next, total
 * }`. If items are added or removed in the meantime, an item may be on two pages or on no page. For a list that clients
 * read from beginning to end, use `cursor`.
 *
 * @param item The schema of an item: a Standard Schema or a JSON Schema.
 * @param options `order`, `max`, `pageSize`, `maxPage`, `total` and `filter`, see {@link PageOptions}.
 * @throws TypeError if an option is invalid.
 * @example
 * const CustomerPages = page(Customer, { order: ['name', 'id'], max: 50 })
 *
 * class CustomersController {
 *   @Get()
 *   @Paged(CustomerPages)
 *   async list({ page }: Paged<typeof CustomerPages>) {
 *     return page.of(await customers.read(page.offset, page.take), await customers.count())
 *   }
 * }
 */
export function page<
  S extends Schema,
  const TFilter extends PageFilter = Record<never, never>,
  const TTotal extends boolean = true,
  const TOrder extends ListOrder<FieldOf<S>> = FieldOrder<FieldOf<S>>,
>(
  item: S,
  options: PageOptions<FieldOf<S>, TFilter, TTotal, TOrder> = {},
): NumberedPages<InferOutput<S>, FieldOf<S>, TFilter, TTotal, SortOf<TOrder>> {
  const { order = [], max = 100, maxPage = 1000, total = true, filter } = checkedPage(options)
  const { pageSize = Math.min(20, max) } = options
  // The schemas are built from the options, so their fields have the types in the result.
  return definePages({
    kind: 'numbered',
    order,
    query: {
      page: wholeNumber({ max: maxPage, fallback: 1 }, 'The page number, starting at 1'),
      pageSize: wholeNumber({ max, fallback: pageSize }, 'The maximum number of items'),
    },
    filter,
    response: {
      items: listOf(item, max),
      page: count(1, 'The page number'),
      pageSize: count(1, 'The maximum number of items on the page'),
      next: nextNumber,
      ...(total && { total: count(0, 'The total number of items on all pages') }),
    },
    maxAgeSeconds: 0,
    hasTotal: total,
  }) as NumberedPages<InferOutput<S>, FieldOf<S>, TFilter, TTotal, SortOf<TOrder>>
}

const PAGE_NAMES: OptionNames<PageOptions> = {
  order: true,
  max: true,
  pageSize: true,
  maxPage: true,
  total: true,
  filter: true,
}

function checkedPage<T extends PageOptions<string, PageFilter>>(options: T): T {
  const fail = failOf('page')
  const { max = 100, pageSize = 1, maxPage = 1, total = true } = options
  refuseUnknown('page()', options, PAGE_NAMES)
  checkCommon(options, PAGE_QUERY, fail)
  if (!isCount(pageSize, max)) fail('`pageSize` must be a whole number from 1 to `max`.')
  if (!isCount(maxPage, LAST_PAGE))
    fail(`\`maxPage\` must be a whole number from 1 to ${LAST_PAGE.toLocaleString('en')}.`)
  if (typeof total !== 'boolean') fail('`total` must be true or false.')
  return options
}

const CURSOR_QUERY = ['limit', 'cursor']

/**
 * Describes a list that clients read page by page with cursors. The result contains the schemas of the query and of the
 * response for `@Paged`. A client receives `{ items, next }`, and sends `next` as `cursor` to request the following
 * page. A cursor contains the values of the last item, so no item is missing or repeated if other items are added or
 * removed in the meantime. The values are signed with `cookies.keys`: a client can read them, but cannot change them.
 *
 * @param item The schema of an item: a Standard Schema or a JSON Schema.
 * @param options `order`, `max`, `limit`, `maxAge` and `filter`, see {@link CursorOptions}.
 * @throws TypeError if an option is invalid.
 * @example
 * const OrderPages = cursor(Order, {
 *   order: ['-placedAt', 'id'],
 *   max: 100,
 *   filter: { status: OrderStatus.optional() },
 * })
 * // `?sort=total`; without `sort`, the newest first.
 * cursor(Order, { order: { newest: ['-placedAt', '-id'], total: ['total', 'id'] } })
 */
export function cursor<
  S extends Schema,
  const TFilter extends PageFilter = Record<never, never>,
  const TOrder extends ListOrder<FieldOf<S>> = FieldOrder<FieldOf<S>>,
>(
  item: S,
  options: CursorOptions<FieldOf<S>, TFilter, TOrder>,
): CursorPages<InferOutput<S>, FieldOf<S>, TFilter, SortOf<TOrder>> {
  const {
    order,
    max = 100,
    limit = Math.min(20, max),
    maxAge = '1d',
    filter,
  } = checkedCursor(options)
  // The schemas are built from the options, so their fields have the types in the result.
  return definePages({
    kind: 'cursor',
    order,
    query: {
      limit: wholeNumber({ max, fallback: limit }, 'The maximum number of items'),
      cursor: cursorField,
    },
    filter,
    response: { items: listOf(item, max), next: nextField },
    maxAgeSeconds: toSeconds(maxAge) as number,
    hasTotal: false,
  }) as CursorPages<InferOutput<S>, FieldOf<S>, TFilter, SortOf<TOrder>>
}

const CURSOR_NAMES: OptionNames<CursorOptions> = {
  order: true,
  max: true,
  limit: true,
  maxAge: true,
  filter: true,
}

function checkedCursor<T extends CursorOptions<string, PageFilter>>(options: T): T {
  const fail = failOf('cursor')
  const { order = [], max = 100, limit = 1, maxAge = 1 } = options
  if (Array.isArray(order) && order.length === 0)
    fail("`order` must be a list of at least one field: ['-placedAt', 'id'].")
  refuseUnknown('cursor()', options, CURSOR_NAMES)
  checkCommon(options, CURSOR_QUERY, fail)
  if (!isCount(limit, max)) fail('`limit` must be a whole number from 1 to `max`.')
  if ((toSeconds(maxAge) ?? 0) <= 0) fail("`maxAge` must be a duration greater than 0: '1d'.")
  return options
}
