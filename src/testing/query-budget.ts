import type { Request } from '../contracts/handler.js'
import type { EndedRequest } from '../contracts/observers.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Draft } from '../features/records/draft.js'
import { findQueries, type QueryFinding } from '../features/records/draft.js'
import { Queries } from '../features/records/queries.js'
import { userPlacesIn } from './user-place.js'

const ONE_STATEMENT =
  'Load all rows with one statement: a join, `where id = any($1)`, or the relations of the query. '
const DECLARE =
  'If this number is intended, declare it: @Queries(20) on the route, `queries: { repeats: 20 }` or `queries: false` of TestApp.'

/**
 * Thrown if a request had too many statements or calls: the same statement too often, calls to the same host too often,
 * or more statements and calls than the `@Queries` of its route allows.
 */
export class QueryBudgetError extends Error {
  /** Always `QueryBudgetError`. */
  override readonly name: string = 'QueryBudgetError'
  /** The handler of the route: `OrdersController.list`. */
  readonly route: string

  /** Only `TestApp` calls this constructor. */
  constructor({ name, method, path }: RouteModel, findings: readonly string[], remedy: string) {
    super(
      `${name} (${method} ${path}) has too many statements or calls.\n${findings.join('\n')}\n${remedy}`,
    )
    this.route = name
  }
}

/** The settings of {@link QueryBudget}. */
interface QueryBudgetConfig {
  /** The number of equal statements, or of calls to the same host, at which a request fails; `null` for no limit. */
  readonly repeats: number | null
  /** Returns the facts about a request. */
  readonly draftOf: (req: Request) => Draft | undefined
}

/** Counts the statements of requests, and finds requests with too many statements. */
export class QueryBudget {
  readonly #config: QueryBudgetConfig
  readonly #counts = new QueryCounts()
  /** The errors of ended requests that no test has received yet. */
  readonly #pending = new Map<Request, QueryBudgetError>()
  readonly #judged = new WeakSet<Request>()

  constructor(config: QueryBudgetConfig) {
    this.#config = config
  }

  /** Counts the statements of an ended request. */
  readonly note = (draft: Draft, { route }: EndedRequest): void => {
    if (route === null) return
    const { req, statementCount } = draft
    this.#counts.add(route, statementCount)
    const error = this.#judged.has(req) ? undefined : this.#judge(draft, route)
    if (error !== undefined) this.#pending.set(req, error)
  }

  /**
   * Returns the error of a request before its test receives the response; `undefined` if the request did not run too
   * many statements.
   */
  take(req: Request): QueryBudgetError | undefined {
    const pending = this.#pending.get(req)
    this.#pending.delete(req)
    if (pending !== undefined || this.#judged.has(req)) return pending
    const draft = this.#config.draftOf(req)
    // A response can arrive before the request has ended.
    const route = draft?.ended === undefined ? (req.route as RouteModel | undefined) : undefined
    if (draft === undefined || route?.isEnveloped === undefined) return undefined
    const error = this.#judge(draft, route)
    if (error !== undefined) this.#judged.add(req)
    return error
  }

  /** Returns the errors that no test has received, without duplicates. */
  rest(): QueryBudgetError[] {
    const errors = new Map([...this.#pending.values()].map((each) => [each.message, each]))
    this.#pending.clear()
    return [...errors.values()]
  }

  /** Lists the routes that requests have reached, with their numbers of statements. */
  report(): OperationQueries[] {
    return this.#counts.report()
  }

  #judge(draft: Draft, route: RouteModel): QueryBudgetError | undefined {
    const { repeats } = this.#config
    if (repeats === null) return undefined
    const findings = findQueries(draft, route, repeats)
    if (findings.length === 0) return undefined
    return new QueryBudgetError(
      route,
      findings.map((each) => textOf(each, draft)),
      `${draft.statementCount > 0 ? ONE_STATEMENT : ''}${DECLARE}`,
    )
  }
}

function textOf(finding: QueryFinding, { statements, calls }: Draft): string {
  if (finding.kind === 'exceeded') {
    const { count, most } = finding
    const list = [
      ...statements.map(({ text, stack }) => `  ${oneLine(text)}${placeText(stack)}`),
      ...calls.map((call) => `  ${call.method} ${call.url.host}${placeText(call.stack)}`),
    ]
    const what = calls.length === 0 ? 'statements' : 'statements and calls'
    return `It ran ${count} ${what}, but @Queries allows ${most}:\n${shortList(list)}`
  }
  if (finding.kind === 'calls') {
    const { times, text, call } = finding
    return `It called the same host ${times} times. Request all data in one call, if the host supports this:\n  ${text}${placeText(call.stack)}`
  }
  const { times, text, statement } = finding
  return `It ran the same statement ${times} times:\n  ${oneLine(text)}${placeText(statement.stack)}`
}

const MOST_LINES = 20

function shortList(lines: readonly string[]): string {
  const more = lines.length - MOST_LINES
  const rest = more > 0 ? [`  and ${more} more`] : []
  return [...lines.slice(0, MOST_LINES), ...rest].join('\n')
}

/**
 * The number of source lines to show for a statement: the line that ran it, and the lines that called this code. The
 * callers are shown, because a data access class runs the statements of many routes.
 */
const MOST_PLACES = 3

function placeText(stack: string | undefined): string {
  const places = userPlacesIn(stack ?? '').slice(0, MOST_PLACES)
  return places.map((place) => `\n    at ${place}`).join('')
}

const LONGEST = 300

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

/** The numbers of statements in the requests to a route. */
export interface OperationQueries {
  /** The handler: `OrdersController.list`. */
  readonly name: string
  /** The method of the route. */
  readonly method: string
  /** The path of the route: `/orders/:id`. */
  readonly path: string
  /** The number of requests to the route. */
  readonly requests: number
  /** The minimum number of statements in a request. */
  readonly min: number
  /** The median number of statements in a request. */
  readonly median: number
  /** The maximum number of statements in a request. */
  readonly max: number
  /** The maximum number from `@Queries`; `null` if there is none. */
  readonly allowed: number | null
}

/** The numbers of statements, by route. */
class QueryCounts {
  /** The number of requests for each number of statements. */
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

function factsOf({ name, method, path, option }: RouteModel) {
  return { name, method, path, allowed: option(Queries) ?? null }
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
