import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Duration } from './limits.js'
import type { InferOutput, Schema } from './schema.js'

/** The order of a list: field names of an item, with the prefix `-` for descending order. */
export type FieldOrder<TField extends string = string> = readonly (TField | `-${TField}`)[]

/**
 * The orders of a list: one, or several by name. A client chooses an order with the query parameter `sort`; without it,
 * the first order applies.
 */
export type ListOrder<TField extends string = string> =
  | FieldOrder<TField>
  | Readonly<Record<string, FieldOrder<TField>>>

/** The names of the orders of a list; `never` for a list with one order. */
export type SortOf<TOrder extends ListOrder> = TOrder extends readonly unknown[]
  ? never
  : Extract<keyof TOrder, string>

/** The part of a validated query that specifies the order. */
export type SortQuery<TSort extends string> = [TSort] extends [never]
  ? unknown
  : {
      /** The name of the order. Default: the first order. */
      sort: TSort
    }

/** One field of the order of a list. */
export interface OrderField<TField extends string = string> {
  /** The name of the field. */
  readonly field: TField
  /** Whether the order is descending. */
  readonly isDescending: boolean
}

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
   * The order of the list: field names of an item, with the prefix `-` for descending order. The values of these fields
   * must never be null or change. The combination of the values must be unique, so end with the ID. To offer several
   * orders, pass them by name; the client chooses one with the query parameter `sort`: `{ newest: ['-placedAt', '-id'],
   * total: ['total', 'id'] }`. The first order applies to requests without `sort`. A cursor is valid only for the order
   * in which it was created.
   */
  readonly order: TOrder
  /** The maximum `limit` of a request, 1 to 1000. Default: 100. */
  readonly max?: number
  /** The number of items on a page if the request has no `limit`. Default: 20, or `max` if that is smaller. */
  readonly limit?: number
  /** How long a cursor is valid. Default: one day. */
  readonly maxAge?: Duration
  /**
   * Schemas of further query parameters. A cursor is valid only for the parameter values of the request that created
   * it.
   */
  readonly filter?: TFilter
}

/** The parameter values of a filter. A parameter that can be missing is optional. */
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
  /** The maximum number of items on the page. */
  limit: number
  /** The `next` cursor of the previous page; `undefined` for the first page. */
  cursor?: string
} & SortQuery<TSort> &
  FilterOutput<TFilter>

/** A value in a cursor. A date is written as an ISO string, and a `bigint` as a decimal string. */
export type CursorValue = string | number | boolean

/** One page of a list, as clients receive it. */
export interface CursorResult<TItem> {
  /** The items of the page. */
  readonly items: TItem[]
  /** The cursor of the next page; `null` on the last page. */
  readonly next: string | null
}

/** The requested page of a list with cursors: `page` of the request. */
export interface CursorPage<TField extends string = string> {
  /** The maximum number of items on the page. */
  readonly limit: number
  /** The number of rows to read: `limit` + 1. The extra row shows that there is another page. */
  readonly take: number
  /** The requested order of the rows. */
  readonly order: readonly OrderField<TField>[]
  /** The values of the last item of the previous page; `null` for the first page. */
  readonly after: Readonly<Record<TField, CursorValue>> | null
  /**
   * Creates the response from at most `take` rows that follow `after`, and adds the `Link` header.
   *
   * @param rows The rows, in the order of the list.
   * @param valuesOf Returns the values of the fields of `order`. Default: the fields of the row.
   * @throws TypeError if the cursor of the next page cannot be created: in the last row of this page or in the row
   * after it, a field of the order is null or missing, or both rows have the same values.
   */
  readonly of: <T extends object>(
    rows: readonly T[],
    valuesOf?: (row: T) => readonly unknown[],
  ) => CursorResult<T>
}

/** The data of a paged list, which `@Paged` stores. */
export interface PagesDefinition {
  /** Whether pages begin at a cursor or have numbers. */
  readonly kind: 'cursor' | 'numbered'
  /** The schema of the query. */
  readonly query: Schema
  /** The schema of the response. */
  readonly response: Schema
  /** The orders of the list, by name; the name is empty if the list has only one order. */
  readonly orders: Readonly<Record<string, readonly OrderField[]>>
  /** How long a cursor is valid, in seconds; 0 for numbered pages. */
  readonly maxAgeSeconds: number
  /** Whether numbered pages have a total. */
  readonly hasTotal: boolean
}

/** A paged list, as an argument for `@Paged`. */
export interface Pages<TQuery, TPage = unknown> {
  /** The schema of the query. */
  readonly query: StandardSchemaV1<unknown, TQuery>
  /** The schema of the response. */
  readonly response: Schema
  /** The data that `@Paged` stores. */
  readonly definition: PagesDefinition
  /** The type of the requested page. Only the compiler uses it. */
  readonly '~page'?: TPage
}

