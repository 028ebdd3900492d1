import type { Request } from '../../contracts/handler.js'
import { knownTraceContext } from '../../http/trace-context.js'

/** The facts that identify a request, for its lines. Absent facts are left out. */
export interface RequestFacts {
  /** The id of the request. */
  readonly requestId?: string
  /** The id of the trace, if there is one. */
  readonly trace_id?: string
  /** The span of the request. */
  readonly span_id?: string
  /** The id of the user that the guard has set. */
  readonly user?: string
}

/** The fields that identify a user and are not personal data. The first field with a value is used. */
const IDENTITIES = ['id', 'sub', '_id', 'userId', 'uid']
const LONGEST_USER = 256
/** As long as in the header and in the bodies of errors. */
const LONGEST_REQUEST = 128

/**
 * Returns the id of a request; `undefined` if other code has set an id that is neither text nor a number. Never throws.
 */
export function requestIdOf(req: Request): string | undefined {
  try {
    return textOf(req.id, LONGEST_REQUEST)
  } catch {
    return undefined
  }
}

/** Returns the id of the user that the guard has set; `undefined` without one. Never throws. */
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
    // A getter of the program has thrown.
  }
  return undefined
}

function textOf(id: unknown, longest: number): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
  const text = String(id)
  return text === '' ? undefined : text.slice(0, longest)
}

/** Returns the facts that identify a request. A trace has the names of OpenTelemetry. */
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
