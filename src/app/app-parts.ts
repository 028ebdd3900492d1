import { executionAsyncResource } from 'node:async_hooks'
import type { Application } from 'express'
import { RequestLogs } from '../features/logs/log.js'
import { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { getTenantId } from '../features/tenancy/tenant-context.js'
import { CurrentRequest } from '../http/contexts.js'
import { createExpressApp } from '../http/express-parts.js'
import { AppLogger } from './app-logger.js'
import type { Settings } from './settings/settings.js'

/** Creates the Express application in `req.app`. It stores settings and renders views, and has no routes. */
function createExpressHost(): Application {
  const host = createExpressApp()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Sets the settings that Express itself reads. */
export function configureExpressHost(host: Application, { trustProxy, etag }: Settings): void {
  if (etag) host.set('etag', 'weak')
  if (trustProxy !== null) host.set('trust proxy', trustProxy)
}

/** The parts of an application that exist before its options are read. */
export interface AppParts {
  readonly express: Application
  readonly logger: AppLogger
  readonly requestLogs: RequestLogs
  readonly currentRequest: CurrentRequest
  readonly outgoing: OutgoingCalls
}

/**
 * Creates the parts that exist before the options are read.
 *
 * @param loggerOf Returns the logger of the application; called when the logger is needed.
 */
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
 * Keeps alive one of the objects that `process.nextTick` creates. Node 20 and 22 create these objects as a literal with
 * computed keys. If none is alive during a full garbage collection, which happens after about ten seconds without
 * requests, V8 stops caching their creation until the process ends. Every request then takes 40,000 more instructions
 * (60,000 on Node 22), in addition to the usual 65,000 of a small request. Node 24 does not have this problem.
 */
function keepTickObjectAlive(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
