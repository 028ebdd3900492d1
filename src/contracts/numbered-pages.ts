import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ListOrder, OrderField, SortQuery } from './page-order.js'
import type { FilterOutput, PageFilter, Pages } from './pages.js'

/** Options of `page`. */
export interface PageOptions<
  TField extends string = string,
  TFilter extends PageFilter = PageFilter,
  TTotal extends boolean = boolean,
  TOrder extends ListOrder<TField> = ListOrder<TField>,
> {
  /**
   * The order of the list: names of fields of an item, `-` for a descending one. End with a unique field, or a row may be
   * on two pages. Or several orders by name, of which the client chooses one by the query parameter `sort`; a request without it
   * has the first one. `readPage` needs an order. Default: none; the handler decides.
   */
  readonly order?: TOrder
  /** The largest `pageSize` of a client, 1 to 1000. Default: 100. */
  readonly max?: number
  /** The number of items of a page without a `pageSize`. Default: 20, or `max` if that is smaller. */
  readonly pageSize?: number
  /** The largest `page` of a client, 1 to 1,000,000: a database reads all rows of the previous pages. Default: 1000. */
  readonly maxPage?: number
  /** Whether a page has the number of all items. The handler gives it to `of`. Default: `true`. */
  readonly total?: TTotal
  /** Schemas of further query parameters. */
  readonly filter?: TFilter
}

/** The validated query of a list with numbered pages. */
export type PageQuery<TFilter extends PageFilter = PageFilter, TSort extends string = never> = {
  /** The number of the page; the first is 1. */
  page: number
  /** The largest number of items of the page. */
  pageSize: number
} & SortQuery<TSort> &
  FilterOutput<TFilter>

/** One page of a list with numbered pages, as a client receives it. */
export type PageResult<TItem, TTotal extends boolean = boolean> = {
  /** The items of the page. */
  readonly items: TItem[]
  /** The number of the page; the first is 1. */
  readonly page: number
  /** The largest number of items of the page. */
  readonly pageSize: number
  /** The number of the next page; `null` on the last page. */
  readonly next: number | null
} & (TTotal extends true
  ? {
      /** The number of items of all pages. */
      readonly total: number
    }
  : unknown)

/** The requested page of a list with numbered pages: `page` of the request. */
export interface NumberedPage<TField extends string = string, TTotal extends boolean = boolean> {
  /** The number of the page; the first is 1. */
  readonly page: number
  /** The largest number of items of the page. */
  readonly pageSize: number
  /** How many rows come before the page. */
  readonly offset: number
  /**
   * How many rows to read: `pageSize`, and one more without a total. The extra row shows that there is another page.
   */
  readonly take: number
  /** The order in which rows must be read, as the request chooses it; empty without `order`. */
  readonly order: readonly OrderField<TField>[]
  /** Whether `of` needs the number of all items. */
  readonly hasTotal: TTotal
  /**
   * Makes the response of the rows from `offset` on, at most `take` of them, and adds the `Link` header.
   *
   * @param rows The rows, in the order of the list.
   * @param total The number of items of all pages; only with the option `total`.
   * @throws TypeError if the total is not a whole number.
   */
  readonly of: <T extends object>(
    rows: readonly T[],
    ...total: TTotal extends true ? [total: number | bigint] : []
  ) => PageResult<T, TTotal>
}

/** A list with numbered pages. `page` creates it. */
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