/** The request parts of a route with pages. `Paged<typeof OrderPages>` is a shorter name. */
// biome-ignore lint/suspicious/noExplicitAny: pages of any list
export interface PagedRequest<TPages extends Pages<any>> {
  /** The requested page. */
  readonly page: NonNullable<TPages['~page']>
  /** The validated query. */
  readonly query: InferOutput<TPages['query']>
}

/** A list with cursor pages, created by `cursor`. */
export interface CursorPages<
  TItem,
  TField extends string,
  TFilter extends PageFilter,
  TSort extends string = never,
> extends Pages<CursorQuery<TFilter, TSort>, CursorPage<TField>> {
  /** The schema of a page: its items and the cursor of the next page. */
  readonly response: StandardSchemaV1<CursorResult<TItem>>
}

/** Options of `page`. */
export interface PageOptions<
  TField extends string = string,
  TFilter extends PageFilter = PageFilter,
  TTotal extends boolean = boolean,
  TOrder extends ListOrder<TField> = ListOrder<TField>,
> {
  /**
   * The order of the list: field names of an item, with the prefix `-` for descending order. End with a unique field;
   * otherwise a row can appear on two pages. To offer several orders, pass them by name; the client chooses one with
   * the query parameter `sort`, and the first order applies without `sort`. `readPage` requires an order. Default:
   * none; the handler decides.
   */
  readonly order?: TOrder
  /** The maximum `pageSize` of a request, 1 to 1000. Default: 100. */
  readonly max?: number
  /** The number of items on a page if the request has no `pageSize`. Default: 20, or `max` if that is smaller. */
  readonly pageSize?: number
  /**
   * The maximum `page` of a request, 1 to 1,000,000. A low maximum limits the work of the database, which must read all
   * rows of the previous pages. Default: 1000.
   */
  readonly maxPage?: number
  /** Whether a page contains the total number of items. The handler passes the total to `of`. Default: `true`. */
  readonly total?: TTotal
  /** Schemas of further query parameters. */
  readonly filter?: TFilter
}

/** The validated query of a list with numbered pages. */
export type PageQuery<TFilter extends PageFilter = PageFilter, TSort extends string = never> = {
  /** The number of the page; the first is 1. */
  page: number
  /** The maximum number of items on the page. */
  pageSize: number
} & SortQuery<TSort> &
  FilterOutput<TFilter>

/** One page of a list with numbered pages, as clients receive it. */
export type PageResult<TItem, TTotal extends boolean = boolean> = {
  /** The items of the page. */
  readonly items: TItem[]
  /** The number of the page; the first is 1. */
  readonly page: number
  /** The maximum number of items on the page. */
  readonly pageSize: number
  /** The number of the next page; `null` on the last page. */
  readonly next: number | null
} & (TTotal extends true
  ? {
      /** The number of items on all pages. */
      readonly total: number
    }
  : unknown)

/** The requested page of a list with numbered pages: `page` of the request. */
export interface NumberedPage<TField extends string = string, TTotal extends boolean = boolean> {
  /** The number of the page; the first is 1. */
  readonly page: number
  /** The maximum number of items on the page. */
  readonly pageSize: number
  /** The number of rows before the page. */
  readonly offset: number
  /**
   * The number of rows to read: `pageSize`, plus one if there is no total. The extra row shows that there is another
   * page.
   */
  readonly take: number
  /** The requested order of the rows; empty without `order`. */
  readonly order: readonly OrderField<TField>[]
  /** Whether `of` requires the total number of items. */
  readonly hasTotal: TTotal
  /**
   * Creates the response from at most `take` rows, starting at `offset`, and adds the `Link` header.
   *
   * @param rows The rows, in the order of the list.
   * @param total The number of items on all pages; only with the option `total`.
   * @throws TypeError if the total is not a whole number.
   */
  readonly of: <T extends object>(
    rows: readonly T[],
    ...total: TTotal extends true ? [total: number | bigint] : []
  ) => PageResult<T, TTotal>
}

/** A list with numbered pages, created by `page`. */
export interface NumberedPages<
  TItem,
  TField extends string,
  TFilter extends PageFilter,
  TTotal extends boolean,
  TSort extends string = never,
> extends Pages<PageQuery<TFilter, TSort>, NumberedPage<TField, TTotal>> {
  /** The schema of a page: its items, its number, and the number of the next page. */
  readonly response: StandardSchemaV1<PageResult<TItem, TTotal>>
}
