import { inspect } from 'node:util'
import type { RouteOption } from '../../contracts/extensions.js'
import { defineOption } from '../../metadata/option.js'

/**
 * Sets the maximum number of database statements for a request of a route. A test with `TestApp` fails at the first
 * request that runs more, and `blazon dev` reports it. In production, `@Queries` has no effect. `@Queries` on a method
 * replaces the value of its class.
 *
 * With `@Queries`, the same statement may run up to `most` times, and `queries.repeats` of `TestApp` does not apply.
 *
 * @param most The maximum: 0 or a whole number above 0.
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
 * The same as {@link Queries}: sets the maximum number of statements for a request.
 *
 * @example
 * @QueryBudget(3)
 * @Get()
 * list() {}
 */
export const QueryBudget: typeof Queries = Queries
