import { inspect } from 'node:util'
import type { RouteOption } from '../../contracts/extensions.js'
import { defineOption } from '../../metadata/option.js'

/**
 * Sets how many statements of a database a request of a route may run at most. A test of `TestApp` fails with the first
 * request that runs more, and `blazon dev` notes it. In production it does nothing. `@Queries` on a method replaces the
 * value of its class.
 *
 * With `@Queries`, the same statement may run up to `most` times: `queries.repeats` of `TestApp` does not count.
 *
 * @param most A whole number, or 0.
 * @example
 * @Queries(3)
 * @Get()
 * list() { return this.orders.withItems() }
 */
export const Queries: RouteOption<number, number, 'both'> = defineOption<number>('Queries', {
  check: (most) =>
    Number.isSafeInteger(most) && most >= 0
      ? undefined
      : `${inspect(most)} is not a valid number of statements. Write a whole number, or 0.`,
})

/** The same as {@link Queries}: the largest number of statements of a request. @example @QueryBudget(3) @Get() list() {} */
export const QueryBudget: typeof Queries = Queries
