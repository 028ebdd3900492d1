import { z } from 'zod'

/** The largest `integer` of PostgreSQL. */
export const MAX_INTEGER = 2_147_483_647

/** The number of a row, in a path or a query. */
export const RowId = z.coerce.number().int().positive().max(MAX_INTEGER)

/** Text that is not empty. PostgreSQL can store every character except NUL. */
export function textOf(maxLength: number) {
  const text = z.string().trim().min(1).max(maxLength)
  return text.refine((value) => !value.includes('\0'), 'Must not contain a NUL character')
}
