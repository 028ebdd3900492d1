/** The headers that continue a trace in an outgoing call. */
export interface TraceHeaders {
  /** The trace, and the span of this request as the parent of the call. */
  readonly traceparent: string
  /** The `tracestate` header; absent if the request has none. */
  readonly tracestate?: string
}

/**
 * The place of a request in a distributed trace (W3C Trace Context, Level 2). A request without a valid `traceparent`
 * begins a trace.
 */
export interface TraceContext {
  /** 32 digits, lower-case hexadecimal: the same in all services that the trace passes. */
  readonly traceId: string
  /** 16 digits, lower-case hexadecimal: this request. */
  readonly spanId: string
  /** 16 digits: the span of the caller; absent if the trace begins here. */
  readonly parentId?: string
  /** Bit 0: the caller may have recorded the trace. Bit 1: the trace id is random. */
  readonly flags: number
  /** The valid `tracestate` of the caller; absent if there is none. */
  readonly state?: string
  /** For outgoing calls: pass them to `fetch`. */
  readonly headers: TraceHeaders
}

/** The entries of a `tracestate` header, in the order of OpenTelemetry. */
export interface TraceState {
  /** Returns the text of the header `tracestate`. */
  serialize(): string
}

/**
 * The identity of a span: the result of `spanContext()` of OpenTelemetry. Its fields are read when the trace of the
 * request is first used.
 */
export interface SpanIdentity {
  /** 32 digits, lower-case hexadecimal. */
  readonly traceId: string
  /** 16 digits, lower-case hexadecimal. */
  readonly spanId: string
  /** Bit 0: the span is recorded. */
  readonly traceFlags: number
  /** The entries of the `tracestate` header. */
  readonly traceState?: TraceState | undefined
}
