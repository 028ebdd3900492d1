import type { RouteModel } from '../../contracts/route-model.js'

/** How many statements the requests of a route have run. */
export interface OperationQueries {
  /** The handler: `OrdersController.list`. */
  readonly name: string
  /** The method of the route. */
  readonly method: string
  /** The path of the route: `/orders/:id`. */
  readonly path: string
  /** How many requests have reached the route. */
  readonly requests: number
  /** The fewest statements of a request. */
  readonly min: number
  /** The number that half of the requests did not exceed. */
  readonly median: number
  /** The most statements of a request. */
  readonly max: number
  /** The number of `@Queries`; `null` without it. */
  readonly allowed: number | null
}

/** The numbers of statements, by route. */
export class QueryCounts {
  /** How many requests had each number of statements. */
  readonly #routes = new Map<RouteModel, Map<number, number>>()

  /** Adds a request. */
  add(route: RouteModel, statements: number): void {
    const counts = this.#routes.get(route) ?? new Map<number, number>()
    this.#routes.set(route, counts)
    counts.set(statements, (counts.get(statements) ?? 0) + 1)
  }

  /** Lists the routes that requests have reached, in the order of their declaration. */
  report(): OperationQueries[] {
    return [...this.#routes]
      .sort(([a], [b]) => a.index - b.index)
      .map(([route, counts]) => ({ ...factsOf(route), ...summaryOf(counts) }))
  }
}

function factsOf({ name, method, path, queries }: RouteModel) {
  return { name, method, path, allowed: queries }
}

function summaryOf(counts: ReadonlyMap<number, number>) {
  const sorted = [...counts].sort(([a], [b]) => a - b)
  const requests = sorted.reduce((sum, [, each]) => sum + each, 0)
  const [min = 0] = sorted[0] ?? []
  const [max = 0] = sorted.at(-1) ?? []
  return { requests, min, median: medianOf(sorted, requests), max }
}

function medianOf(sorted: readonly (readonly [number, number])[], requests: number): number {
  let seen = 0
  for (const [statements, times] of sorted) {
    seen += times
    if (seen * 2 >= requests) return statements
  }
  return 0
}

/** Writes the report as lines. */
export function queryLines(report: readonly OperationQueries[]): string {
  const rows = report.map(({ method, path, requests, min, median, max }) => [
    `${method} ${path}`,
    `${min} / ${median} / ${max}`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
  ])
  const [first = 0, second = 0] = [0, 1].map((column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map(
      ([route = '', counts = '', times = '']) =>
        `  ${route.padEnd(first)}  ${counts.padEnd(second)}  ${times}`,
    )
    .join('\n')
}
