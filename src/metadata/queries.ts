import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import { decorator, refuseBare } from './write.js'

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
export function Queries(most: number): DualClassOrMethodDecorator
export function Queries(...args: readonly unknown[]): DualClassOrMethodDecorator {
  refuseBare('@Queries', args[0], args[1])
  const fact = { kind: 'queries', most: args[0] as number } as const
  return decorator('@Queries()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}

/** The same as {@link Queries}: the largest number of statements of a request. @example @QueryBudget(3) @Get() list() {} */
export const QueryBudget: typeof Queries = Queries
