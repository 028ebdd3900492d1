import type { Logger } from '../contracts/logger.js'
import type { AppModel } from '../contracts/route-model.js'
import type { ErrorFormat } from '../contracts/wire-format.js'
import { errorFormatOf } from '../errors/envelope.js'
import type { BlazonRequest } from '../http/request.js'
import { routeOf } from '../http/request-notes.js'
import type { OnFormatFault } from '../pipeline/fail.js'
import type { LogFailure } from '../pipeline/log-failure.js'
import type { ReportError } from '../pipeline/report-error.js'
import { ignoreRejection } from '../step/step.js'

/** Returns a function that logs why a custom error format could not be used. */
export function formatFaults(
  { logger, report }: { readonly logger: Logger; readonly report: ReportError | null },
  log: LogFailure,
): OnFormatFault {
  const message = 'The error format failed; the client received the default format'
  return function onFault(err, status, req) {
    if (req !== undefined) return log(err, req, { status, message })
    try {
      ignoreRejection(logger.error({ err, status }, message))
    } catch {
      // The response must be sent even if the logger fails.
    }
    report?.(err, () => Object.freeze({ message, status }))
  }
}

/** Returns a function that finds the error format of a request's route; `null` if no route has a custom format. */
export function routeFormats({
  routes,
}: AppModel): ((req: BlazonRequest) => ErrorFormat | undefined) | null {
  if (!routes.some((route) => errorFormatOf(route) !== undefined)) return null
  return (req) => {
    const route = routeOf(req)
    return route === undefined ? undefined : errorFormatOf(route)
  }
}
