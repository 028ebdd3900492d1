import type { Clock } from '../contracts/clock.js'
import type { Request } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { DecisionValue } from '../contracts/observers.js'
import type { FieldError } from '../contracts/schema.js'
import type { TenantScope } from '../contracts/tenant.js'
import { isDecision, type KnownFailure } from '../errors/failure.js'
import { isFault } from '../errors/fault.js'
import { HttpError } from '../errors/http-error.js'
import { noteOf } from '../http/observed-request.js'
import type { BlazonRequest } from '../http/request.js'
import { requestIdOf } from '../http/request-id.js'
import { routeOf } from '../http/request-notes.js'
import { kAbortController, kTenantScope } from '../http/symbol-fields.js'
import { knownTrace } from '../http/trace-context.js'
import { ignoreRejection } from '../step/step.js'
import type { RepeatedFailures } from './repeated-failures.js'
import { type ReportError, requestContext } from './report-error.js'
import type { RequestSecrets } from './request-secrets.js'

/** The logged facts about a failure, besides its request. */
export interface FailureNote {
  /** The status of the response, or the status that the response would have had. */
  readonly status: number
  /** The message. Default: `'The request failed'`. */
  readonly message?: string
}

/** Logs an error. The same error is logged only once for each request. Never throws. */
export type LogFailure = (error: unknown, req: BlazonRequest, note: FailureNote) => void

/** The destinations for an application's errors. */
export interface FailureLogConfig {
  readonly logger: Logger
  /** Receives each logged error; `null` without `onError`. */
  readonly report: ReportError | null
  readonly secrets: Pick<RequestSecrets, 'hide' | 'hideInUrl'>
  /**
   * Counts the failures during an outage; `null` if requests have no log lines of their own, because each failure then
   * needs a line.
   */
  readonly repeated: Pick<RepeatedFailures, 'note'> | null
}

/** Creates the function that logs the errors of requests. */
export function createFailureLog(config: FailureLogConfig): LogFailure {
  const { report, secrets, repeated } = config
  const write = lineWriter(config)
  const logged = new WeakMap<BlazonRequest, Set<unknown>>()
  return function logFailure(error, req, { status, message = 'The request failed' }) {
    const known = logged.get(req)
    if (known?.has(error)) return
    if (known === undefined) logged.set(req, new Set([error]))
    else known.add(error)
    if (isReasonOf(req, error) || (HttpError.is(error) && error.isLogged === false)) return
    const err = secrets.hide(error, req)
    if (repeated?.note(error) !== true) write(err, req, { status, message })
    report?.(err, () => requestContext(req, { status, message }))
  }
}

function lineWriter({ logger, secrets }: Pick<FailureLogConfig, 'logger' | 'secrets'>) {
  return (err: unknown, req: BlazonRequest, { status, message }: Required<FailureNote>): void => {
    try {
      const url = secrets.hideInUrl(req.originalUrl, req)
      const facts = { err, ...factsOf(req, url), status }
      const returned: unknown = logger.error(facts, message)
      // A logger that writes asynchronously may return a promise that rejects.
      ignoreRejection(returned)
    } catch {
      // The response must be sent even if the logger fails.
    }
  }
}

/**
 * Whether a handler threw the abort reason of its `req.signal`, or Node's `AbortError` for this reason. Possible
 * reasons are the handler timeout, which has already been logged, a disconnected client, and shutdown. The last two are
 * not failures.
 */
function isReasonOf({ [kAbortController]: controller }: BlazonRequest, error: unknown): boolean {
  if (controller?.signal.aborted !== true) return false
  const { reason } = controller.signal
  try {
    return error === reason || (error as { readonly cause?: unknown } | null)?.cause === reason
  } catch {
    // The thrown value is a proxy that throws when it is read. This is a failure, so it is logged.
    return false
  }
}

