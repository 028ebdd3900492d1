import { type Database, type Sql, sql } from 'blazon/postgres'
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

/** One page of what a query finds, in the order of its `id`s, and how much it finds in all. Both are asked at once. */
export async function readPage<T>(
  db: Database,
  query: Sql,
  { page, pageSize }: Paging,
): Promise<Page<T>> {
  const [{ rows: items }, [count]] = await Promise.all([
    db.query<T>(sql`${query} order by id limit ${pageSize} offset ${(page - 1) * pageSize}`),
    db.sql<{ total: number }>`select count(*)::integer as total from (${query}) as found`,
  ])
  return { items, total: count?.total ?? 0, page, pageSize }
}
