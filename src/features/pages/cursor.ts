import type {
  CursorOptions,
  CursorPages,
  FieldOf,
  FieldOrder,
  ListOrder,
  PageFilter,
  SortOf,
} from '../../contracts/pages.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { checkCommon, definePages, failOf, isCount, listOf } from './define-pages.js'
import { cursorField, nextField, wholeNumber } from './query-fields.js'

const OWN = ['limit', 'cursor']

/**
 * Describes a list that clients read page by page with cursors. It has the schemas of the query and of the response for
 * `@Paged`. A client receives `{ items, next }`, and sends `next` as `cursor` to get the following page. A cursor has the
 * values of the last item, signed with `cookies.keys`, so no item is missing or repeated while others are added and
 * removed. A client can read these values, and cannot change them.
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
  const { order, max = 100, limit = Math.min(20, max), maxAge = '1d', filter } = checked(options)
  // The schemas are keyed, and their keys have the types of the options.
  return definePages({
    kind: 'cursor',
    order,
    query: {
      limit: wholeNumber({ max, fallback: limit }, 'The largest number of items'),
      cursor: cursorField,
    },
    filter,
    response: { items: listOf(item, max), next: nextField },
    maxAgeSeconds: toSeconds(maxAge) as number,
    hasTotal: false,
  }) as CursorPages<InferOutput<S>, FieldOf<S>, TFilter, SortOf<TOrder>>
}

const NAMES: OptionNames<CursorOptions> = {
  order: true,
  max: true,
  limit: true,
  maxAge: true,
  filter: true,
}

function checked<T extends CursorOptions<string, PageFilter>>(options: T): T {
  const fail = failOf('cursor')
  const { order = [], max = 100, limit = 1, maxAge = 1 } = options
  if (Array.isArray(order) && order.length === 0)
    fail("`order` must be a list of fields: ['-placedAt', 'id'].")
  refuseUnknown('cursor()', options, NAMES)
  checkCommon(options, OWN, fail)
  if (!isCount(limit, max)) fail('`limit` must be a whole number from 1 to `max`.')
  if ((toSeconds(maxAge) ?? 0) <= 0) fail("`maxAge` must be a length of time: '1d'.")
  return options
}
