import { z } from 'zod'

/** `?page=2&pageSize=50` */
export const Paging = z.object({
  page: z.coerce.number().int().min(1).default(1).describe('Counted from 1'),
  pageSize: z.coerce.number().int().min(1).max(100).default(20).describe('Most items of a page'),
})

export type Paging = z.infer<typeof Paging>

export interface Page<T> extends Paging {
  items: T[]
  total: number
}

/** Describes a page of `item`s. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.int(), page: z.int(), pageSize: z.int() })
}

/** Cuts one page out of a list. */
export function pageOf<T>(list: readonly T[], { page, pageSize }: Paging): Page<T> {
  const start = (page - 1) * pageSize
  return { items: list.slice(start, start + pageSize), total: list.length, page, pageSize }
}
