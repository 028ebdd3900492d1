import type { DecisionValue, ResponseCause } from './observers.js'
import type { RequestOutcome, StepName } from './steps.js'

/**
 * Everything that determined the response to a request, as plain data that JSON preserves. It contains no credential,
 * cookie or token, and no value that a schema marks as secret: `[secret]` replaces such values.
 *
 * All times are in milliseconds. `at` is relative to `startedAt`, so all parts share one timeline.
 */
export interface RequestRecord {
  /** The ID of the request, as in `X-Request-Id` and in the log; `null` if there is none. */
  readonly id: string | null
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number
  /** The duration of the request. */
  readonly durationMs: number
  /** The method that the client sent. */
  readonly method: string
  /** The path and query, with `[secret]` in place of secrets. */
  readonly url: string
  /** The route of the request; `null` if no controller route was found. */
  readonly route: RecordedRoute | null
  /** The status that was sent; `null` if the client disconnected first. */
  readonly status: number | null
  /** How the request ended; `null` while it is running. */
  readonly outcome: RequestOutcome | null
  /** The part of the application that responded; `null` while the request is running. */
  readonly cause: ResponseCause | null
  /** The step that responded: the last step that the request entered; `null` if the request reached no route step. */
  readonly answeredBy: StepName | null
  /** The tenant of the request; `null` if it has none. */
  readonly tenant: string | null
  /** The ID of the user that the guard accepted; `null` if there is none. */
  readonly user: string | null
  /** The decisions, in order. */
  readonly decisions: readonly RecordedDecision[]
  /** The route steps that the request entered, in order. */
  readonly steps: readonly RecordedStep[]
  /** The statements of the request, in the order in which they began. */
  readonly statements: readonly RecordedStatement[]
  /** The number of statements. It can exceed the length of `statements`, which is limited. */
  readonly statementCount: number
  /** The outgoing calls of the request, in the order in which they began. */
  readonly calls: readonly RecordedCall[]
  /** The number of calls. It can exceed the length of `calls`, which is limited. */
  readonly callCount: number
  /** The log lines of the request. */
  readonly logs: readonly RecordedLog[]
  /** The error of the response; `null` if there is none. */
  readonly error: RecordedError | null
}

/** The route of a {@link RequestRecord}. */
export interface RecordedRoute {
  /** The handler: `UsersController.getById`. */
  readonly name: string
  /** The method of the route. */
  readonly method: string
  /** The path of the route, with its parameters: `/users/:id`. */
  readonly path: string
}

/**
 * A decision in a {@link RequestRecord}: a `Decision` with its time. The framework records these decisions, with these
 * facts:
 *
 * - `guard`: `admitted`, `refused`, `anonymous`. `schemes`: a list of `{ scheme, verdict, reason }`, one for each
 *   scheme that was tried; the scheme is `null` for `auth.guard`.
 * - `tenant`: `named`, `confirmed`, `refused`. `tenant`, and `source`: `header`, `jwtClaim`, `host`, `subdomain`,
 *   `path`, the name of a strategy of the application, `credential`, `authorize`.
 * - `can`: `admitted`, `refused`. `abilities`.
 * - `policy`: `allowed`, `refused`. `policy`, `action`.
 * - `limit`: `counted`, `refused`. `policy`, `limit`, `windowMs`, `remaining`, and `key`: the kind of key, without its
 *   value.
 * - `capacity`: `refused`. `running`, `queued`, `receiving`.
 * - `cache`: `hit`, `stale`, `miss`, `bypass`. `key`, `ageSeconds`.
 * - `validation`: `passed`, `refused`. `in`: the parts; `issues`: a list of `{ in, path, message }`.
 */
export interface RecordedDecision {
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** The part that decided: a name in the list above, or the name of a plugin. */
  readonly by: string
  /** The result of the decision, in one or two words. */
  readonly verdict: string
  /** The reason; `null` if the verdict needs none. */
  readonly reason: string | null
  /** Further details; empty if there are none. */
  readonly facts: { readonly [name: string]: DecisionValue }
}

/** A step of a {@link RequestRecord}. */
export interface RecordedStep {
  /** The name of the step, as in `docs/express.md`. */
  readonly step: StepName
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** Milliseconds until the next step began, so nested steps are not included. */
  readonly durationMs: number
}

/** A statement of a {@link RequestRecord}. Its values are not included, because they are user data. */
export interface RecordedStatement {
  /** The database: `postgresql`. */
  readonly system: string
  /** The text of the statement on one line, without secrets. */
  readonly text: string
  /** The number of values. */
  readonly valueCount: number
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** The duration of the statement. */
  readonly durationMs: number
  /** The number of returned or changed rows; `null` if unknown. */
  readonly rowCount: number | null
  /** The tenant of the statement; `null` if it has none. */
  readonly tenant: string | null
  /** The reason for the failure; `null` if the statement succeeded. */
  readonly error: string | null
  /** The line of the application that ran the statement: `src/orders.ts:41:12`. `null` if stacks are not recorded. */
  readonly place: string | null
}

/** A call to another host in a {@link RequestRecord}, without query, headers and bodies, because they are user data. */
export interface RecordedCall {
  /** `GET`, `POST`. */
  readonly method: string
  /** The host, with its port unless it is the default port: `bank.example`. */
  readonly host: string
  /** The path, with secrets hidden. */
  readonly path: string
  /** The status of the response; `null` if the call has failed. */
  readonly status: number | null
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** The time until the response headers arrived, including retries. */
  readonly durationMs: number
  /** The number of attempts. */
  readonly attempts: number
  /** The reason for the failure; `null` if the call succeeded. */
  readonly error: string | null
  /** The line of the application that sent the call: `src/orders.ts:41:12`. `null` if stacks are not recorded. */
  readonly place: string | null
}

/** A log line of a {@link RequestRecord}. */
export interface RecordedLog {
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** The level of the line: `info`. */
  readonly level: string
  /** The text of the line. */
  readonly message: string
}

/** The error of a {@link RequestRecord}. */
export interface RecordedError {
  /** The status that the client received. */
  readonly status: number
  /** The code that the client received: `NOT_FOUND`. */
  readonly code: string
  /** The class of the error: `NotFoundError`. */
  readonly name: string
  /**
   * The message of the error, without secrets. If the status is 500 or more, the client did not receive the message.
   */
  readonly message: string
  /** The stack, with secrets hidden; `null` for errors that were not logged. */
  readonly stack: string | null
}

/** The client's request, with `[secret]` in place of secrets. */
export interface RecordedRequest {
  /** Names and values, in the order in which the client sent them. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The request body as text; `null` if there was none, or if it was not text or not stored. */
  readonly body: string | null
  /** The body in base64, if it is not text. */
  readonly base64?: string
  /** The reason why `body` is missing, as a sentence; otherwise `null`. */
  readonly omitted: string | null
}
