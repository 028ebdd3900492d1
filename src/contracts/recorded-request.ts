/** The request that a client has sent, without secrets: `[secret]` stands in their places. */
export interface RecordedRequest {
  /** Names and values, in the order of the client. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body as text; `null` if there was none, or if it was not kept. */
  readonly body: string | null
  /** Why the body was not kept, as a sentence; `null` if it was kept, or if there was none. */
  readonly omitted: string | null
}
