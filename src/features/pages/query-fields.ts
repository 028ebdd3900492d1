import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from '../../contracts/schema.js'

/** The longest cursor, in characters; it must fit into a URL. */
export const LONGEST_CURSOR = 2048

/** The format of a cursor in the document. */
export const CURSOR_FORMAT = 'cursor'

/** A query parameter that is a whole number, written in digits only. */
export function wholeNumber(
  { max, fallback }: { readonly max: number; readonly fallback: number },
  description: string,
): StandardSchemaV1<unknown, number> {
  const described = { type: 'integer', minimum: 1, maximum: max, default: fallback, description }
  return field<number>(described, (value) => {
    if (value === undefined) return { value: fallback }
    const count = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value
    const isValid = typeof count === 'number' && Number.isInteger(count)
    return isValid && count >= 1 && count <= max
      ? { value: count }
      : { issues: [{ message: `must be a whole number from 1 to ${max}` }] }
  })
}

/** The query parameter that has the cursor. */
export const cursorField: StandardSchemaV1<unknown, string | undefined> = field<string | undefined>(
  {
    type: 'string',
    format: CURSOR_FORMAT,
    minLength: 1,
    maxLength: LONGEST_CURSOR,
    description: 'The `next` cursor of the previous page. Omit it for the first page',
  },
  (value) => {
    const isText = typeof value === 'string' && value !== '' && value.length <= LONGEST_CURSOR
    return value === undefined || isText
      ? { value }
      : { issues: [{ message: 'must be the `next` of a page' }] }
  },
)

/** The field of a response that has the cursor of the next page. */
export const nextField: StandardSchemaV1<unknown, string | null> = field<string | null>(
  {
    type: ['string', 'null'],
    description: 'The cursor of the next page; null on the last page',
  },
  (value) =>
    value === null || typeof value === 'string'
      ? { value }
      : { issues: [{ message: 'must be a cursor or null' }] },
)

/** A field of a response that is a whole number. */
export function count(minimum: number, description: string): StandardSchemaV1<unknown, number> {
  return field<number>({ type: 'integer', minimum, description }, (value) =>
    isWhole(value, minimum)
      ? { value }
      : { issues: [{ message: `must be a whole number from ${minimum} on` }] },
  )
}

/** The field of a response that has the number of the next page. */
export const nextNumber: StandardSchemaV1<unknown, number | null> = field<number | null>(
  {
    type: ['integer', 'null'],
    minimum: 2,
    description: 'The number of the next page; null on the last page',
  },
  (value) =>
    value === null || isWhole(value, 2)
      ? { value }
      : { issues: [{ message: 'must be the number of a page or null' }] },
)

function isWhole(value: unknown, minimum: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= minimum
}

/** Makes a Standard Schema that describes itself, so that it needs no library. */
export function field<T>(
  described: JsonSchema,
  validate: (value: unknown) => StandardSchemaV1.Result<T>,
): StandardSchemaV1<unknown, T> {
  const describe = () => described
  const standard = {
    version: 1 as const,
    vendor: 'blazon',
    validate,
    jsonSchema: { input: describe, output: describe },
  }
  return Object.freeze({ '~standard': Object.freeze(standard) })
}
