import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ListOrder, OrderField, PagesDefinition } from '../../contracts/pages.js'
import type { JsonSchema, Schema } from '../../contracts/schema.js'

/** The maximum length of a cursor, in characters. A cursor must fit into a URL. */
export const LONGEST_CURSOR = 2048

/** The `format` of a cursor in the document. */
export const CURSOR_FORMAT = 'cursor'

/** Creates a query parameter whose value is an integer, written only with digits. */
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

/** The query parameter with the cursor. */
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
      : { issues: [{ message: 'must be the `next` cursor of a page' }] }
  },
)

/** The response field with the cursor of the next page. */
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

/** Creates a response field whose value is an integer. */
export function count(minimum: number, description: string): StandardSchemaV1<unknown, number> {
  return field<number>({ type: 'integer', minimum, description }, (value) =>
    isWhole(value, minimum)
      ? { value }
      : { issues: [{ message: `must be a whole number of ${minimum} or more` }] },
  )
}

/** The response field with the number of the next page. */
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

/** Creates a Standard Schema without a library. It includes its own JSON Schema. */
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

/** The name of the order in a list with a single order. */
const ONLY = ''

/**
 * The pattern of order names. A name must not begin with a digit, because objects list numeric keys first, and it must
 * not need escapes in a URL.
 */
const NAME = /^-?[A-Za-z][\w.-]*$/

type Orders = PagesDefinition['orders']

/** Creates the orders of a list. The first order is the default. */
export function ordersOf(order: ListOrder): Orders {
  const named = isNamed(order) ? order : { [ONLY]: order }
  const entries = Object.entries(named)
  return Object.freeze(
    Object.fromEntries(entries.map(([name, of]) => [name, Object.freeze(of.map(toOrderField))])),
  )
}

/** Returns the order that a validated query selects. */
export function orderFor(
  orders: Orders,
  { sort = ONLY }: { readonly sort?: unknown },
): readonly OrderField[] {
  // The query is valid. In a list with a single order, `sort` may be one of the list's own filters, so it is ignored.
  return (orders[ONLY] ?? orders[sort as string]) as readonly OrderField[]
}

/** Returns the order names that clients can select. The list is empty if there is a single order. */
export function sortsOf(orders: Orders): readonly string[] {
  return Object.keys(orders).filter((name) => name !== ONLY)
}

/** Returns the query parameter that selects the order. The result is empty if there is a single order. */
export function sortParameter(order: ListOrder): Readonly<Record<string, Schema>> {
  if (!isNamed(order)) return {}
  const entries = Object.entries(order)
  const names = entries.map(([name]) => name)
  const fallback = names[0] as string
  const described = {
    type: 'string',
    enum: names,
    default: fallback,
    description: `The order of the list: ${entries.map(textOf).join(', ')}`,
  }
  const issues = [{ message: `must be one of ${names.join(', ')}` }]
  const sort = field<string>(described, (value) => {
    if (value === undefined) return { value: fallback }
    return typeof value === 'string' && names.includes(value) ? { value } : { issues }
  })
  return { sort }
}

/** Returns the names of the query parameters that the orders of a list need. */
export function sortNames(order: ListOrder | undefined): readonly string[] {
  return order !== undefined && isNamed(order) ? ['sort'] : []
}

/** Checks the `order` option. */
export function checkOrder(order: ListOrder, fail: (cause: string) => never): void {
  if (!isNamed(order)) return checkFields('order', order, fail)
  const entries = Object.entries(order)
  if (entries.length === 0)
    fail("`order` has no name. Pass at least one named order: { newest: ['-placedAt', 'id'] }.")
  for (const [name, fields] of entries) {
    if (!NAME.test(name))
      fail(
        `\`order\` has the invalid name '${name}': use a letter, then letters, digits, '_', '.' and '-'.`,
      )
    checkFields(`order.${name}`, fields?.length === 0 ? null : fields, fail)
  }
}

function checkFields(name: string, fields: unknown, fail: (cause: string) => never): void {
  const isField = (each: unknown) => typeof each === 'string' && /^-?[^-]/.test(each)
  if (Array.isArray(fields) && fields.every(isField)) return
  fail(`\`${name}\` must be a list of fields: ['-placedAt', 'id'].`)
}

function textOf([name, fields]: readonly [string, readonly string[]]): string {
  return `\`${name}\` (${fields.join(', ')})`
}

function isNamed(order: ListOrder): order is Exclude<ListOrder, readonly unknown[]> {
  return typeof order === 'object' && order !== null && !Array.isArray(order)
}

function toOrderField(text: string): OrderField {
  const isDescending = text.startsWith('-')
  return Object.freeze({ field: isDescending ? text.slice(1) : text, isDescending })
}
