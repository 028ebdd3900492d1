import type { DecisionValue, ResponseCause } from './observers.js'
import type { RequestOutcome, StepName } from './steps.js'

/**
 * The reasons for a response: everything that has decided it. It is plain data, equal before and after JSON. It has no
 * credential, no cookie, no token, and no value that is secret by its schema: such texts are `[secret]`.
 *
 * All times are milliseconds. `at` counts from `startedAt`, so all parts share one time line.
 */
export interface RequestRecord {
  /** The id of the request, as in `X-Request-Id` and in the log; `null` if it has none. */
  readonly id: string | null
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number
  /** How long the request took. */
  readonly durationMs: number
  /** The method that the client sent. */
  readonly method: string
  /** Path and query, with `[secret]` in place of secrets. */
  readonly url: string
  /** The route of the request; `null` if no route of a controller was found. */
  readonly route: RecordedRoute | null
  /** The status that was sent; `null` if the client left before. */
  readonly status: number | null
  /** How the request ended; `null` while it is not over. */
  readonly outcome: RequestOutcome | null
  /** Which part of the application has responded; `null` while the request is not over. */
  readonly cause: ResponseCause | null
  /** The step that has responded: the last step that the request entered; `null` if it reached no step of a route. */
  readonly answeredBy: StepName | null
  /** The tenant that the request acted for; `null` without one. */
  readonly tenant: string | null
  /** The id of the user that the guard has let in; `null` without one. */
  readonly user: string | null
  /** The decisions, in order. */
  readonly decisions: readonly RecordedDecision[]
  /** The steps of the route that the request entered, in their order. */
  readonly steps: readonly RecordedStep[]
  /** The statements that ran for the request, in the order in which they began. */
  readonly statements: readonly RecordedStatement[]
  /** How many statements ran. More than `statements` has entries, if a request ran very many. */
  readonly statementCount: number
  /** The calls to other hosts that the request has sent, in the order in which they began. */
  readonly calls: readonly RecordedCall[]
  /** How many calls were sent. More than `calls` has entries, if a request sent very many. */
  readonly callCount: number
  /** The lines that the request has logged. */
  readonly logs: readonly RecordedLog[]
  /** The error that became the response; `null` if none did. */
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
 * A decision of a {@link RequestRecord}: a `Decision` with its time. These are the decisions of the framework, and their facts:
 *
 * - `guard`: `admitted`, `refused`, `anonymous`. `schemes`: a list of `{ scheme, verdict, reason }`, one for each
 *   scheme that was tried; the scheme is `null` for `auth.guard`.
 * - `tenant`: `named`, `confirmed`, `refused`. `tenant`, and `source`: `header`, `jwtClaim`, `host`, `subdomain`, `path`, the
 *   name of a strategy of the application, `credential`, `authorize`.
 * - `can`: `admitted`, `refused`. `abilities`.
 * - `policy`: `allowed`, `refused`. `policy`, `action`.
 * - `limit`: `counted`, `refused`. `policy`, `limit`, `windowMs`, `remaining`, and `key`: the kind of key, without
 *   its value.
 * - `capacity`: `refused`. `running`, `queued`, `receiving`.
 * - `cache`: `hit`, `stale`, `miss`, `bypass`. `key`, `ageSeconds`.
 * - `validation`: `passed`, `refused`. `in`: the parts; `issues`: a list of `{ in, path, message }`.
 */
export interface RecordedDecision {
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** Who has decided: a name of the list above, or of a plugin. */
  readonly by: string
  /** The decision, in one or two words. */
  readonly verdict: string
  /** Why; `null` where the verdict needs no reason. */
  readonly reason: string | null
  /** Further facts; empty if there are none. */
  readonly facts: { readonly [name: string]: DecisionValue }
}

/** A step of a {@link RequestRecord}. */
export interface RecordedStep {
  /** The step, a name of `docs/express.md`. */
  readonly step: StepName
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** Milliseconds until the next step, without the steps inside. */
  readonly durationMs: number
}

/** A statement of a {@link RequestRecord}. It has no values, because they are data of users. */
export interface RecordedStatement {
  /** The database: `postgresql`. */
  readonly system: string
  /** The text of the statement, in one line, with secrets hidden. */
  readonly text: string
  /** How many values it was sent with. */
  readonly valueCount: number
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** How long the statement took. */
  readonly durationMs: number
  /** How many rows it has returned or changed; `null` if it is not known. */
  readonly rowCount: number | null
  /** The tenant that it ran for; `null` without one. */
  readonly tenant: string | null
  /** Why it failed; `null` if it has not. */
  readonly error: string | null
  /** The line of the application's code that ran it: `src/orders.ts:41:12`. `null` where stacks are not recorded. */
  readonly place: string | null
}

/** A call to another host of a {@link RequestRecord}. It has no query, no headers and no bodies, because they are data of users. */
export interface RecordedCall {
  /** `GET`, `POST`. */
  readonly method: string
  /** The host, with a port that is not the usual one: `bank.example`. */
  readonly host: string
  /** The path, with secrets hidden. */
  readonly path: string
  /** The status of the response; `null` if the call has failed. */
  readonly status: number | null
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** How long it took until the head of the response had arrived, with retries. */
  readonly durationMs: number
  /** How often it was sent. */
  readonly attempts: number
  /** Why it failed; `null` if it has not. */
  readonly error: string | null
  /** The line of the application's code that sent it: `src/orders.ts:41:12`. `null` where stacks are not recorded. */
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
  /** The status that the client got. */
  readonly status: number
  /** The code that the client got: `NOT_FOUND`. */
  readonly code: string
  /** The class of the error: `NotFoundError`. */
  readonly name: string
  /** Its message, with secrets hidden. For a status of 500 or more, the client did not get it. */
  readonly message: string
  /** The stack, with secrets hidden; `null` for errors that were not logged. */
  readonly stack: string | null
}

/** The request that a client has sent, without secrets: `[secret]` replaces them. */
export interface RecordedRequest {
  /** Names and values, in the order of the client. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body as it was sent, as text; `null` if there was none, if it is not text, or if it was not kept. */
  readonly body: string | null
  /** A body that is not text, in base64. */
  readonly base64?: string
  /** Why `body` has no body that was sent, as a sentence; else `null`. */
  readonly omitted: string | null
}
