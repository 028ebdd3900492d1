import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Decision, EndedRequest } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import { Queries } from './queries.js'

/** The maximum numbers of steps and decisions of one record, because a loop in a handler may add any number. */
const MOST = 300

/** The maximum numbers of statements and calls of one record; further ones are only counted. */
const MOST_STATEMENTS = 500

/** An event of a request, with its time on the monotonic clock. */
export interface Timed<T> {
  readonly at: number
  readonly value: T
}

/** All facts about one request, until it becomes a record. */
export class Draft {
  readonly req: Request
  /** When the first event came, on the monotonic clock: the request has begun right before. */
  readonly begin: number
  readonly steps: Timed<StepName>[] = []
  readonly decisions: Timed<Decision>[] = []
  /** In the order of their ends. */
  readonly statements: RanStatement[] = []
  statementCount = 0
  /** In the order of their ends. */
  readonly calls: RanCall[] = []
  callCount = 0
  /** `undefined` while the request is running. */
  ended: EndedRequest | undefined
  /** The end of the request, on the monotonic clock. */
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

/** This many equal statements in one request indicate a loop over rows. */
export const REPEATS = 10

/** A statement that ran too often in one request, with different values or literals. */
export interface RepeatedStatement {
  readonly kind: 'repeated'
  readonly text: string
  readonly times: number
  /** The first of the statements. */
  readonly statement: RanStatement
}

/** Calls that a request sent too often to one host. */
export interface RepeatedCalls {
  readonly kind: 'calls'
  /** `GET bank.example` */
  readonly text: string
  readonly times: number
  /** The first of the statements. */
  readonly call: RanCall
}

/** A request with more statements and calls than `@Queries` of its route allows. */
export interface ExceededQueries {
  readonly kind: 'exceeded'
  readonly count: number
  readonly most: number
}

/** A problem with the statements of a request, or with its calls to other hosts. */
export type QueryFinding = RepeatedStatement | RepeatedCalls | ExceededQueries

/**
 * Finds problems with the statements of a request, and with its calls.
 *
 * @param route The route of the request; `undefined` without one.
 * @param repeats How often the same statement may not run, and the same host may not be called by the same method.
 */
export function findQueries(
  draft: Draft,
  route: RouteModel | undefined,
  repeats: number,
): QueryFinding[] {
  const { statements, statementCount, calls, callCount } = draft
  const count = statementCount + callCount
  const most = route?.option(Queries)
  // The author of a route with `@Queries` has counted its statements.
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

/** Returns the groups of items with the same key that have at least so many items. */
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

/** Some libraries write numbers into the text: such statements are equal except for the numbers. */
function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, '?').replace(/\b\d+(?:\.\d+)?\b/g, '?')
}

/** Writes a finding as a decision, for records. */
export function decisionOf(finding: QueryFinding): Decision {
  const by = 'queries'
  if (finding.kind === 'exceeded') {
    const { count, most } = finding
    const reason = `@Queries allows ${most} statements and calls, and ${count} ran`
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
