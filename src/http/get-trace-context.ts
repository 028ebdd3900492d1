import type { Request } from '../contracts/handler.js'
import type { SpanIdentity, TraceContext } from '../contracts/trace.js'
import type { BlazonRequest } from './request.js'
import { RequestContext } from './request-context.js'
import { knownTrace, setSpan, traceOf } from './trace-context.js'

/**
 * Returns the trace of a request (W3C Trace Context, Level 2), to continue it in outgoing calls and to name it in logs.
 * The trace of the caller is continued if its `traceparent` is valid; else a trace begins. The first call makes it, and
 * every later call returns the same object.
 *
 * @param req The request.
 * @example
 * await fetch(stockUrl, { headers: { ...getTraceContext(req).headers } })
 */
export function getTraceContext(req: Request): TraceContext
/**
 * Returns the trace of the current request, where a plugin has entered the {@link RequestContext}; else `undefined`.
 */
export function getTraceContext(req?: Request): TraceContext | undefined
export function getTraceContext(req = RequestContext.current()): TraceContext | undefined {
  return req === undefined ? undefined : traceOf(req as BlazonRequest)
}

/**
 * Returns the trace of a request if it leads anywhere: the caller has sent a valid `traceparent`, the span of the
 * request is recorded, or code has called {@link getTraceContext}. It makes none, so it suits the lines of a log.
 *
 * @param req The request.
 * @example
 * const { traceId, spanId } = knownTraceContext(req) ?? {}
 */
export function knownTraceContext(req: Request): TraceContext | undefined {
  return knownTrace(req)
}

/**
 * Lets a span stand for a request: {@link getTraceContext}, the lines of the log, the exemplars of metrics and
 * `onError` name this span and its trace from now on. For plugins that record spans; they call it when the request
 * begins. A span with invalid ids is ignored.
 *
 * @param req The request.
 * @param span The result of `spanContext()` of OpenTelemetry.
 * @example
 * setTraceContext(req, span.spanContext())
 */
export function setTraceContext(req: Request, span: SpanIdentity): void {
  setSpan(req as BlazonRequest, span)
}
