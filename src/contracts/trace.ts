/** The headers that continue a trace in an outgoing call. */
export interface TraceHeaders {
  /** The trace, and the span of this request as the parent of the call. */
  readonly traceparent: string
  /** The `tracestate` header; absent if the request has none. */
  readonly tracestate?: string
}

/**
 * The place of a request in a distributed trace (W3C Trace Context, Level 2). A request without a valid `traceparent`
 * starts a new trace.
 */
export interface TraceContext {
  /** The trace ID, the same in all services of the trace: 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** The span ID of this request: 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** The span ID of the caller: 16 digits; absent if the trace starts here. */
  readonly parentId?: string
  /** Bit 0: the caller may have recorded the trace. Bit 1: the trace ID is random. */
  readonly flags: number
  /** The valid `tracestate` of the caller; absent if there is none. */
  readonly state?: string
  /** The headers for outgoing calls: pass them to `fetch`. */
  readonly headers: TraceHeaders
}

/** The entries of a `tracestate` header, in OpenTelemetry's form. */
export interface TraceState {
  /** Returns the text of the `tracestate` header. */
  serialize(): string
}

/**
 * The identity of a span: the result of OpenTelemetry's `spanContext()`. Its fields are read when the trace of the
 * request is first used.
 */
export interface SpanIdentity {
  /** The trace ID: 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** The span ID: 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** Bit 0: the span is recorded. */
  readonly traceFlags: number
  /** The entries of the `tracestate` header. */
  readonly traceState?: TraceState | undefined
}
