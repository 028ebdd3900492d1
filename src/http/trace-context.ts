import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from '../contracts/handler.js'
import type { SpanIdentity, TraceContext } from '../contracts/trace.js'
import { RequestContext } from './contexts.js'
import type { BlazonRequest } from './request.js'
import { kSpan, kTrace } from './symbol-fields.js'

/**
 * Returns the trace of a request (W3C Trace Context, Level 2), for outgoing calls and logs. The caller's trace is
 * continued if its `traceparent` is valid; otherwise, a new trace begins. The first call creates the trace, and later
 * calls return the same object.
 *
 * @param req The request.
 * @example
 * await fetch(stockUrl, { headers: { ...getTraceContext(req).headers } })
 */
export function getTraceContext(req: Request): TraceContext
/** Returns the trace of the current request if a plugin entered the {@link RequestContext}; otherwise `undefined`. */
export function getTraceContext(req?: Request): TraceContext | undefined
export function getTraceContext(req = RequestContext.current()): TraceContext | undefined {
  return req === undefined ? undefined : traceOf(req as BlazonRequest)
}

/**
 * Returns the trace of a request if it exists: the caller sent a valid `traceparent`, the span of the request is
 * recorded, or {@link getTraceContext} was called. This function never creates a trace, so it is suitable for log
 * lines.
 *
 * @param req The request.
 * @example
 * const { traceId, spanId } = knownTraceContext(req) ?? {}
 */
export function knownTraceContext(req: Request): TraceContext | undefined {
  return knownTrace(req)
}

/**
 * Sets the span of a request. Plugins that record spans call this function when the request begins. From then on,
 * `getTraceContext`, log lines, metric exemplars and `onError` refer to this span and its trace. A span with invalid
 * IDs is ignored.
 *
 * @param req The request.
 * @param span The result of OpenTelemetry's `spanContext()`.
 * @example
 * setTraceContext(req, span.spanContext())
 */
export function setTraceContext(req: Request, span: SpanIdentity): void {
  setSpan(req as BlazonRequest, span)
}

/** The parts of a `traceparent`. */
export interface TraceParent {
  readonly traceId: string
  readonly parentId: string
  /** The flags, limited to those in this version of the standard. */
  readonly flags: number
}

const SAMPLED = 1
const RANDOM = 2

/** Matches the version, the trace ID, the parent ID, the flags, and a part that only later versions can have. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[^,]*)?$/

/** The number of random bytes to generate at once. */
const POOL_BYTES = 2048

/** Matches an ID of only zeros, which means that there is no ID. */
const ZERO = /^0+$/

/**
 * Reads a `traceparent` (W3C Trace Context, Level 2, section 3.2). For a later version, only the parts of version 00
 * and the first flag are read. Returns `undefined` if the header is missing, repeated or invalid.
 */
export function parseTraceparent(value: unknown): TraceParent | undefined {
  // Most requests do not have this header.
  if (typeof value !== 'string') return undefined
  const [, version, traceId, parentId, flags, rest] = TRACEPARENT.exec(value) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined
  const isFirst = version === '00'
  if (version === 'ff' || (isFirst && rest !== undefined)) return undefined
  if (ZERO.test(traceId) || ZERO.test(parentId)) return undefined
  const known = isFirst ? SAMPLED | RANDOM : SAMPLED
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & known }
}

const MAX_MEMBERS = 32

/** Matches a key, and a value that does not end with a space (W3C Trace Context, Level 2, section 3.3.1.3). */
const MEMBER =
  /^([a-z\d][a-z\d_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/**
 * Reads a `tracestate`. Returns `undefined` if it is missing or empty, or if any part of it is invalid. If two members
 * have the same key, the first is newer, and the second is dropped. Node joins the lines of a repeated header with
 * commas, as the standard specifies.
 */
export function parseTracestate(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const found = new Map<string, string>()
  let count = 0
  for (const part of value.split(',')) {
    const member = trimmed(part)
    // Empty members are ignored.
    if (member === '') continue
    const key = MEMBER.exec(member)?.[1]
    if (key === undefined || ++count > MAX_MEMBERS) return undefined
    if (!found.has(key)) found.set(key, member)
  }
  return found.size === 0 ? undefined : [...found.values()].join(',')
}

/**
 * Removes only spaces and tabs at both ends. A regular expression would take quadratic time in the number of spaces.
 */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text, start)) start++
  while (end > start && isSpace(text, end - 1)) end--
  return text.slice(start, end)
}

