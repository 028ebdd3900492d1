import type { Logger } from '../contracts/logger.js'
import type { TenantScope } from '../contracts/tenant.js'
import { HttpError } from '../errors/http-error.js'
import type { BlazonRequest } from '../http/request.js'
import { requestIdOf } from '../http/request-id.js'
import { kAbortController, kTenantScope } from '../http/symbol-fields.js'
import { knownTrace } from '../http/trace-context.js'
import { ignoreRejection } from '../step/thenable.js'
import type { RepeatedFailures } from './repeated-failures.js'
import { type ReportError, requestContext } from './report-error.js'
import type { RequestSecrets } from './request-secrets.js'
import { routeOf } from './route-of.js'

/** The logged facts of a failure besides its request. */
export interface FailureNote {
  /** The status of the response, or the status that it would have had. */
  readonly status: number
  /** Default: `'The request failed'`. */
  readonly message?: string
}

/** Logs an error, once for each request. Never throws. */
export type LogFailure = (error: unknown, req: BlazonRequest, note: FailureNote) => void

/** Where the errors of an application go. */
export interface FailureLogConfig {
  readonly logger: Logger
  /** Gets each logged error; `null` without `onError`. */
  readonly report: ReportError | null
  readonly secrets: Pick<RequestSecrets, 'hide' | 'hideInUrl'>
  /** Counts the failures of an outage; `null` if no other line of the log has the request. */
  readonly repeated: Pick<RepeatedFailures, 'note'> | null
}

/** Creates the function that logs errors of requests. */
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
 * Whether a handler has thrown the reason of its `req.signal`, or Node's `AbortError` for it. The reason is the
 * handler timeout, which was logged already, a client that has disconnected, or the closing of the application.
 * The last two are not failures.
 */
function isReasonOf({ [kAbortController]: controller }: BlazonRequest, error: unknown): boolean {
  if (controller?.signal.aborted !== true) return false
  const { reason } = controller.signal
  try {
    return error === reason || (error as { readonly cause?: unknown } | null)?.cause === reason
  } catch {
    // A proxy that throws when it is read is a failure, so it is logged.
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
    // OpenTelemetry's names: log stores join lines and spans by them.
    ...(trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
    ...tenantFacts(req[kTenantScope]),
  }
}

/** Returns the tenant of the request, or, if the request may not act for a tenant, the tenant that it named. */
function tenantFacts({ id: tenant, claim: claimedTenant }: Partial<TenantScope> = {}): object {
  if (tenant !== undefined) return { tenant }
  return claimedTenant === undefined ? {} : { claimedTenant }
}
