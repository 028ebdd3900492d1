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
