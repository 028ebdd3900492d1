import { executionAsyncResource } from 'node:async_hooks'
import type { Application } from 'express'
import type { Logger } from '../contracts/logger.js'
import type { AppModel } from '../contracts/route-model.js'
import { RequestLogs } from '../features/logs/log.js'
import { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { getTenantId } from '../features/tenancy/tenant-context.js'
import { CurrentRequest } from '../http/contexts.js'
import { createExpressApp } from '../http/express-parts.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { ignoreRejection } from '../step/step.js'
import type { Harness } from './harness.js'
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

/** @param loggerOf Returns the logger of the application; called when the logger is needed. */
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

/** The logger of a started application. */
interface OpenLogger {
  readonly logger: Logger
  readonly close: () => void
}

/** The parts of an application that its logger depends on. */
interface LoggerConfig {
  readonly settings: Pick<Settings, 'logger' | 'ownLogger'>
  readonly harness: Pick<Harness, 'logger' | 'clock'>
  readonly model: AppModel
  readonly secrets: RequestSecrets
}

/**
 * The logger of an application. It can be used before the application starts and while it closes. Its methods `info`,
 * `warn` and `error` never throw: an application must close even if its logger fails.
 */
export class AppLogger implements Logger {
  readonly #before: () => Logger
  #opened: OpenLogger | undefined

  /** @param before Returns the logger of the application until it starts. */
  constructor(before: () => Logger) {
    this.#before = before
  }

  /** Opens the logger of the started application. */
  async open(config: LoggerConfig): Promise<OpenLogger> {
    this.#opened = await openLogger(config)
    return this.#opened
  }

  /** Writes the queued lines. Call this method last. */
  close(): void {
    this.#opened?.close()
  }

  info(facts: object, message: string): void {
    this.#write('info', facts, message)
  }

  warn(facts: object, message: string): void {
    this.#write('warn', facts, message)
  }

  error(facts: object, message: string): void {
    this.#write('error', facts, message)
  }

  #write(level: 'info' | 'warn' | 'error', facts: object, message: string): void {
    try {
      const logger = this.#opened?.logger ?? this.#before()
      const returned: unknown = logger[level](facts, message)
      ignoreRejection(returned)
    } catch {
      // There is no other place to write the line.
    }
  }
}

/** The framework's own logger is loaded only if it is used. */
async function openLogger(config: LoggerConfig): Promise<OpenLogger> {
  const { settings, harness, model, secrets } = config
  if (harness.logger !== null) return { logger: harness.logger, close() {} }
  if (settings.ownLogger === null) return { logger: settings.logger, close() {} }
  const { openLogger: open } = await import('../features/logs/open-logger.js')
  const names = secrets.readNames(model.routes)
  const logger = open(settings.ownLogger, { clock: harness.clock, secrets: names })
  return { logger, close: () => logger.close() }
}
