import type {
  FieldOf,
  FieldOrder,
  ListOrder,
  NumberedPages,
  PageFilter,
  PageOptions,
  SortOf,
} from '../../contracts/pages.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { checkCommon, definePages, failOf, isCount, listOf } from './define-pages.js'
import { count, nextNumber, wholeNumber } from './query-fields.js'

const OWN = ['page', 'pageSize']
const LAST_PAGE = 1_000_000

/**
 * Describes a list with numbered pages, for pages that a user chooses from. It has the schemas of the query and of the
 * response for `@Paged`. A client sends `page` and `pageSize`, and receives `{ items, page, pageSize, next, total }`. While
 * items are added and removed, an item may be on two pages or on none: use `cursor` for a list that is read to its end.
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
  const { order = [], max = 100, maxPage = 1000, total = true, filter } = checked(options)
  const { pageSize = Math.min(20, max) } = options
  // The schemas are keyed, and their keys have the types of the options.
  return definePages({
    kind: 'numbered',
    order,
    query: {
      page: wholeNumber({ max: maxPage, fallback: 1 }, 'The number of the page; the first is 1'),
      pageSize: wholeNumber({ max, fallback: pageSize }, 'The largest number of items'),
    },
    filter,
    response: {
      items: listOf(item, max),
      page: count(1, 'The number of the page'),
      pageSize: count(1, 'The largest number of items of the page'),
      next: nextNumber,
      ...(total && { total: count(0, 'The number of items of all pages') }),
    },
    maxAgeSeconds: 0,
    hasTotal: total,
  }) as NumberedPages<InferOutput<S>, FieldOf<S>, TFilter, TTotal, SortOf<TOrder>>
}

const NAMES: OptionNames<PageOptions> = {
  order: true,
  max: true,
  pageSize: true,
  maxPage: true,
  total: true,
  filter: true,
}

function checked<T extends PageOptions<string, PageFilter>>(options: T): T {
  const fail = failOf('page')
  const { max = 100, pageSize = 1, maxPage = 1, total = true } = options
  refuseUnknown('page()', options, NAMES)
  checkCommon(options, OWN, fail)
  if (!isCount(pageSize, max)) fail('`pageSize` must be a whole number from 1 to `max`.')
  if (!isCount(maxPage, LAST_PAGE))
    fail(`\`maxPage\` must be a whole number from 1 to ${LAST_PAGE.toLocaleString('en')}.`)
  if (typeof total !== 'boolean') fail('`total` must be true or false.')
  return options
}
