/** An order of a list: names of fields of an item, `-` for a descending one. */
export type FieldOrder<TField extends string = string> = readonly (TField | `-${TField}`)[]

/**
 * The orders of a list: one, or several by name. A client chooses a name by the query parameter `sort`; without it, the list
 * has the first order.
 */
export type ListOrder<TField extends string = string> =
  | FieldOrder<TField>
  | Readonly<Record<string, FieldOrder<TField>>>

/** The names of the orders of a list; `never` for a list with one order. */
export type SortOf<TOrder extends ListOrder> = TOrder extends readonly unknown[]
  ? never
  : Extract<keyof TOrder, string>

/** The part of a validated query that names the order. */
export type SortQuery<TSort extends string> = [TSort] extends [never]
  ? unknown
  : {
      /** The name of the order. Without it in the request, the first one. */
      sort: TSort
    }

/** One field of the order of a list. */
export interface OrderField<TField extends string = string> {
  /** The name of the field. */
  readonly field: TField
  /** Whether larger values come first. */
  readonly isDescending: boolean
}