function factsOf(req: BlazonRequest, url: string): object {
  const { method } = req
  const route = routeOf(req)?.path
  const requestId = requestIdOf(req)
  const trace = knownTrace(req)
  return {
    method,
    url,
    ...(route === undefined ? {} : { route }),
    ...(requestId === undefined ? {} : { requestId }),
    // Log stores use these names, which OpenTelemetry defines, to connect lines with spans.
    ...(trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
    ...tenantFacts(req[kTenantScope]),
  }
}

/**
 * Returns the tenant of the request. If the request is not allowed to act for a tenant, returns the tenant that it
 * specified.
 */
function tenantFacts({ id: tenant, claim: claimedTenant }: Partial<TenantScope> = {}): object {
  if (tenant !== undefined) return { tenant }
  return claimedTenant === undefined ? {} : { claimedTenant }
}

/** Logs why a guard refused a request, if the reason is an error in the guard and not a decision. */
export type LogDenial = (error: unknown, req: BlazonRequest, note?: FailureNote) => void

const REFUSED: FailureNote = {
  status: 401,
  message: 'The guard failed, so the request was refused',
}

/**
 * The maximum number of lines in a burst. After a burst, at most one line per `REFILL_MS` is logged. An invalid token
 * may cause an error in a guard, so without a limit, clients could fill the log.
 */
const BURST = 20
const REFILL_MS = 1000

/**
 * Creates the function that logs the errors of guards if they indicate a bug or an unreachable server. Other errors,
 * such as the error for an expired token, are refusals and are not logged.
 */
export function createDenialLog(log: LogFailure, clock: Clock): LogDenial {
  let left = BURST
  let filledAt = clock.monotonic()
  const take = () => {
    const now = clock.monotonic()
    left = Math.min(BURST, left + (now - filledAt) / REFILL_MS)
    filledAt = now
    if (left < 1) return false
    left--
    return true
  }
  return function logDenial(error, req, note = REFUSED) {
    if (isFault(error) && take()) log(error, req, note)
  }
}

/**
 * Logs errors in guards of options other than `auth`. The plugins for these options are created before the
 * application's log.
 */
export class OtherDenials {
  #log: LogDenial | null = null

  /** Sets the log function. Boot calls it before the first request. */
  start(log: LogDenial): void {
    this.#log = log
  }

  /** Logs the error, unless it is an HTTP error: with an HTTP error, the guard refuses the request deliberately. */
  readonly logDenial = (error: unknown, req: Request, note?: FailureNote): void => {
    if (!isDecision(error)) this.#log?.(error, req as BlazonRequest, note)
  }
}

/** Records the error that a request's response describes, including the parts that the client does not receive. */
export function noteError(failure: KnownFailure, error: unknown, req: object): void {
  const note = noteOf(req)
  if (note === undefined) return
  const { status, code, errors } = failure
  if (errors !== undefined) note({ by: 'validation', verdict: 'refused', facts: issuesOf(errors) })
  const { name, message, stack } = describe(error)
  const isMeant = HttpError.is(error) && error.isLogged === false
  const facts = {
    status,
    name,
    stack: status >= 500 ? stack : null,
    ...(isMeant && { isMeant }),
  }
  note({ by: 'error', verdict: code, reason: message, facts })
}

function issuesOf(errors: readonly FieldError[]): { readonly [name: string]: DecisionValue } {
  const issues = errors.map(({ in: place, path, message }) => ({
    in: place ?? null,
    path,
    message,
  }))
  return { in: [...new Set(issues.map((each) => each.in))], issues }
}

interface Described {
  readonly name: string
  readonly message: string
  readonly stack: string | null
}

/** Describes any thrown value. Its getters may throw. */
function describe(error: unknown): Described {
  try {
    if (error instanceof Error) {
      const { stack } = error
      const name = error.constructor.name || error.name
      return { name: String(name), message: String(error.message), stack: stackOf(stack) }
    }
    return { name: typeof error, message: String(error), stack: null }
  } catch {
    return { name: 'unknown', message: 'an error that cannot be read', stack: null }
  }
}

function stackOf(stack: unknown): string | null {
  return typeof stack === 'string' ? stack : null
}
