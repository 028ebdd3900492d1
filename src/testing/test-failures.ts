import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Harness } from '../app/harness.js'
import type { AnswerStatement } from '../contracts/database.js'
import type { Request } from '../contracts/handler.js'
import type { RequestRecord } from '../contracts/request-record.js'
import { REPEATS } from '../features/records/draft.js'
import { explanationText } from '../features/records/explanation-text.js'
import { Recorder } from '../features/records/records-plugin.js'
import { answersOf } from './answers.js'
import { ContractError, UnbuiltDocumentError } from './contract/contract.js'
import { addToMessage, type FinishedRequest, joinFailures } from './finish-test.js'
import { WorkWatch } from './isolation/watch-work.js'
import { type OperationQueries, QueryBudget, queryLines } from './query-budget.js'
import type { TestOptions } from './test-options.js'
import type { TestOutgoing } from './test-outgoing.js'
import { userPlaceIn } from './user-place.js'

/** Records the requests to an application under test, and checks their statements. */
export class TestRecords {
  readonly exchanges: Exchanges = new Exchanges()
  readonly work: WorkWatch = new WorkWatch()
  readonly #recorder: Recorder
  readonly #budget: QueryBudget
  readonly #outgoing: TestOutgoing
  readonly #printsSummary: boolean
  readonly #answerStatement: AnswerStatement | null

  /**
   * @param options The options of the test: how statements are checked, and their results.
   * @param outgoing The responses to calls to other hosts.
   */
  constructor({ queries = {}, statements }: TestOptions, outgoing: TestOutgoing) {
    this.#outgoing = outgoing
    this.#answerStatement = answersOf(statements)
    const { repeats = REPEATS, summary = false } = queries === false ? {} : queries
    this.#printsSummary = summary
    this.#recorder = new Recorder({
      onEnd: (draft, ended) => this.#budget.note(draft, ended),
      placeIn: userPlaceIn,
    })
    this.#budget = new QueryBudget({
      repeats: queries === false ? null : repeats,
      draftOf: (req) => this.#recorder.draftOf(req),
    })
  }

  /** The plugin that observes the application, and the functions that supply results of statements and calls. */
  get harness(): Pick<Harness, 'plugins' | 'answerStatement' | 'answerCall'> {
    const { answerCall } = this.#outgoing
    return {
      plugins: [this.#recorder.plugin, this.work.plugin],
      answerStatement: this.#answerStatement,
      answerCall,
    }
  }

  /** Records a request that the application receives. */
  enter(req: IncomingMessage): void {
    this.exchanges.enter(req)
  }

  /** Adds the reasons for the response to the failure of a request. */
  explainTo(failure: unknown, { sent }: FinishedRequest): void {
    const req = sent && this.exchanges.find(sent)
    const record = req && this.#recorder.recordOf(req)
    if (record !== undefined) explainFailure(failure, record)
  }

  /** Returns the error for too many statements or an unanswered call in a request; `null` if there is none. */
  takeOver({ sent }: FinishedRequest): unknown {
    const req = sent && this.exchanges.find(sent)
    return (req && this.#failureOf(req)) ?? null
  }

  /**
   * Returns a response of `fetch` unchanged.
   *
   * @throws QueryBudgetError for a request with too many statements, UnansweredCallError for a request with an
   * unanswered call.
   */
  readonly pass = (response: globalThis.Response): globalThis.Response => {
    const req = this.exchanges.find(response)
    const failure = req && this.#failureOf(req)
    if (failure != null) throw failure
    return response
  }

  #failureOf(req: Request): unknown {
    return joinFailures([this.#outgoing.take(req), this.#budget.take(req)])
  }

  /** @throws TypeError for anything other than a response of the application. */
  explain(response: unknown): Explanation {
    const { req: sent } = Object(response) as { readonly req?: object }
    const req: Request | undefined = this.exchanges.find(sent ?? Object(response))
    const record = req && this.#recorder.recordOf(req)
    if (record !== undefined) return explanationOf(record)
    const advice =
      'Pass a response of request() or fetch() of this application, or of one of its callers.'
    throw new TypeError(`explain(): this application did not send the response. ${advice}`)
  }

  /** Lists the routes that requests have reached, with their numbers of statements. */
  queryReport(): readonly OperationQueries[] {
    return this.#budget.report()
  }

  /**
   * Prints the summary, if the test has the option.
   *
   * @throws QueryBudgetError, UnansweredCallError for requests whose errors no test has received, such as the requests
   * of `fuzz`.
   */
  end(): void {
    if (this.#printsSummary) {
      const lines = queryLines(this.queryReport())
      process.stderr.write(`Statements (fewest / median / most):\n${lines}\n`)
    }
    const errors = [...this.#outgoing.rest(), ...this.#budget.rest()]
    if (errors.length > 1) {
      throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'))
    }
    if (errors[0] !== undefined) throw errors[0]
  }
}

/** The reasons for a response of an application under test. `String(explanation)` returns a few readable lines. */
export interface Explanation extends RequestRecord {
  /** Returns the lines that failed supertest assertions print. */
  toString(): string
}

/** Adds the text of a record. The method is not enumerable, so it does not affect comparisons and JSON. */
function explanationOf(record: RequestRecord): Explanation {
  return Object.defineProperty(record, 'toString', { value: () => explanationText(record) })
}

/** The errors that already contain the reasons. A test can throw one error for several requests. */
const explained = new WeakSet<Error>()

/** Adds the reasons for the response to the message of a failed assertion. */
function explainFailure(failure: unknown, record: RequestRecord): void {
  // The messages of these errors already contain the difference, or state that there is no document.
  if (failure instanceof ContractError || failure instanceof UnbuiltDocumentError) return
  if (!(failure instanceof Error) || explained.has(failure)) return
  explained.add(failure)
  addToMessage(failure, explanationText(record))
}

/** Finds the application's request for a client's request or response. */
export class Exchanges {
  /** The server's end of each connection, by the client's end. */
  readonly #serverEnds = new WeakMap<object, object>()
  /** The newest request of each connection, by the server's end. Its response arrives before the next request. */
  readonly #newest = new WeakMap<object, Request>()
  /** The server's request for each request of a client, and for each response of `fetch`. */
  readonly #found = new WeakMap<object, Request>()

  /** Stores the two ends of a connection. */
  readonly connect = (serverEnd: object, clientEnd: object): void => {
    this.#serverEnds.set(clientEnd, serverEnd)
  }

  /** Records a request that the application receives. */
  enter(req: IncomingMessage): void {
    // The application turns the request into an instance of its own class, now or later.
    this.#newest.set(req.socket, req as Request)
  }

  /** Waits for the response to a request of a client. */
  readonly follow = (sent: ClientRequest): void => {
    sent.prependOnceListener('response', ({ socket }: IncomingMessage) => {
      const serverEnd = this.#serverEnds.get(socket)
      const req = serverEnd === undefined ? undefined : this.#newest.get(serverEnd)
      if (req !== undefined) this.#found.set(sent, req)
    })
  }

  /** Records the response that `fetch` created from the response to a request. */
  readonly noteResponse = (response: object, sent: ClientRequest): void => {
    const req = this.#found.get(sent)
    if (req !== undefined) this.#found.set(response, req)
  }

  /** Returns the server's request; `undefined` if the application has not responded to it. */
  find(known: object): Request | undefined {
    return this.#found.get(known)
  }
}
