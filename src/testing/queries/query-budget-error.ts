import type { RouteModel } from '../../contracts/route-model.js'

const REMEDY =
  'Load all rows with one statement: a join, `where id = any($1)`, or the relations of the query. ' +
  'If the number is right, say so: @Queries(20) on the route, `queries: { repeats: 20 }` or `queries: false` of TestApp.'

/** A request has run more statements than it may: the same one too often, or more than `@Queries` of its route allows. */
export class QueryBudgetError extends Error {
  /** `'QueryBudgetError'`. */
  override readonly name: string = 'QueryBudgetError'
  /** The handler of the route: `OrdersController.list`. */
  readonly route: string

  /** `TestApp` creates it. */
  constructor({ name, method, path }: RouteModel, findings: readonly string[]) {
    super(
      `${name} (${method} ${path}) runs too many statements.\n${findings.join('\n')}\n${REMEDY}`,
    )
    this.route = name
  }
}
