import type { StandardSchemaV1 } from '@standard-schema/spec'
import type {
  CursorOptions,
  CursorPages,
  CursorQuery,
  CursorResult,
  FieldOf,
  OrderField,
  PageFilter,
  PagesDefinition,
} from '../../contracts/pages.js'
import type { InferOutput, Schema } from '../../contracts/schema.js'
import { toSeconds } from '../../http/units.js'
import { createValidatorCompiler } from '../../schema/compile-validator.js'
import { KeyedSchema } from '../../schema/keyed-schema.js'
import { ListSchema } from '../../schema/list-schema.js'
import { cursorField, nextField, wholeNumber } from './query-fields.js'

const MOST_ITEMS = 1000
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
 */
export function cursor<S extends Schema, const TFilter extends PageFilter = Record<never, never>>(
  item: S,
  options: CursorOptions<FieldOf<S>, TFilter>,
): CursorPages<InferOutput<S>, FieldOf<S>, TFilter> {
  const { max = 100, limit = Math.min(20, max), maxAge = '1d', filter } = checked(options)
  const definition: PagesDefinition = Object.freeze({
    query: keyed({
      limit: wholeNumber({ max, fallback: limit }, 'The largest number of items'),
      cursor: cursorField,
      ...filter,
    }),
    response: keyed({ items: listOf(item, max), next: nextField }),
    order: Object.freeze(options.order.map(toOrderField)),
    maxAgeSeconds: toSeconds(maxAge) as number,
    values: new WeakMap(),
  })
  // The schemas are keyed, and the types of their keys are those of the options.
  return Object.freeze({
    query: definition.query as StandardSchemaV1<unknown, CursorQuery<TFilter>>,
    response: definition.response as StandardSchemaV1<CursorResult<InferOutput<S>>>,
    definition,
    of: (req: object) => pageOf(definition, req),
  }) as CursorPages<InferOutput<S>, FieldOf<S>, TFilter>
}

function pageOf({ values }: PagesDefinition, req: object): unknown {
  if (values.has(req)) return values.get(req)
  throw new TypeError('There is no page for this request: its route needs @Paged with these pages.')
}

function keyed(entries: Readonly<Record<string, Schema>>): KeyedSchema {
  return new KeyedSchema(Object.entries(entries), {
    isOpen: false,
    createCompiler: () => createValidatorCompiler(),
  })
}

function listOf(item: Schema, max: number): ListSchema {
  return new ListSchema(item, max, (schema, source) => createValidatorCompiler()(schema, source))
}

function toOrderField(text: string): OrderField {
  const isDescending = text.startsWith('-')
  return Object.freeze({ field: isDescending ? text.slice(1) : text, isDescending })
}

function checked<T extends CursorOptions<string, PageFilter>>(options: T): T {
  const fail = (cause: string): never => {
    throw new TypeError(`cursor(): ${cause}`)
  }
  const { order, max = 100, limit = 1, maxAge = 1, filter = {} } = options
  const isOrder = Array.isArray(order) && order.every((each) => /^-?[^-]/.test(each))
  if (!isOrder || order.length === 0) fail("`order` is a list of fields: ['-placedAt', 'id'].")
  const isCount = (value: number, most: number) =>
    Number.isInteger(value) && value >= 1 && value <= most
  if (!isCount(max, MOST_ITEMS)) fail(`\`max\` is a whole number from 1 to ${MOST_ITEMS}.`)
  if (!isCount(limit, max)) fail('`limit` is a whole number from 1 to `max`.')
  if ((toSeconds(maxAge) ?? 0) <= 0) fail("`maxAge` is a length of time: '1d'.")
  const taken = OWN.find((name) => Object.hasOwn(filter, name))
  if (taken !== undefined) fail(`\`filter\` cannot have \`${taken}\`, which pages need.`)
  return options
}
