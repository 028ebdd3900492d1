import type { ListOrder, OrderField, PagesDefinition } from '../../contracts/pages.js'
import type { Schema } from '../../contracts/schema.js'
import { field } from './query-fields.js'

/** The name of the order of a list that has only one. */
const ONLY = ''

/** No number, because objects list numbers first; and a name that needs no escape in a URL. */
const NAME = /^-?[A-Za-z][\w.-]*$/

type Orders = PagesDefinition['orders']

/** Makes the orders of a list. The first one is its default. */
export function ordersOf(order: ListOrder): Orders {
  const named = isNamed(order) ? order : { [ONLY]: order }
  const entries = Object.entries(named)
  return Object.freeze(
    Object.fromEntries(entries.map(([name, of]) => [name, Object.freeze(of.map(toOrderField))])),
  )
}

/** The order that a validated query chooses. */
export function orderFor(
  orders: Orders,
  { sort = ONLY }: { readonly sort?: unknown },
): readonly OrderField[] {
  // The query is valid, unless the parameter is one of the filter of a list with one order.
  return (orders[ONLY] ?? orders[sort as string]) as readonly OrderField[]
}

/** The names that a client may choose; none for a list with one order. */
export function sortsOf(orders: Orders): readonly string[] {
  return Object.keys(orders).filter((name) => name !== ONLY)
}

/** The query parameter with which a client chooses the order; none for a list with one order. */
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

/** The names of the query parameters that the orders of a list need. */
export function sortNames(order: ListOrder | undefined): readonly string[] {
  return order !== undefined && isNamed(order) ? ['sort'] : []
}

/** Checks the option `order`. */
export function checkOrder(order: ListOrder, fail: (cause: string) => never): void {
  if (!isNamed(order)) return checkFields('order', order, fail)
  const entries = Object.entries(order)
  if (entries.length === 0) fail("`order` has no name: { newest: ['-placedAt', 'id'] }.")
  for (const [name, fields] of entries) {
    if (!NAME.test(name))
      fail(
        `\`order\` has the name '${name}': begin with a letter, then letters, digits, '_', '.' and '-'.`,
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
