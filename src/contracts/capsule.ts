import type { StatementFailure } from './database.js'
import type { RecordedRequest, RequestRecord } from './request-record.js'

/** The version of the format of capsules. A change that other versions of the command cannot read gets another number. */
export type CapsuleFormat = 2

/**
 * Everything that is needed to run a failed request again, without its secrets: `[secret]` replaces them. It is plain
 * data, equal before and after JSON; values that JSON does not have are written as `PlainValue`.
 */
export interface Capsule {
  readonly format: CapsuleFormat
  /** The name of its file, without `.json`. */
  readonly id: string
  /** The decisions behind the response. `startedAt` is the instant to which a replay sets the clock. */
  readonly record: RequestRecord
  /** The request, with its body as sent by the client. */
  readonly sent: RecordedRequest
  /** `req.user`; `null` if the request has no user. */
  readonly principal: PlainValue
  /** In the order in which the statements began. */
  readonly statements: readonly CapsuleStatement[]
  /** The calls to other hosts that a replay answers, in the order of their starts. A replay refuses all other calls. */
  readonly calls: readonly CapsuleCall[]
  /** The reasons why the request cannot be repeated exactly, as sentences; empty if it can. */
  readonly cut: readonly string[]
  /**
   * The names of the values that were replaced as secrets: of fields and headers, and `body` and `url` of the request.
   */
  readonly hidden: readonly string[]
}

/** A statement of a {@link Capsule}, with the answer of its database. */
export interface CapsuleStatement {
  /** The database: `postgresql`. */
  readonly system: string
  readonly text: string
  readonly values: PlainValue
  readonly rowCount: number | null
  /** A list; `null` if the rows are not known, or if the statement has failed. */
  readonly rows: PlainValue
  /** The error of a statement that has failed; else `null`. */
  readonly error: StatementFailure | null
}

/** A call to another host of a {@link Capsule}, with the response of the host. `[secret]` replaces secrets. */
export interface CapsuleCall {
  readonly method: string
  readonly url: string
  /** The request body; `null` if there was none, or if it was not text. */
  readonly sent: string | null
  /** `null` if the call has failed. */
  readonly status: number | null
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The response body; `null` if there is none, or if it is not text. */
  readonly body: string | null
  /** The response body, if it is not text. */
  readonly base64?: string
  /** The message of the error of a call that has failed; else `null`. */
  readonly error: string | null
}

/**
 * A value of JSON. Other values are objects with one name: `{ $date }`, `{ $bytes }` in base64, `{ $bigint }`,
 * `{ $number }` for `NaN` and the infinities, `{ $undefined }`. `{ $object }` holds an object that has such a name
 * itself.
 */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue }
