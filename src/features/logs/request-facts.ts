import type { Request } from '../../contracts/handler.js'
import { knownTraceContext } from '../../http/trace-context.js'

/** The facts that identify a request in its log lines. Absent facts are omitted. */
export interface RequestFacts {
  /** The request ID. */
  readonly requestId?: string
  /** The trace ID, if there is one. */
  readonly trace_id?: string
  /** The span ID of the request. */
  readonly span_id?: string
  /** The ID of the user that the guard set. */
  readonly user?: string
}

/** The fields that identify a user without revealing personal data. The first field with a value is used. */
const IDENTITIES = ['id', 'sub', '_id', 'userId', 'uid']
const LONGEST_USER = 256
/** The maximum length of a request ID. It is the same in the header and in error bodies. */
const LONGEST_REQUEST = 128

/**
 * Returns the request ID; `undefined` if an application has set an ID that is empty, or neither a string nor a number.
 * Never throws.
 */
export function requestIdOf(req: Request): string | undefined {
  try {
    return textOf(req.id, LONGEST_REQUEST)
  } catch {
    return undefined
  }
}

/**
 * Returns the ID of the user that the guard set; `undefined` if there is no user, or if the user has no ID. Never
 * throws.
 */
export function userIdOf(req: Request): string | undefined {
  try {
    const { user } = req
    if (user === undefined || user === null) return undefined
    const fields = user as unknown as Readonly<Record<string, unknown>>
    if (typeof fields !== 'object') return textOf(fields, LONGEST_USER)
    for (const name of IDENTITIES) {
      const id = textOf(fields[name], LONGEST_USER)
      if (id !== undefined) return id
    }
  } catch {
    // A getter in the application's code has thrown an error.
  }
  return undefined
}

function textOf(id: unknown, longest: number): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
  const text = String(id)
  return text === '' ? undefined : text.slice(0, longest)
}

/** Returns the facts that identify a request. The trace facts have the names that OpenTelemetry uses. */
export function requestFacts(req: Request): RequestFacts {
  const requestId = requestIdOf(req)
  const trace = knownTraceContext(req)
  const user = userIdOf(req)
  return {
    ...(requestId !== undefined && { requestId }),
    ...(trace !== undefined && { trace_id: trace.traceId, span_id: trace.spanId }),
    ...(user !== undefined && { user }),
  }
}
