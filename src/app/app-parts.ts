import type { Application } from 'express'
import { RequestLogs } from '../features/logs/log.js'
import { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { getTenantId } from '../features/tenancy/tenant-context.js'
import { CurrentRequest } from '../http/current-request.js'
import { AppLogger } from './app-logger.js'
import { createExpressHost } from './express-host.js'
import { keepTickShape } from './keep-tick-shape.js'

/** The parts of an application that exist before its options are read. */
export interface AppParts {
  readonly express: Application
  readonly logger: AppLogger
  readonly requestLogs: RequestLogs
  readonly currentRequest: CurrentRequest
  readonly outgoing: OutgoingCalls
}

/** @param loggerOf Returns the logger of the application; it is called when it is needed. */
export function createParts(loggerOf: ConstructorParameters<typeof AppLogger>[0]): AppParts {
  keepTickShape()
  const currentRequest = new CurrentRequest()
  return {
    express: createExpressHost(),
    logger: new AppLogger(loggerOf),
    requestLogs: new RequestLogs(getTenantId, currentRequest),
    currentRequest,
    outgoing: new OutgoingCalls(currentRequest),
  }
}