function isSpace(text: string, index: number): boolean {
  return text[index] === ' ' || text[index] === '\t'
}

/** The properties of a request that determine its trace. */
interface Traced {
  readonly headers: IncomingHttpHeaders
  [kTrace]?: TraceContext | undefined
  [kSpan]?: SpanIdentity
}

/**
 * Returns the trace of a request. The trace is created when it is first read, because most requests do not need it. A
 * request that is passed between applications keeps its trace.
 */
export function traceOf(req: Traced): TraceContext {
  req[kTrace] ??=
    traceOfSpan(req) ?? createTrace(req.headers['traceparent'], req.headers['tracestate'])
  return req[kTrace]
}

/**
 * Returns the trace of a request if it exists: the caller sent it, the request's span is recorded, or the trace was
 * read before. Never creates a trace.
 */
export function knownTrace(req: Traced): TraceContext | undefined {
  if (req[kTrace] !== undefined) return req[kTrace]
  const isRecorded = ((req[kSpan]?.traceFlags ?? 0) & SAMPLED) !== 0
  if (isRecorded) req[kTrace] = traceOfSpan(req)
  if (req[kTrace] !== undefined) return req[kTrace]
  return parseTraceparent(req.headers['traceparent']) === undefined ? undefined : traceOf(req)
}

/** Sets the span of a request. The next access creates the trace of this span. */
export function setSpan(req: Traced, span: SpanIdentity): void {
  req[kSpan] = span
  if (req[kTrace] !== undefined) req[kTrace] = undefined
}

/** Continues the trace in the headers, or begins a new trace if `traceparent` is not valid. */
export function createTrace(traceparent: unknown, tracestate: unknown): TraceContext {
  const parent = parseTraceparent(traceparent)
  // Without a valid `traceparent`, the `tracestate` does not belong to a trace.
  const state = parent && parseTracestate(tracestate)
  return freeze({
    traceId: parent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    parentId: parent?.parentId,
    flags: parent?.flags ?? RANDOM,
    state,
  })
}

/** Returns the trace of the request's span; `undefined` if there is no span, or if its IDs are invalid. */
function traceOfSpan({ [kSpan]: span, headers }: Traced): TraceContext | undefined {
  if (span === undefined) return undefined
  const { traceId, spanId, traceFlags, traceState } = span
  const flags = traceFlags & (SAMPLED | RANDOM)
  if (parseTraceparent(`00-${traceId}-${spanId}-0${flags}`) === undefined) return undefined
  const caller = parseTraceparent(headers['traceparent'])
  return freeze({
    traceId,
    spanId,
    parentId: caller?.traceId === traceId ? caller.parentId : undefined,
    flags,
    state: parseTracestate(traceState?.serialize()),
  })
}

interface TraceFacts {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly flags: number
  readonly state: string | undefined
}

function freeze({ traceId, spanId, parentId, flags, state }: TraceFacts): TraceContext {
  return Object.freeze({
    traceId,
    spanId,
    ...(parentId !== undefined && { parentId }),
    flags,
    ...(state !== undefined && { state }),
    headers: Object.freeze({
      traceparent: `00-${traceId}-${spanId}-0${flags}`,
      ...(state !== undefined && { tracestate: state }),
    }),
  })
}

// Random bytes are generated in advance, because generating them separately for each ID would take longer than the rest
// of a trace. No two IDs share bytes.
let pool: Buffer = Buffer.alloc(0)
let used = 0

/** Returns a random ID. An ID of only zeros means that there is no ID, so it is generated again. */
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  const id = pool.toString('hex', used, used + bytes)
  used += bytes
  return ZERO.test(id) ? randomHex(bytes) : id
}
