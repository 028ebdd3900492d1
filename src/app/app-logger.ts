import type { Logger } from '../contracts/logger.js'
import type { AppModel } from '../contracts/route-model.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { ignoreRejection } from '../step/step.js'
import type { Harness } from './harness.js'
import type { Settings } from './settings/settings.js'

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

  /** Opens the logger of the application, whose options have been read. */
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
