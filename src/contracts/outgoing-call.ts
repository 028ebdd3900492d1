import type { Request } from './handler.js'

/** A call to another host that is about to be sent. */
export interface NewCall {
  /** `GET`, `POST`. */
  readonly method: string
  /** The whole URL. It has no user and no password, but its query can contain secrets. */
  readonly url: URL
  /** The headers that are sent. An observer can set headers, such as `traceparent`. */
  readonly headers: Headers
  /**
   * Whether the URL comes from an untrusted party (`public: true`). The call must then not contain data from the
   * request.
   */
  readonly isPublic: boolean
  /** The start of the call, in milliseconds of `Clock.monotonic()`. */
  readonly startedAt: number
  /**
   * The stack trace of the code that started the call. `undefined` unless an observer sets `needsStacks`, because a
   * stack trace takes microseconds for each call.
   */
  readonly stack: string | undefined
  /** The request whose route ran the code; `undefined` outside routes, such as in a timer. */
  readonly req: Request | undefined
}

/** The result of a call to another host: the response head has arrived, or the call has failed. */
export interface CallResult {
  /** The status of the response; `null` if the call has failed. */
  readonly status: number | null
  /** Milliseconds until the response head arrived or the error was known, including retries. */
  readonly durationMs: number
  /** The number of attempts: 2 after one retry, 0 if nothing was sent. */
  readonly attempts: number
  /** The error, if the call failed; otherwise `undefined`. */
  readonly error: unknown
  /** The response and both bodies; `null` unless an observer sets `needsBodies`. */
  readonly kept: KeptCall | null
}

/** The request body, response headers and response body of a call. Observers must not write them to logs or traces. */
export interface KeptCall {
  /** The request body, if it was text or bytes; otherwise `null`. */
  readonly sent: string | null
  /** The response headers; empty if the call failed. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Returns the part of the response that has arrived. */
  readonly received: () => ReceivedBytes
}

/** The part of a response that has arrived. */
export interface ReceivedBytes {
  /** The bytes of the body. */
  readonly bytes: Uint8Array
  /** Whether the bytes are the whole body. */
  readonly isWhole: boolean
}

/** A completed call to another host. */
export interface RanCall extends NewCall, CallResult {}

/** Receives the result of a call. */
export type EndCall = (result: CallResult) => void

/** A response that replaces the response of another host. */
export interface CallAnswer {
  /** The status. Default: 200. */
  readonly status?: number
  /** The headers. Default: none, or the `content-type` of `json`. */
  readonly headers?: Readonly<Record<string, string>>
  /** A body, written as JSON. Default: none. */
  readonly json?: unknown
  /** A raw body, instead of `json`. Default: none. */
  readonly body?: string | Uint8Array
  /** The message of an error with which the call fails, instead of a response. Default: the call succeeds. */
  readonly error?: string
}

/** A call for which a test supplies the response. */
export interface CallToAnswer {
  /** `GET`, `POST`. */
  readonly method: string
  /** The whole URL. */
  readonly url: string
  /** The headers that would be sent, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, if it is text or bytes; otherwise `null`. */
  readonly body: string | null
}

/** Returns the response to a call in place of the other host. Throws if it has no response for the call. */
export type AnswerCall = (call: CallToAnswer) => CallAnswer | Promise<CallAnswer>
