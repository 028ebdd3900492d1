import type { Logger } from '../contracts/logger.js'
import type { ErrorContext, ErrorReporter } from '../contracts/observers.js'
import type { BlazonRequest } from '../http/request.js'
import { requestIdOf } from '../http/request-id.js'
import { routeOf } from '../http/request-notes.js'
import { kTenantScope } from '../http/symbol-fields.js'
import { traceOf } from '../http/trace-context.js'
import { ignoreRejection, isThenable, whenSettled } from '../step/step.js'

/** Passes an error to the application's `onError`. Never throws. */
export type ReportError = (error: unknown, contextOf: () => ErrorContext) => void

const FAILED = 'onError failed, so an error was not reported'

/** The functions that report an application's errors. */
export interface Reports {
  /** Passes errors to `onError`; `null` without this option. */
  readonly report: ReportError | null
  /** The logger for background work, whose errors are also reported. */
  readonly logger: Logger
}

/** Creates the functions that report an application's errors. */
export function startReports(onError: ErrorReporter | null, logger: Logger): Reports {
  if (onError === null) return { report: null, logger }
  const report = createReport(onError, logger)
  return { report, logger: reportingLogger(logger, report) }
}

/** Combines two functions that receive errors; `null` if both are `null`. */
export function joinReports(
  first: ReportError | null,
  second: ReportError | null,
): ReportError | null {
  if (first === null || second === null) return first ?? second
  return (error, contextOf) => {
    first(error, contextOf)
    second(error, contextOf)
  }
}

/** Creates the function that calls `onError`. If `onError` itself fails, this is logged but not reported. */
function createReport(onError: ErrorReporter, logger: Logger): ReportError {
  const fail = (reason: unknown) => {
    try {
      const returned: unknown = logger.error({ err: reason }, FAILED)
      ignoreRejection(returned)
    } catch {
      // Both `onError` and the logger have failed. The response must still be sent.
    }
  }
  return function reportError(error, contextOf) {
    try {
      const returned = onError(error, contextOf())
      if (isThenable(returned)) whenSettled(returned, () => {}, fail)
    } catch (reason) {
      fail(reason)
    }
  }
}

/** Returns the context that `onError` receives for a failed request. */
export function requestContext(
  req: BlazonRequest,
  { status, message }: { readonly status: number; readonly message: string },
): ErrorContext {
  const route = routeOf(req)
  const requestId = requestIdOf(req)
  const tenant = req[kTenantScope]?.id
  const { user } = req
  return Object.freeze({
    message,
    status,
    req,
    ...(route !== undefined && { route }),
    ...(requestId !== undefined && { requestId }),
    trace: traceOf(req),
    ...(tenant !== undefined && { tenant }),
    ...(user != null && { user }),
  })
}

function reportingLogger(logger: Logger, report: ReportError): Logger {
  return {
    info: (facts, message) => logger.info(facts, message),
    warn: (facts, message) => logger.warn(facts, message),
    error(facts, message) {
      const { err } = { ...facts } as { readonly err?: unknown }
      if (err !== undefined) report(err, () => Object.freeze({ message }))
      return logger.error(facts, message)
    },
  }
}
