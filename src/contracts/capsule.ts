import type { StatementFailure } from './database.js'
import type { RecordedRequest, RequestRecord } from './request-record.js'

/**
 * The version of the capsule format. The number changes if earlier versions of `blazon replay` cannot read the new
 * format.
 */
export type CapsuleFormat = 2

/**
 * Everything that is needed to run a failed request again, with `[secret]` in place of its secrets. It is plain data
 * that JSON preserves; values that JSON cannot express are written as a `PlainValue`.
 */
export interface Capsule {
  readonly format: CapsuleFormat
  /** The file name, without `.json`. */
  readonly id: string
  /** The record of the request. A replay sets the clock to its `startedAt`. */
  readonly record: RequestRecord
  /** The request, with its body as sent by the client. */
  readonly sent: RecordedRequest
  /** `req.user`; `null` if the request has no user. */
  readonly principal: PlainValue
  /** The statements, in the order in which they began. */
  readonly statements: readonly CapsuleStatement[]
  /**
   * The calls to other hosts, in the order in which they began. A replay returns the recorded responses and refuses all
   * other calls.
   */
  readonly calls: readonly CapsuleCall[]
  /** The reasons why the request cannot be repeated exactly, as sentences; empty if it can. */
  readonly cut: readonly string[]
  /**
   * The names of the values that were replaced as secrets: fields, headers, and the `body` and `url` of the request.
   */
  readonly hidden: readonly string[]
}

/** A statement of a {@link Capsule}, with the result from its database. */
export interface CapsuleStatement {
  /** The database: `postgresql`. */
  readonly system: string
  readonly text: string
  readonly values: PlainValue
  readonly rowCount: number | null
  /** The rows; `null` if they are unknown, or if the statement failed. */
  readonly rows: PlainValue
  /** The error, if the statement failed; otherwise `null`. */
  readonly error: StatementFailure | null
}

/** A call to another host in a {@link Capsule}, with the host's response. `[secret]` replaces secrets. */
export interface CapsuleCall {
  readonly method: string
  readonly url: string
  /** The request body; `null` if there was none, or if it was not text. */
  readonly sent: string | null
  /** The status of the response; `null` if the call failed. */
  readonly status: number | null
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The response body; `null` if there is none, or if it is not text. */
  readonly body: string | null
  /** The response body in base64, if it is not text. */
  readonly base64?: string
  /** The error message, if the call failed; otherwise `null`. */
  readonly error: string | null
}

/**
 * A JSON value. Any other value is represented by an object with a single key: `{ $date }`, `{ $bytes }` in base64, `{
 * $bigint }`, `{ $number }` for `NaN` and the infinities, `{ $undefined }`. `{ $object }` contains an object that
 * itself has such a key.
 */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue }
