import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Decision, EndedRequest } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import { Queries } from './queries.js'

/**
 * The maximum number of steps, and the maximum number of decisions, in one record. Without a maximum, a loop in a
 * handler could add any number of them.
 */
const MOST = 300

/**
 * The maximum number of statements, and the maximum number of calls, in one record. Further statements and calls are
 * only counted.
 */
const MOST_STATEMENTS = 500

/** An event of a request, with its time on the monotonic clock. */
export interface Timed<T> {
  readonly at: number
  readonly value: T
}

/** All data about one request, before its record is built. */
export class Draft {
  readonly req: Request
  /** The time of the first event, on the monotonic clock. The request began immediately before it. */
  readonly begin: number
  readonly steps: Timed<StepName>[] = []
  readonly decisions: Timed<Decision>[] = []
  /** The statements, in the order in which they ended. */
  readonly statements: RanStatement[] = []
  statementCount = 0
  /** The calls, in the order in which they ended. */
  readonly calls: RanCall[] = []
  callCount = 0
  /** The ended request; `undefined` while the request is running. */
  ended: EndedRequest | undefined
  /** The time at which the request ended, on the monotonic clock. */
  end = 0

  constructor(req: Request, begin: number) {
    this.req = req
    this.begin = begin
  }

  noteStep(value: StepName, at: number): void {
    if (this.steps.length < MOST) this.steps.push({ at, value })
  }

  noteDecision(value: Decision, at: number): void {
    if (this.decisions.length < MOST) this.decisions.push({ at, value })
  }

  noteStatement(statement: RanStatement): void {
    this.statementCount += 1
    if (this.statements.length < MOST_STATEMENTS) this.statements.push(statement)
  }

  noteCall(call: RanCall): void {
    this.callCount += 1
    if (this.calls.length < MOST_STATEMENTS) this.calls.push(call)
  }

  finish(ended: EndedRequest, at: number): void {
    this.ended = ended
    this.end = at
  }
}

/** The number of equal statements in one request that indicates a query in a loop. */
export const REPEATS = 10

/** A statement that ran too often in one request. Its values and literals may have differed. */
export interface RepeatedStatement {
  readonly kind: 'repeated'
  readonly text: string
  readonly times: number
  /** The first of the repeated statements. */
  readonly statement: RanStatement
}

/** Calls that a request sent too often to one host. */
export interface RepeatedCalls {
  readonly kind: 'calls'
  /** The method and host, such as `GET bank.example`. */
  readonly text: string
  readonly times: number
  /** The first of the repeated calls. */
  readonly call: RanCall
}

/** A request with more statements and calls than the route's `@Queries` allows. */
export interface ExceededQueries {
  readonly kind: 'exceeded'
  readonly count: number
  readonly most: number
}

/** A problem with a request's statements, or with its calls to other hosts. */
export type QueryFinding = RepeatedStatement | RepeatedCalls | ExceededQueries

/**
 * Finds problems with a request's statements and calls.
 *
 * @param route The route of the request; `undefined` if there is none.
 * @param repeats The number of repetitions from which a problem is reported: repetitions of the same statement, or of
 * calls to the same host with the same method.
 */
export function findQueries(
  draft: Draft,
  route: RouteModel | undefined,
  repeats: number,
): QueryFinding[] {
  const { statements, statementCount, calls, callCount } = draft
  const count = statementCount + callCount
  const most = route?.option(Queries)
  // With `@Queries`, only the route's own maximum applies.
  if (most !== undefined) return count > most ? [{ kind: 'exceeded', count, most }] : []
  const loops = groupsOf(statements, ({ text }) => withoutLiterals(text), repeats)
  const hosts = groupsOf(calls, ({ method, url }) => `${method} ${url.host}`, repeats)
  return [
    ...loops.map(({ first, times }): QueryFinding => {
      return { kind: 'repeated', text: first.text, times, statement: first }
    }),
    ...hosts.map(({ key, first, times }): QueryFinding => {
      return { kind: 'calls', text: key, times, call: first }
    }),
  ]
}

interface Group<T> {
  readonly key: string
  readonly first: T
  readonly times: number
}

function groupsOf<T>(all: readonly T[], keyOf: (each: T) => string, least: number): Group<T>[] {
  if (all.length < least) return []
  const found = new Map<string, { readonly first: T; times: number }>()
  for (const each of all) {
    const key = keyOf(each)
    const known = found.get(key)
    if (known === undefined) found.set(key, { first: each, times: 1 })
    else known.times += 1
  }
  return [...found].flatMap(([key, group]) => (group.times < least ? [] : [{ key, ...group }]))
}

/**
 * Removes literals from a statement. Some libraries write numbers into the SQL, so that otherwise equal statements
 * differ in their numbers.
 */
function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, '?').replace(/\b\d+(?:\.\d+)?\b/g, '?')
}

/** Converts a finding to a decision, for records. */
export function decisionOf(finding: QueryFinding): Decision {
  const by = 'queries'
  if (finding.kind === 'exceeded') {
    const { count, most } = finding
    const reason = `@Queries allows ${most} statements and calls, but ${count} ran`
    return { by, verdict: 'exceeded', reason, facts: { count, most } }
  }
  const { times, text } = finding
  if (finding.kind === 'calls') {
    const reason = `the same host was called ${times} times`
    return { by, verdict: 'repeated', reason, facts: { times, text } }
  }
  return {
    by,
    verdict: 'repeated',
    reason: `the same statement ran ${times} times`,
    facts: { times, text },
  }
}
