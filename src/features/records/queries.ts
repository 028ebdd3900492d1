import { inspect } from 'node:util'
import type { RouteOption } from '../../contracts/extensions.js'
import { defineOption } from '../../metadata/option.js'

/**
 * Sets the maximum total number of database statements and calls to other hosts for each request to a route. If a
 * request exceeds the maximum, a test with `TestApp` fails, and `blazon dev` reports the request. In production,
 * `@Queries` has no effect. `@Queries` on a method overrides `@Queries` on the class.
 *
 * With `@Queries`, the same statement can run up to `most` times, and the `queries.repeats` option of `TestApp` does
 * not apply.
 *
 * @param most The maximum: an integer of 0 or more.
 * @example
 * @Queries(3)
 * @Get()
 * list() { return this.orders.withItems() }
 */
export const Queries: RouteOption<number, number, 'both'> = defineOption<number>('Queries', {
  check: (most) =>
    Number.isSafeInteger(most) && most >= 0
      ? undefined
      : `${inspect(most)} is not a valid number of statements. Write a whole number of 0 or more.`,
})

/**
 * The same as {@link Queries}: sets the maximum number of statements and calls for each request.
 *
 * @example
 * @QueryBudget(3)
 * @Get()
 * list() {}
 */
export const QueryBudget: typeof Queries = Queries
