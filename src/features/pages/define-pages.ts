import type { ListOrder } from '../../contracts/page-order.js'
import type { PageFilter, PagesDefinition } from '../../contracts/pages.js'
import type { Schema } from '../../contracts/schema.js'
import { createValidatorCompiler } from '../../schema/compile-validator.js'
import { KeyedSchema, ListSchema } from '../../schema/composed-schemas.js'
import { checkOrder, ordersOf, sortNames, sortParameter } from './page-orders.js'

const MOST_ITEMS = 1000

/** The options that all lists with pages have. */
interface CommonOptions {
  readonly order?: ListOrder
  readonly max?: number
  readonly filter?: PageFilter
}

/** The parts from which {@link definePages} makes a list. */
export interface PagesParts extends Pick<PagesDefinition, 'kind' | 'maxAgeSeconds' | 'hasTotal'> {
  readonly order: ListOrder
  readonly query: Readonly<Record<string, Schema>>
  readonly filter: PageFilter | undefined
  readonly response: Readonly<Record<string, Schema>>
}

/** Makes the parts that `cursor` and `page` return. */
export function definePages({ order, query, filter, response, ...rest }: PagesParts): {
  readonly query: Schema
  readonly response: Schema
  readonly definition: PagesDefinition
} {
  const schemas = {
    query: keyed({ ...query, ...sortParameter(order), ...filter }),
    response: keyed(response),
  }
  const definition: PagesDefinition = Object.freeze({
    ...rest,
    ...schemas,
    orders: ordersOf(order),
  })
  return Object.freeze({ ...schemas, definition })
}

/** The schema of the items of a page. */
export function listOf(item: Schema, max: number): ListSchema {
  return new ListSchema(item, max, (schema, source) => createValidatorCompiler()(schema, source))
}

/** Whether a value is a whole number from 1 to `most`. */
export function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

/** Checks the options that all lists with pages have. `own` are the parameters that pages need themselves. */
export function checkCommon(
  { order = [], max = 1, filter = {} }: CommonOptions,
  own: readonly string[],
  fail: (cause: string) => never,
): void {
  checkOrder(order, fail)
  if (!isCount(max, MOST_ITEMS)) fail(`\`max\` must be a whole number from 1 to ${MOST_ITEMS}.`)
  const taken = [...own, ...sortNames(order)].find((name) => Object.hasOwn(filter, name))
  if (taken !== undefined) fail(`\`filter\` cannot have \`${taken}\`, which pages need.`)
}

/** Throws an error of a function that describes pages. */
export function failOf(name: string): (cause: string) => never {
  return (cause) => {
    throw new TypeError(`${name}(): ${cause}`)
  }
}

function keyed(entries: Readonly<Record<string, Schema>>): KeyedSchema {
  return new KeyedSchema(Object.entries(entries), {
    isOpen: false,
    createCompiler: () => createValidatorCompiler(),
  })
}
