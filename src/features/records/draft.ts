import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Decision, EndedRequest } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { StepName } from '../../contracts/steps.js'

/** The most steps, and the most decisions, of one record. A loop in a handler may note any number. */
const MOST = 300

/** The most statements, and the most calls, of one record; the others are only counted. */
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
  /** In the order in which they have ended. */
  readonly statements: RanStatement[] = []
  statementCount = 0
  /** In the order in which they have ended. */
  readonly calls: RanCall[] = []
  callCount = 0
  /** `undefined` while the request is not over. */
  ended: EndedRequest | undefined
  /** When the request was over, on the monotonic clock. */
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
