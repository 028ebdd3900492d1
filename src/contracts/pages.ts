import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ListOrder, OrderField, SortQuery } from './page-order.js'
import type { InferOutput, Schema } from './schema.js'
import type { Duration } from './units.js'

/** The schemas of the query parameters that filter a list, by name. */
export type PageFilter = Readonly<Record<string, Schema>>

/** The names of the fields of an item. */
export type FieldOf<S extends Schema> = Extract<keyof InferOutput<S>, string>

/** Options of `cursor`. */
export interface CursorOptions<
  TField extends string = string,
  TFilter extends PageFilter = PageFilter,
  TOrder extends ListOrder<TField> = ListOrder<TField>,
> {
  /**
   * The order of the list: names of fields of an item, `-` for a descending one. No field may be null or change, and
   * the combination of their values must be unique: end with the id. Or several orders by name, of which the client chooses
   * one by the query parameter `sort`: `{ newest: ['-placedAt', '-id'], total: ['total', 'id'] }`. The first one is the order
   * of a request without `sort`, and a cursor is valid only for its own order.
   */
  readonly order: TOrder
  /** The largest `limit` of a client, 1 to 1000. Default: 100. */
  readonly max?: number
  /** The number of items without a `limit`. Default: 20, or `max` if that is smaller. */
  readonly limit?: number
  /** How long a cursor is valid. Default: one day. */
  readonly maxAge?: Duration
  /** Schemas of further query parameters. A cursor is valid only for the values with which its walk began. */
  readonly filter?: TFilter
}

/** The values of the parameters of a filter. A parameter that may be missing is optional. */
export type FilterOutput<TFilter extends PageFilter> = {
  [K in keyof TFilter as undefined extends InferOutput<TFilter[K]> ? never : K]: InferOutput<
    TFilter[K]
  >
} & {
  [K in keyof TFilter as undefined extends InferOutput<TFilter[K]> ? K : never]?: InferOutput<
    TFilter[K]
  >
}

/** The validated query of a list with cursors. */
export type CursorQuery<TFilter extends PageFilter = PageFilter, TSort extends string = never> = {
  /** The largest number of items of the page. */
  limit: number
  /** The `next` cursor of the previous page; `undefined` for the first page. */
  cursor?: string
} & SortQuery<TSort> &
  FilterOutput<TFilter>

/** A value in a cursor. A date is its ISO text, and a `bigint` its decimal text. */
export type CursorValue = string | number | boolean

/** One page of a list, as a client receives it. */
export interface CursorResult<TItem> {
  /** The items of the page. */
  readonly items: TItem[]
  /** The cursor of the next page; `null` on the last page. */
  readonly next: string | null
}

/** The requested page of a list with cursors: `page` of the request. */
export interface CursorPage<TField extends string = string> {
  /** The largest number of items of the page. */
  readonly limit: number
  /** How many rows to read: one more than `limit`. The extra row shows that there is another page. */
  readonly take: number
  /** The order in which rows must be read, as the request chooses it. */
  readonly order: readonly OrderField<TField>[]
  /** The values of the last item of the previous page; `null` for the first page. */
  readonly after: Readonly<Record<TField, CursorValue>> | null
  /**
   * Makes the response of the rows that come after `after`, at most `take` of them, and adds the `Link` header.
   *
   * @param rows The rows, in the order of the list.
   * @param valuesOf Returns the values of the fields of `order`. Default: the fields of the row.
   * @throws TypeError if a field of the order is null or missing, or two rows have the same values.
   */
  readonly of: <T extends object>(
    rows: readonly T[],
    valuesOf?: (row: T) => readonly unknown[],
  ) => CursorResult<T>
}

/** The data of a list with pages, which `@Paged` notes. */
export interface PagesDefinition {
  /** Whether pages begin at a cursor, or have numbers. */
  readonly kind: 'cursor' | 'numbered'
  /** The schema of the query. */
  readonly query: Schema
  /** The schema of the response. */
  readonly response: Schema
  /** The orders of the list, by name; a list with one order has it by the empty name. */
  readonly orders: Readonly<Record<string, readonly OrderField[]>>
  /** How long a cursor is valid, in seconds; 0 for numbered pages. */
  readonly maxAgeSeconds: number
  /** Whether numbered pages have a total. */
  readonly hasTotal: boolean
}

/** A list with pages. `@Paged` accepts {@link Pages}. */
export interface Pages<TQuery, TPage = unknown> {
  /** The schema of the query. */
  readonly query: StandardSchemaV1<unknown, TQuery>
  /** The schema of the response. */
  readonly response: Schema
  /** The data that `@Paged` notes. */
  readonly definition: PagesDefinition
  /** The type of the requested page. Only the compiler reads it. */
  readonly '~page'?: TPage
}

/** The parts of the request of a route with pages. `Paged<typeof OrderPages>` is a shorter name. */
// biome-ignore lint/suspicious/noExplicitAny: pages of any list
export interface PagedRequest<TPages extends Pages<any>> {
  /** The requested page. */
  readonly page: NonNullable<TPages['~page']>
  /** The validated query. */
  readonly query: InferOutput<TPages['query']>
}

/** A list whose pages begin at a cursor. `cursor` creates it. */
export interface CursorPages<
  TItem,
  TField extends string,
  TFilter extends PageFilter,
  TSort extends string = never,
> extends Pages<CursorQuery<TFilter, TSort>, CursorPage<TField>> {
  /** The schema of a page: its items and the cursor of the next page. */
  readonly response: StandardSchemaV1<CursorResult<TItem>>
}
