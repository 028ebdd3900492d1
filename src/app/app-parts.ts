import { executionAsyncResource } from 'node:async_hooks'
import type { Application } from 'express'
import { RequestLogs } from '../features/logs/log.js'
import { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { getTenantId } from '../features/tenancy/tenant-context.js'
import { CurrentRequest } from '../http/contexts.js'
import { AppLogger } from './app-logger.js'
import { createExpressHost } from './express-host.js'

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
  keepTickObjectAlive()
  const currentRequest = new CurrentRequest()
  return {
    express: createExpressHost(),
    logger: new AppLogger(loggerOf),
    requestLogs: new RequestLogs(getTenantId, currentRequest),
    currentRequest,
    outgoing: new OutgoingCalls(currentRequest),
  }
}

let kept: object | undefined

/**
 * Keeps one of the objects that `process.nextTick` creates alive. Node 20 and 22 create them as a literal with computed
 * keys. If none is alive during a full garbage collection, which happens after about ten seconds without requests, V8
 * stops caching how to create them for the rest of the process. Every request then took 40,000 instructions more
 * (60,000 on Node 22), while a small request takes 65,000. Node 24 does not have this problem.
 */
function keepTickObjectAlive(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
